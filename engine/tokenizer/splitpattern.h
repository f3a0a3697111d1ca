// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

struct re_pattern_buffer; // Oniguruma's compiled pattern

namespace colibri {

/// Where a match goes when a text is cut at it, with the names that tokenizer.json has.
enum class SplitBehavior : std::uint8_t { Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous };

/// A stretch of a text: a match, or what lies between two.
struct SplitPart {
    std::string_view text;
    bool match = false;
};

/// A compiled pattern in Oniguruma's syntax, or a plain text to look for. Immutable; any thread.
class SplitPattern {
public:
    enum class Kind : std::uint8_t { Regex, Literal };

    /// Fails with Malformed on a pattern that is none, `why` being Oniguruma's reason.
    static Result<SplitPattern> compile(std::string_view pattern, Kind kind = Kind::Regex);

    /// Appends the matches and the stretches between them, in order and without empty ones, as views of `text`
    /// (well-formed UTF-8). Fails with Unsupported when a search exceeds its limit of retries or of its stack.
    Result<void> find(std::string_view text, std::vector<SplitPart>& parts) const;

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

/// Appends the pieces that `parts`, which lie side by side, become. Views go from part to part, no text is copied.
void cut(const std::vector<SplitPart>& parts, SplitBehavior behavior, std::vector<std::string_view>& pieces);

} // namespace colibri
