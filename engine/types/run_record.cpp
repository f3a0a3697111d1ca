// SPDX-License-Identifier: Apache-2.0
#include "types/run_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace colibri {
namespace {

std::uint32_t positionsWithinBudget(const RunRecord::Shape& shape)
{
    const std::size_t perPosition = sizeof(float) * std::max<std::size_t>(1, std::size_t{shape.layers} * shape.experts);
    return static_cast<std::uint32_t>(std::min<std::size_t>(shape.positions, shape.logitBudgetBytes / perPosition));
}

std::uint32_t positionsOf(std::span<const float> logits, const RunRecord::Shape& shape)
{
    return static_cast<std::uint32_t>(
        logits.size() / std::max<std::size_t>(1, std::size_t{shape.layers} * shape.experts));
}

} // namespace

RunRecord::RunRecord(const Shape& shape)
    : m_shape(shape)
    , m_logitPositions(positionsWithinBudget(shape))
    , m_tokens(shape.positions)
    , m_experts(std::size_t{shape.positions} * shape.layers * shape.k, noExpert)
    , m_ownWeights(m_experts.size())
    , m_ownMargins(std::size_t{shape.positions} * shape.layers, std::numeric_limits<float>::quiet_NaN())
    , m_ownZeroed(m_ownMargins.size())
    , m_ownLogits(std::size_t{m_logitPositions} * shape.layers * shape.experts)
    , m_weights(m_ownWeights)
    , m_margins(m_ownMargins)
    , m_zeroed(m_ownZeroed)
{
}

RunRecord::RunRecord(const Shape& shape, Stored stored)
    : m_shape(shape)
    , m_logitPositions(positionsOf(stored.logits, shape))
    , m_promptTokens(stored.promptTokens)
    , m_tokenCount(static_cast<std::uint32_t>(stored.tokens.size()))
    , m_routed(stored.routed)
    , m_breakerEvents(stored.breakerEvents)
    , m_tokens(std::move(stored.tokens))
    , m_experts(std::move(stored.experts))
    , m_weights(stored.weights)
    , m_margins(stored.margins)
    , m_zeroed(stored.zeroed)
    , m_storedLogits(stored.logits)
    , m_file(std::move(stored.file))
{
}

std::size_t RunRecord::bytes() const
{
    return m_tokens.size() * sizeof(TokenId) + m_experts.size() * sizeof(std::uint16_t)
        + m_ownWeights.size() * sizeof(float) + m_ownMargins.size() * sizeof(float)
        + m_ownZeroed.size() * sizeof(std::uint32_t) + m_ownLogits.size() * sizeof(float);
}

std::span<const std::uint16_t> RunRecord::experts(std::uint32_t position, std::uint32_t layer) const
{
    return std::span(m_experts).subspan(row(position, layer) * m_shape.k, m_shape.k);
}

std::span<const float> RunRecord::weights(std::uint32_t position, std::uint32_t layer) const
{
    return m_weights.subspan(row(position, layer) * m_shape.k, m_shape.k);
}

bool RunRecord::copyRouterLogits(std::uint32_t position, std::uint32_t layer, std::span<float> out) const
{
    const std::uint32_t end = routed();
    if (position >= end || m_logitPositions == 0)
        return false;
    const std::size_t count = std::min<std::size_t>(out.size(), m_shape.experts);
    if (!m_storedLogits.empty()) {
        if (end - position > m_logitPositions)
            return false;
        const std::uint32_t at = m_logitPositions - (end - position);
        std::copy_n(m_storedLogits.begin()
                + static_cast<std::ptrdiff_t>((std::size_t{at} * m_shape.layers + layer) * m_shape.experts),
            count, out.begin());
        return true;
    }
    const std::size_t slot = (std::size_t{position % m_logitPositions} * m_shape.layers + layer) * m_shape.experts;
    for (std::size_t i = 0; i < count; ++i)
        out[i] = m_ownLogits[slot + i].load(std::memory_order_acquire);
    // The writer announces a position before it touches the slot, so an overtaken copy is seen here.
    return m_logitsWriting.load(std::memory_order_relaxed) <= position + m_logitPositions;
}

void RunRecord::setPrompt(std::span<const TokenId> prompt)
{
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(prompt.size(), m_shape.positions));
    std::copy_n(prompt.begin(), count, m_tokens.begin());
    m_promptTokens = count;
    m_tokenCount.store(count, std::memory_order_release);
}

void RunRecord::appendToken(TokenId id)
{
    const std::uint32_t at = m_tokenCount.load(std::memory_order_relaxed);
    if (at >= m_shape.positions)
        return;
    m_tokens[at] = id;
    m_tokenCount.store(at + 1, std::memory_order_release);
}

std::span<std::uint16_t> RunRecord::writeExperts(std::uint32_t position, std::uint32_t layer)
{
    return std::span(m_experts).subspan(row(position, layer) * m_shape.k, m_shape.k);
}

std::span<float> RunRecord::writeWeights(std::uint32_t position, std::uint32_t layer)
{
    return std::span(m_ownWeights).subspan(row(position, layer) * m_shape.k, m_shape.k);
}

void RunRecord::writeMargin(std::uint32_t position, std::uint32_t layer, float margin)
{
    m_ownMargins[row(position, layer)] = margin;
}

void RunRecord::writeZeroed(std::uint32_t position, std::uint32_t layer, std::uint32_t ranks)
{
    m_ownZeroed[row(position, layer)] = ranks;
}

void RunRecord::writeRouterLogits(std::uint32_t position, std::uint32_t layer, std::span<const float> logits)
{
    if (m_logitPositions == 0)
        return;
    if (m_logitsWriting.load(std::memory_order_relaxed) <= position)
        m_logitsWriting.store(position + 1, std::memory_order_relaxed);
    const std::size_t slot = (std::size_t{position % m_logitPositions} * m_shape.layers + layer) * m_shape.experts;
    for (std::size_t i = 0; i < logits.size() && i < m_shape.experts; ++i)
        m_ownLogits[slot + i].store(logits[i], std::memory_order_release);
}

void RunRecord::publishRouted(std::uint32_t count)
{
    m_routed.store(count, std::memory_order_release);
}

} // namespace colibri
