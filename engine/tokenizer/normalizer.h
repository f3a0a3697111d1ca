// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/splitpattern.h"
#include "tokenizer/unicode.h"
#include "types/result.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace colibri {

/// What changes a text before it is split into pieces, step after step. Immutable; any thread.
class Normalizer {
public:
    struct Prepend {
        std::string text; ///< goes in front of a text that is not empty
    };
    struct Replace {
        SplitPattern pattern;
        std::string content; ///< in the place of every match
    };
    using Step = std::variant<NormalizationForm, Prepend, Replace>;

    void add(Step step) { m_steps.push_back(std::move(step)); }
    bool empty() const { return m_steps.empty(); }
    /// The normalized form of well-formed text.
    Result<std::string> apply(std::string_view text) const;

private:
    std::vector<Step> m_steps;
};

} // namespace colibri
