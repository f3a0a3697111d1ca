// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/bytepairmerger.h"

#include <algorithm>
#include <numeric>

namespace colibri {

BytePairMerger::BytePairMerger(std::span<const Merge> merges, std::uint32_t tokens)
    : m_first(std::size_t{tokens} + 1)
{
    for (const Merge& merge : merges)
        ++m_first[merge.left + 1];
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    m_rules.resize(merges.size());
    std::vector<std::uint32_t> end(m_first.begin(), m_first.end() - 1);
    for (std::uint32_t rank = 0; rank < merges.size(); ++rank)
        m_rules[end[merges[rank].left]++] = {merges[rank].right, rank, merges[rank].merged};
    // Later ones first, so that a search meets the last of equal pairs.
    const auto before = [](const Rule& a, const Rule& b) {
        return a.right != b.right ? a.right < b.right : a.rank > b.rank;
    };
    for (std::uint32_t token = 0; token < tokens; ++token)
        std::sort(m_rules.begin() + m_first[token], m_rules.begin() + m_first[token + 1], before);
}

const BytePairMerger::Rule* BytePairMerger::find(TokenId left, TokenId right) const
{
    const auto begin = m_rules.begin() + m_first[left];
    const auto end = m_rules.begin() + m_first[left + 1];
    const auto at =
        std::lower_bound(begin, end, right, [](const Rule& rule, TokenId token) { return rule.right < token; });
    return at != end && at->right == right ? &*at : nullptr;
}

/// Queues the pair that begins at the symbol `left`, when there is a merge for it.
void BytePairMerger::consider(std::uint32_t left, Scratch& scratch) const
{
    const auto& symbols = scratch.m_symbols;
    if (left == Scratch::none || symbols[left].next == Scratch::none)
        return;
    const TokenId leftToken = symbols[left].token;
    const TokenId rightToken = symbols[symbols[left].next].token;
    if (const Rule* const rule = find(leftToken, rightToken)) {
        scratch.m_candidates.push_back({rule->rank, left, leftToken, rightToken, rule->merged});
        std::push_heap(scratch.m_candidates.begin(), scratch.m_candidates.end());
    }
}

void BytePairMerger::append(std::span<const TokenId> tokens, Scratch& scratch, std::vector<TokenId>& ids) const
{
    auto& symbols = scratch.m_symbols;
    auto& candidates = scratch.m_candidates;
    const auto size = static_cast<std::uint32_t>(tokens.size());
    symbols.clear();
    for (std::uint32_t i = 0; i < size; ++i)
        symbols.push_back({tokens[i], i - 1, i + 1}); // none in front of the first
    if (symbols.empty())
        return;
    symbols.back().next = Scratch::none;
    candidates.clear();
    for (std::uint32_t i = 0; i < size; ++i)
        consider(i, scratch);
    while (!candidates.empty()) {
        std::pop_heap(candidates.begin(), candidates.end());
        const Scratch::Candidate best = candidates.back();
        candidates.pop_back();
        auto& left = symbols[best.left];
        if (left.token != best.leftToken || left.next == Scratch::none || symbols[left.next].token != best.rightToken)
            continue; // one of the two has been joined to something since
        auto& right = symbols[left.next];
        left.token = best.merged;
        right.token = Scratch::none;
        left.next = right.next;
        if (left.next != Scratch::none)
            symbols[left.next].previous = best.left;
        consider(left.previous, scratch);
        consider(best.left, scratch);
    }
    for (std::uint32_t i = 0; i != Scratch::none; i = symbols[i].next)
        ids.push_back(symbols[i].token);
}

} // namespace colibri
