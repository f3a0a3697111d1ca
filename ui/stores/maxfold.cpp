// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/maxfold.h"

namespace colibri {

void MaxFold::append(float value)
{
    const std::size_t index = m_values.size();
    m_values.push_back(value);
    std::size_t block = fanOut;
    for (std::size_t level = 0; level < m_levels.size(); ++level, block *= fanOut) {
        std::vector<std::uint32_t>& largest = m_levels[level];
        if (index / block == largest.size())
            largest.push_back(static_cast<std::uint32_t>(index));
        else if (value > m_values[largest.back()])
            largest.back() = static_cast<std::uint32_t>(index);
    }
    if (m_values.size() == block) // the first block of a new level is complete
        m_levels.push_back({static_cast<std::uint32_t>(largest(0, block))});
}

void MaxFold::clear()
{
    m_values.clear();
    m_levels.clear();
}

std::size_t MaxFold::largest(std::size_t from, std::size_t to) const
{
    std::size_t best = from;
    while (from < to) {
        std::size_t level = 0;
        std::size_t block = 1;
        while (level < m_levels.size() && from % (block * fanOut) == 0 && from + block * fanOut <= to) {
            block *= fanOut;
            ++level;
        }
        const std::size_t found = level == 0 ? from : m_levels[level - 1][from / block];
        if (m_values[found] > m_values[best])
            best = found;
        from += block;
    }
    return best;
}

} // namespace colibri
