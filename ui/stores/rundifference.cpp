// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/rundifference.h"

#include <algorithm>

namespace colibri {
namespace {

bool comparableShapes(const RunStore& a, const RunStore& b)
{
    if (!a.record() || !b.record())
        return false;
    const RunRecord::Shape& first = a.record()->shape();
    const RunRecord::Shape& second = b.record()->shape();
    return first.layers == second.layers && first.experts == second.experts && first.k == second.k;
}

bool sameExperts(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b)
{
    return std::ranges::is_permutation(a, b);
}

} // namespace

bool differentTokens(const RunStore& a, const RunStore& b, int position)
{
    return position < a.tokens() && position < b.tokens() && a.id(position) != b.id(position);
}

void RunDifference::restart(const RunStore& a, const RunStore& b)
{
    *this = {};
    m_comparable = comparableShapes(a, b);
    extend(a, b);
}

void RunDifference::extend(const RunStore& a, const RunStore& b)
{
    const int tokens = std::min(a.tokens(), b.tokens());
    for (; !m_token && m_tokens < tokens; ++m_tokens) {
        if (a.id(m_tokens) != b.id(m_tokens))
            m_token = m_tokens;
    }
    m_tokens = tokens;
    const int routed = m_comparable ? std::min(a.routed(), b.routed()) : 0;
    for (; !m_decision && m_decided < routed; ++m_decided) {
        const auto position = static_cast<std::uint32_t>(m_decided);
        for (std::uint32_t layer = 0; !m_decision && layer < a.record()->shape().layers; ++layer) {
            if (!sameExperts(a.record()->experts(position, layer), b.record()->experts(position, layer)))
                m_decision = Decision{m_decided, int(layer)};
        }
    }
}

} // namespace colibri
