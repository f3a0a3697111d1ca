// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

namespace colibri::test {

/// A linear_moe with 40 token ids and, when asked for, a router: since every component of its input is the
/// token id, the router logits of expert e are id * sum of its row. All of that is exact in float and double.
struct LinearSource {
    static constexpr std::uint32_t layers = 1;
    static constexpr std::uint32_t vocabulary = 40;
    static constexpr std::uint32_t hidden = 6;
    static constexpr std::uint32_t experts = 7;
    static constexpr std::uint32_t k = 3;

    /// Sum of a router row; two experts have the same one.
    static double rowSum(std::uint32_t layer, std::uint32_t expert);
    /// Router logits of a token.
    static std::vector<double> logits(std::uint32_t layer, std::uint32_t token);
    /// The k best by a plain sort: logit descending, then id ascending.
    static std::vector<std::uint16_t> best(std::uint32_t layer, std::uint32_t token);

    bool router = true; ///< else a table routes
    std::uint32_t statedVocabulary = vocabulary;
    std::uint32_t output = hidden; ///< rows of an expert

    /// A component of what an expert makes of a token; exact.
    static double outputOf(std::uint32_t expert, std::uint32_t row, std::uint32_t token);

    /// Writes it as a Colibri export to `folder`, which must not exist. What went wrong, or empty.
    QString write(const QString& folder) const;
};

} // namespace colibri::test
