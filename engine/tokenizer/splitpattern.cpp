// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/splitpattern.h"

#include "tokenizer/unicode_standins.h"
#include "tokenizer/utf8.h"

#include <oniguruma.h>

namespace colibri {

namespace {

constexpr unsigned long maxRetriesInMatch = 10'000'000;
constexpr unsigned long maxRetriesInSearch = 50'000'000;
constexpr unsigned int maxStackEntries = 2'000'000;
constexpr std::size_t maxPatternBytes = 65'536;

const OnigUChar* pointer(std::string_view text)
{
    return reinterpret_cast<const OnigUChar*>(text.data());
}

std::string reason(int code, OnigErrorInfo* info)
{
    OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
    const int size = onig_error_code_to_str(text, code, info);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

/// Prepares the library once, whichever thread comes first.
int initialized()
{
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    static const int code = onig_initialize(encodings, 1);
    return code;
}

/// What one search needs, made for one call of split().
class Search {
public:
    Search()
    {
        onig_initialize_match_param(m_limits.get());
        onig_set_retry_limit_in_match_of_match_param(m_limits.get(), maxRetriesInMatch);
        onig_set_retry_limit_in_search_of_match_param(m_limits.get(), maxRetriesInSearch);
        onig_set_match_stack_limit_size_of_match_param(m_limits.get(), maxStackEntries);
    }

    /// The first match at or after `from`, as its offset; ONIG_MISMATCH or an error's code when negative.
    int next(OnigRegex pattern, std::string_view text, std::size_t from)
    {
        const OnigUChar* const end = pointer(text) + text.size();
        return onig_search_with_param(
            pattern, pointer(text), end, pointer(text) + from, end, m_region.get(), ONIG_OPTION_NONE, m_limits.get());
    }
    std::size_t matchEnd() const { return static_cast<std::size_t>(m_region->end[0]); }

private:
    struct FreeRegion {
        void operator()(OnigRegion* region) const { onig_region_free(region, 1); }
    };
    std::unique_ptr<OnigRegion, FreeRegion> m_region{onig_region_new()};
    std::unique_ptr<OnigMatchParam, decltype(&onig_free_match_param)> m_limits{
        onig_new_match_param(), &onig_free_match_param};
};

} // namespace

void SplitPattern::Free::operator()(re_pattern_buffer* pattern) const
{
    onig_free(pattern);
}

Result<SplitPattern> SplitPattern::compile(std::string_view pattern, Kind kind)
{
    const auto failed = [](std::string why) {
        return Error{Errc::Malformed, "compile the pattern", {}, {}, std::move(why)};
    };
    if (initialized() != ONIG_NORMAL)
        return failed("the pattern library does not start: " + reason(initialized(), nullptr));
    if (pattern.empty() || pattern.size() > maxPatternBytes)
        return failed("it has " + std::to_string(pattern.size()) + " bytes, 1 to " + std::to_string(maxPatternBytes)
            + " are allowed");
    OnigRegex compiled = nullptr;
    OnigErrorInfo info{};
    OnigSyntaxType* const syntax = kind == Kind::Regex ? ONIG_SYNTAX_ONIGURUMA : ONIG_SYNTAX_ASIS;
    const int code = onig_new(&compiled, pointer(pattern), pointer(pattern) + pattern.size(), ONIG_OPTION_NONE,
        ONIG_ENCODING_UTF8, syntax, &info);
    if (code != ONIG_NORMAL)
        return failed(reason(code, &info));
    return SplitPattern(compiled);
}

Result<void> SplitPattern::find(std::string_view text, std::vector<SplitPart>& parts) const
{
    const auto replaced = withStandIns(text);
    const std::string_view searched = replaced ? *replaced : text;
    Search search;
    std::size_t done = 0; // end of the last part
    const auto upTo = [&](std::size_t at, bool match) {
        if (at > done)
            parts.push_back({text.substr(done, at - done), match});
        done = at;
    };
    std::size_t from = 0;
    while (from < text.size()) {
        const int begin = search.next(m_pattern.get(), searched, from);
        if (begin == ONIG_MISMATCH)
            break;
        if (begin < 0)
            return Error{Errc::Unsupported, "split the text", {}, {},
                "the pre-tokenizer's pattern gives up: " + reason(begin, nullptr)};
        upTo(static_cast<std::size_t>(begin), false);
        upTo(search.matchEnd(), true);
        from = done;
        if (search.matchEnd() == static_cast<std::size_t>(begin)
            && from < text.size()) // an empty match: step over one character
            from += utf8Step(text.substr(from)).size;
    }
    upTo(text.size(), false);
    return {};
}

void cut(const std::vector<SplitPart>& parts, SplitBehavior behavior, std::vector<std::string_view>& pieces)
{
    const std::size_t first = pieces.size();
    const SplitPart* last = nullptr;
    for (const SplitPart& part : parts) {
        const bool joins = last
            && ((behavior == SplitBehavior::MergedWithPrevious && part.match && !last->match)
                || (behavior == SplitBehavior::MergedWithNext && last->match && !part.match)
                || (behavior == SplitBehavior::Contiguous && part.match == last->match));
        if (behavior == SplitBehavior::Removed && part.match)
            continue;
        if (joins && pieces.size() > first)
            pieces.back() = {pieces.back().data(), pieces.back().size() + part.text.size()};
        else
            pieces.push_back(part.text);
        last = &part;
    }
}

} // namespace colibri
