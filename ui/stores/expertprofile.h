// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/run_record.h"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace colibri {

/// One decision in which an expert was chosen.
struct ServedToken {
    int position = 0;
    int rank = 0;
    float weight = 0;
    float margin = 0; ///< of the decision; NaN: none
};

/// How often an expert served one token id.
struct ServedText {
    TokenId id = 0;
    std::uint32_t count = 0;
    int position = 0; ///< the newest one with this id
};

/// Which tokens one expert of one layer served in a stretch of positions; grows with the stretch.
class ExpertProfile {
public:
    static constexpr std::size_t keptTokens = 1000;

    ExpertProfile() = default; ///< of no expert
    ExpertProfile(int layer, int expert)
        : m_layer(layer)
        , m_expert(expert)
    {
    }

    int layer() const { return m_layer; }
    int expert() const { return m_expert; } ///< -1: none
    void add(const RunRecord& record, std::uint32_t from, std::uint32_t to); ///< ascending, each position once

    std::uint64_t positions() const { return m_positions; } ///< looked at
    std::uint64_t total() const { return m_total; } ///< served
    double meanWeight() const; ///< NaN: nothing served
    const std::deque<ServedToken>& newest() const { return m_newest; } ///< at most keptTokens, by position
    /// The ids served most often, at most `count`; as often: the lower id first.
    std::vector<ServedText> top(std::size_t count) const;

private:
    struct Text {
        std::uint32_t count = 0;
        int position = 0;
    };

    int m_layer = -1;
    int m_expert = -1;
    std::uint64_t m_positions = 0;
    std::uint64_t m_total = 0;
    double m_weight = 0; ///< sum
    std::deque<ServedToken> m_newest;
    std::unordered_map<TokenId, Text> m_texts;
};

} // namespace colibri
