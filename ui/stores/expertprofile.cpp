// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/expertprofile.h"

#include <algorithm>
#include <limits>

namespace colibri {

void ExpertProfile::add(const RunRecord& record, std::uint32_t from, std::uint32_t to)
{
    const auto layer = static_cast<std::uint32_t>(m_layer);
    for (std::uint32_t position = from; position < to; ++position) {
        const auto chosen = record.experts(position, layer);
        const auto found = std::find(chosen.begin(), chosen.end(), static_cast<std::uint16_t>(m_expert));
        if (found == chosen.end())
            continue;
        const auto rank = found - chosen.begin();
        const float weight = record.weights(position, layer)[static_cast<std::size_t>(rank)];
        ++m_total;
        m_weight += static_cast<double>(weight);
        m_newest.push_back(
            {static_cast<int>(position), static_cast<int>(rank), weight, record.margin(position, layer)});
        if (m_newest.size() > keptTokens)
            m_newest.pop_front();
        Text& text = m_texts[record.token(position)];
        ++text.count;
        text.position = static_cast<int>(position);
    }
    m_positions += to > from ? to - from : 0;
}

double ExpertProfile::meanWeight() const
{
    return m_total > 0 ? m_weight / static_cast<double>(m_total) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<ServedText> ExpertProfile::top(std::size_t count) const
{
    std::vector<ServedText> all;
    all.reserve(m_texts.size());
    for (const auto& [id, text] : m_texts)
        all.push_back({id, text.count, text.position});
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
    std::partial_sort(all.begin(), end, all.end(),
        [](const ServedText& a, const ServedText& b) { return a.count != b.count ? a.count > b.count : a.id < b.id; });
    all.erase(end, all.end());
    return all;
}

} // namespace colibri
