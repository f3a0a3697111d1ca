// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/bytepairmerger.h"

#include <algorithm>
#include <numeric>

namespace colibri {

BytePairMerger::BytePairMerger(
    const std::array<TokenId, 256>& byteTokens, std::span<const Merge> merges, std::uint32_t tokens)
    : m_byteTokens(byteTokens)
    , m_first(std::size_t{tokens} + 1)
{
    std::vector<std::uint32_t> order(merges.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t rank) { return std::pair(merges[rank].left, merges[rank].right); };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    m_rules.reserve(merges.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i + 1 < order.size() && key(order[i]) == key(order[i + 1]))
            continue;
        const Merge& merge = merges[order[i]];
        m_rules.push_back({merge.right, order[i], merge.merged});
        ++m_first[merge.left + 1];
    }
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
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

void BytePairMerger::append(std::string_view word, Scratch& scratch, std::vector<TokenId>& ids) const
{
    auto& symbols = scratch.m_symbols;
    auto& candidates = scratch.m_candidates;
    const auto size = static_cast<std::uint32_t>(word.size());
    symbols.clear();
    for (std::uint32_t i = 0; i < size; ++i)
        symbols.push_back(
            {m_byteTokens[static_cast<unsigned char>(word[i])], i - 1, i + 1}); // none in front of the first
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
