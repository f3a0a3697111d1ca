// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/stage_reader.h"

#include <array>

namespace colibri {

namespace {

constexpr std::array<StageWord<PreTokenizer::Prepend>, 3> prependSchemes{{{"always", PreTokenizer::Prepend::Always},
    {"first", PreTokenizer::Prepend::First}, {"never", PreTokenizer::Prepend::Never}}};

} // namespace

/// "prepend_scheme", or "add_prefix_space" in files from before it.
Result<PreTokenizer::Prepend> StageReader::prependScheme(const JsonValue& stage, const std::string& part) const
{
    const JsonValue* const value = stage.find("prepend_scheme");
    const auto space = flag(stage, part, "add_prefix_space", true);
    if (!space)
        return space.error();
    if (!value || value->isNull())
        return *space ? PreTokenizer::Prepend::Always : PreTokenizer::Prepend::Never;
    const PreTokenizer::Prepend* const known = findStageWord(prependSchemes, value);
    if (!known)
        return failed(Errc::Malformed, *value,
            part + ".prepend_scheme is " + shortText(*value) + ", it must be always, first or never");
    if (!*space && *known != PreTokenizer::Prepend::Never)
        return failed(Errc::Mismatch, *value,
            part + ".prepend_scheme is " + shortText(*value) + ", but add_prefix_space is false");
    return *known;
}

Result<PreTokenizer::Metaspace> StageReader::metaspace(const JsonValue& stage, const std::string& part) const
{
    auto replacement = text(stage, part, "replacement", 1, 4);
    if (!replacement)
        return replacement.error();
    const auto prepend = prependScheme(stage, part);
    if (!prepend)
        return prepend.error();
    return PreTokenizer::Metaspace{std::move(*replacement), *prepend};
}

} // namespace colibri
