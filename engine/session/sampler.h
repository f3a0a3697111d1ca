// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/engine_options.h"

#include <cstdint>
#include <span>
#include <string>

namespace colibri {

/// xoshiro256** seeded by splitmix64 (Blackman and Vigna): the same numbers on every machine and C++ library.
class Random {
public:
    explicit Random(std::uint64_t seed);
    std::uint64_t next();
    /// Uniform in [0, 1), from the upper 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t m_state[4];
};

/// A token that may be drawn.
struct Candidate {
    float logit = 0.f;
    TokenId id = 0;
};

/// Draws a token from logits [vocabulary] by the rules of SamplingOptions. Order of ties: logit descending, then id
/// ascending. A NaN is never drawn unless all are. `scratch` has room for the vocabulary, `recent` are the latest ids
/// (for the repeat penalty). Allocates nothing.
class Sampler {
public:
    static constexpr std::uint32_t repeatWindow = 64;

    explicit Sampler(const SamplingOptions& options);
    TokenId draw(std::span<float> logits, std::span<const TokenId> recent, std::span<Candidate> scratch);

private:
    std::span<Candidate> keepBest(std::span<Candidate> candidates) const;
    std::span<Candidate> keepLikely(std::span<Candidate> candidates) const;
    TokenId pick(std::span<const Candidate> candidates);

    SamplingOptions m_options;
    Random m_random;
};

/// What is wrong with sampling options, in one sentence; empty when nothing is.
std::string samplingFault(const SamplingOptions& options);

} // namespace colibri
