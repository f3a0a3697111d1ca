// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/normalizer.h"

namespace colibri {

namespace {

Result<std::string> applied(NormalizationForm form, std::string text)
{
    return normalized(text, form);
}

Result<std::string> applied(const Normalizer::Prepend& step, std::string text)
{
    return text.empty() ? text : step.text + text;
}

Result<std::string> applied(const Normalizer::Replace& step, std::string text)
{
    std::vector<SplitPart> parts;
    if (auto done = step.pattern.find(text, parts); !done)
        return done.error();
    std::string result;
    result.reserve(text.size());
    for (const SplitPart& part : parts)
        result += part.match ? std::string_view(step.content) : part.text;
    return result;
}

} // namespace

Result<std::string> Normalizer::apply(std::string_view text) const
{
    std::string result(text);
    for (const Step& step : m_steps) {
        auto next = std::visit([&](const auto& of) { return applied(of, std::move(result)); }, step);
        if (!next)
            return next;
        result = std::move(*next);
    }
    return result;
}

} // namespace colibri
