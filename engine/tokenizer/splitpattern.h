// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <memory>
#include <string_view>
#include <vector>

struct re_pattern_buffer; // Oniguruma's compiled pattern

namespace colibri {

/// A compiled pattern of a "Split" pre-tokenizer in Oniguruma's syntax. Immutable; any thread.
class SplitPattern {
public:
    /// Fails with Malformed on a pattern that is none, `why` being Oniguruma's reason.
    static Result<SplitPattern> compile(std::string_view pattern);

    /// Appends the matches and the stretches between them, in order and without empty ones, as views of `text`
    /// (well-formed UTF-8). Fails with Unsupported when a search exceeds its limit of retries or of its stack.
    Result<void> split(std::string_view text, std::vector<std::string_view>& pieces) const;

private:
    struct Free {
        void operator()(re_pattern_buffer* pattern) const;
    };
    explicit SplitPattern(re_pattern_buffer* pattern)
        : m_pattern(pattern)
    {
    }

    std::unique_ptr<re_pattern_buffer, Free> m_pattern;
};

} // namespace colibri
