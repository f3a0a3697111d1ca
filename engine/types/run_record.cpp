// SPDX-License-Identifier: Apache-2.0
#include "types/run_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

std::uint32_t positionsWithinBudget(const RunRecord::Shape& shape)
{
    const std::size_t perPosition = sizeof(float) * std::max<std::size_t>(1, std::size_t{shape.layers} * shape.experts);
    return static_cast<std::uint32_t>(std::min<std::size_t>(shape.positions, shape.logitBudgetBytes / perPosition));
}

} // namespace

RunRecord::RunRecord(const Shape& shape)
    : m_shape(shape)
    , m_logitPositions(positionsWithinBudget(shape))
    , m_tokens(shape.positions)
    , m_experts(std::size_t{shape.positions} * shape.layers * shape.k, noExpert)
    , m_weights(m_experts.size())
    , m_margins(std::size_t{shape.positions} * shape.layers, std::numeric_limits<float>::quiet_NaN())
    , m_zeroed(m_margins.size())
    , m_logits(std::size_t{m_logitPositions} * shape.layers * shape.experts)
{
}

std::size_t RunRecord::bytes() const
{
    return m_tokens.size() * sizeof(TokenId) + m_experts.size() * sizeof(std::uint16_t)
        + m_weights.size() * sizeof(float) + m_margins.size() * sizeof(float) + m_zeroed.size() * sizeof(std::uint32_t)
        + m_logits.size() * sizeof(float);
}

std::span<const std::uint16_t> RunRecord::experts(std::uint32_t position, std::uint32_t layer) const
{
    return std::span(m_experts).subspan(row(position, layer) * m_shape.k, m_shape.k);
}

std::span<const float> RunRecord::weights(std::uint32_t position, std::uint32_t layer) const
{
    return std::span(m_weights).subspan(row(position, layer) * m_shape.k, m_shape.k);
}

bool RunRecord::copyRouterLogits(std::uint32_t position, std::uint32_t layer, std::span<float> out) const
{
    if (position >= routed() || m_logitPositions == 0)
        return false;
    const std::size_t slot = (std::size_t{position % m_logitPositions} * m_shape.layers + layer) * m_shape.experts;
    for (std::size_t i = 0; i < out.size() && i < m_shape.experts; ++i)
        out[i] = m_logits[slot + i].load(std::memory_order_acquire);
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
    return std::span(m_weights).subspan(row(position, layer) * m_shape.k, m_shape.k);
}

void RunRecord::writeMargin(std::uint32_t position, std::uint32_t layer, float margin)
{
    m_margins[row(position, layer)] = margin;
}

void RunRecord::writeZeroed(std::uint32_t position, std::uint32_t layer, std::uint32_t ranks)
{
    m_zeroed[row(position, layer)] = ranks;
}

void RunRecord::writeRouterLogits(std::uint32_t position, std::uint32_t layer, std::span<const float> logits)
{
    if (m_logitPositions == 0)
        return;
    if (m_logitsWriting.load(std::memory_order_relaxed) <= position)
        m_logitsWriting.store(position + 1, std::memory_order_relaxed);
    const std::size_t slot = (std::size_t{position % m_logitPositions} * m_shape.layers + layer) * m_shape.experts;
    for (std::size_t i = 0; i < logits.size() && i < m_shape.experts; ++i)
        m_logits[slot + i].store(logits[i], std::memory_order_release);
}

void RunRecord::publishRouted(std::uint32_t count)
{
    m_routed.store(count, std::memory_order_release);
}

} // namespace colibri
