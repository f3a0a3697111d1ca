// SPDX-License-Identifier: Apache-2.0
#include "session/sampler.h"

#include "kernels/math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

bool better(const Candidate& a, const Candidate& b)
{
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

std::uint64_t splitmix(std::uint64_t& state)
{
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// An id is penalized once, however often it stands in the window.
void penalizeRepeats(std::span<float> logits, std::span<const TokenId> recent, float penalty)
{
    for (std::size_t i = 0; penalty != 1.f && i < recent.size(); ++i) {
        const auto before = recent.first(i);
        if (recent[i] >= logits.size() || std::ranges::find(before, recent[i]) != before.end())
            continue;
        float& logit = logits[recent[i]];
        logit = logit > 0.f ? logit / penalty : logit * penalty;
    }
}

} // namespace

Random::Random(std::uint64_t seed)
{
    for (std::uint64_t& word : m_state)
        word = splitmix(seed);
}

std::uint64_t Random::next()
{
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t shifted = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= shifted;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
}

Sampler::Sampler(const SamplingOptions& options)
    : m_options(options)
    , m_random(options.seed)
{
}

TokenId Sampler::draw(std::span<float> logits, std::span<const TokenId> recent, std::span<Candidate> scratch)
{
    penalizeRepeats(logits, recent.last(std::min<std::size_t>(recent.size(), repeatWindow)), m_options.repeatPenalty);
    Candidate best{lowest, 0};
    for (std::size_t id = 0; id < logits.size(); ++id) {
        const float logit = logits[id] == logits[id] ? logits[id] : lowest;
        scratch[id] = {logit, static_cast<TokenId>(id)};
        if (better(scratch[id], best))
            best = scratch[id];
    }
    if (m_options.temperature <= 0.f || !std::isfinite(best.logit))
        return best.id;
    for (Candidate& candidate : scratch.first(logits.size()))
        candidate.logit = (candidate.logit - best.logit) / m_options.temperature; // the best is now at 0
    return pick(keepLikely(keepBest(scratch.first(logits.size()))));
}

/// Top-k; sorted, best first, when a later filter needs an order.
std::span<Candidate> Sampler::keepBest(std::span<Candidate> candidates) const
{
    if (m_options.topK > 0 && m_options.topK < candidates.size()) {
        std::ranges::nth_element(candidates, candidates.begin() + m_options.topK, better);
        candidates = candidates.first(m_options.topK);
    }
    if (m_options.topK > 0 || m_options.topP < 1.f)
        std::ranges::sort(candidates, better);
    return candidates;
}

/// Top-p: the fewest best whose probabilities reach topP. Min-p: at least minP times the best one's probability.
std::span<Candidate> Sampler::keepLikely(std::span<Candidate> candidates) const
{
    if (m_options.topP < 1.f) {
        double total = 0;
        for (const Candidate& candidate : candidates)
            total += exactExp(candidate.logit);
        double sum = 0;
        std::size_t kept = 0;
        while (kept < candidates.size() && (kept == 0 || sum < m_options.topP * total))
            sum += exactExp(candidates[kept++].logit);
        candidates = candidates.first(kept);
    }
    if (m_options.minP > 0.f) {
        const auto rest =
            std::ranges::remove_if(candidates, [&](const Candidate& c) { return exactExp(c.logit) < m_options.minP; });
        candidates = candidates.first(candidates.size() - rest.size());
    }
    return candidates;
}

TokenId Sampler::pick(std::span<const Candidate> candidates)
{
    double total = 0;
    for (const Candidate& candidate : candidates)
        total += exactExp(candidate.logit);
    double left = m_random.uniform() * total;
    for (const Candidate& candidate : candidates) {
        left -= exactExp(candidate.logit);
        if (left < 0)
            return candidate.id;
    }
    return candidates.back().id;
}

std::string samplingFault(const SamplingOptions& o)
{
    struct Rule {
        bool holds;
        const char* text;
    };
    const Rule rules[]{
        {std::isfinite(o.temperature) && o.temperature >= 0.f, "temperature has to be 0 or more"},
        {o.topP > 0.f && o.topP <= 1.f, "top-p has to be above 0 and at most 1"},
        {o.minP >= 0.f && o.minP <= 1.f, "min-p has to be between 0 and 1"},
        {std::isfinite(o.repeatPenalty) && o.repeatPenalty > 0.f, "repeat-penalty has to be above 0"},
    };
    for (const Rule& rule : rules)
        if (!rule.holds)
            return rule.text;
    return {};
}

} // namespace colibri
