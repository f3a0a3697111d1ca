// SPDX-License-Identifier: Apache-2.0
#include "model/config_keys.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace colibri {
namespace {

/// Keys of a config.json that say nothing about what is computed: training, bookkeeping, and what the exports' own
/// readers take.
constexpr std::string_view inertKeys[]{"_name_or_path", "architecture", "architectures", "attention_dropout",
    "auto_map", "checksums", "created", "dtype", "eos_token_id", "bos_token_id", "ep_size", "experts", "format",
    "initializer_range", "initial_context_length", "layout", "model_type", "options", "output_router_logits",
    "pad_token_id", "pretraining_tp", "router_aux_loss_coef", "router_jitter_noise", "router_table", "sanity", "source",
    "tensors", "tool", "torch_dtype", "transformers_version", "unk_token_id", "use_cache", "version"};

} // namespace

std::string valueText(const JsonValue& value)
{
    if (value.isNull())
        return "null";
    if (const bool* flag = value.boolean())
        return *flag ? "true" : "false";
    if (const std::string* text = value.string())
        return *text;
    if (const auto integer = value.unsignedInteger())
        return std::to_string(*integer);
    if (const auto number = value.number())
        return numberText(*number);
    if (const auto* array = value.array())
        return array->empty() ? "[]" : "[...]";
    return "{...}";
}

std::string numberText(double number)
{
    const float value = static_cast<float>(number);
    const bool plain = value == 0 || (std::abs(value) >= 1e-4f && std::abs(value) < 1e9f);
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, value, plain ? std::chars_format::fixed : std::chars_format::scientific)
            .ptr;
    return {text, end};
}

ConfigKeys::ConfigKeys(const ModelSource& source, const ArchitectureSpec& spec)
    : m_source(source)
    , m_spec(spec)
    , m_gguf(source.format == "gguf")
    , m_origins(source.origins)
{
}

FoundKey ConfigKeys::findExactly(std::string_view key) const
{
    if (key.empty())
        return {};
    const JsonValue* value = m_source.config.find(key);
    if (value)
        m_used.emplace(key);
    if (const auto dot = key.find('.'); !value && dot != std::string_view::npos && !m_gguf)
        if (const JsonValue* object = m_source.config.find(key.substr(0, dot)); object && object->object()) {
            value = object->find(key.substr(dot + 1));
            m_used.emplace(key.substr(0, dot));
            m_used.emplace(key);
        }
    return value && !value->isNull() ? FoundKey{value, std::string(key)} : FoundKey{};
}

FoundKey ConfigKeys::find(const KeyNames& names) const
{
    FoundKey first;
    const auto look = [&](std::string_view key) { // at all of them, so that none counts as unused
        FoundKey found = findExactly(key);
        if (!first)
            first = std::move(found);
    };
    if (m_gguf) {
        for (const std::string_view name : names.gguf)
            look(name.empty() ? std::string() : std::string(m_spec.ggufName) + "." + std::string(name));
        return first;
    }
    look(names.name);
    for (const std::string_view name : names.others)
        look(name);
    return first;
}

std::vector<std::string> ConfigKeys::unusedKeys() const
{
    std::vector<std::string> unused;
    const std::string prefix = m_gguf ? std::string(m_spec.ggufName) + "." : std::string();
    const JsonValue::Object none;
    const JsonValue::Object* const all = m_source.config.object();
    for (const auto& [key, value] : all ? *all : none) {
        const bool inert = std::ranges::find(inertKeys, key) != std::end(inertKeys);
        if (!key.starts_with(prefix) || value.isNull() || inert)
            continue;
        if (!m_used.contains(key))
            unused.push_back(key);
        else if (const JsonValue::Object* const members = value.object())
            for (const auto& [member, inner] : *members)
                if (!inner.isNull() && !m_used.contains(key + "." + member))
                    unused.push_back(key + "." + member);
    }
    return unused;
}

Error ConfigKeys::fail(Errc code, const JsonValue* at, std::string why) const
{
    return Error{code, "read the configuration", m_source.configFile, at ? std::optional(at->offset) : std::nullopt,
        std::move(why)};
}

Error ConfigKeys::refuse(const FoundKey& found, std::string_view rule) const
{
    return fail(Errc::OutOfRange, found.value,
        found.key + " is " + valueText(*found.value) + ", it has to be " + std::string(rule));
}

void ConfigKeys::note(std::string rule, std::string value, const FoundKey& found)
{
    note(std::move(rule), std::move(value), found ? Origin::Config : Origin::FamilyDefault);
    if (m_origins.back().key.empty() && m_origins.back().origin == Origin::Config)
        m_origins.back().key = found.key;
}

void ConfigKeys::note(std::string rule, std::string value, Origin origin)
{
    const auto said = [&](const RuleOrigin& one) { return one.rule == rule; };
    if (std::ranges::any_of(m_origins, said))
        return; // a raw reader knows better where it is from
    m_origins.push_back({std::move(rule), std::move(value), origin, {}});
}

Result<FoundKey> ConfigKeys::flag(const KeyNames& names, bool& value) const
{
    FoundKey found = find(names);
    if (!found)
        return found;
    if (!found.value->boolean())
        return fail(Errc::Malformed, found.value,
            found.key + " is a " + std::string(found.value->typeName()) + ", it has to be true or false");
    value = *found.value->boolean();
    return found;
}

Result<FoundKey> ConfigKeys::number(const KeyNames& names, double& value) const
{
    FoundKey found = find(names);
    if (!found)
        return found;
    const auto given = found.value->number();
    if (!given || !std::isfinite(*given))
        return refuse(found, "a number");
    value = *given;
    return found;
}

Result<FoundKey> ConfigKeys::count(const KeyNames& names, std::uint32_t& value, std::uint64_t limit) const
{
    FoundKey found = find(names);
    if (!found)
        return found;
    const auto given = found.value->unsignedInteger();
    if (!given || *given > limit)
        return refuse(found, "an integer up to " + std::to_string(limit));
    value = static_cast<std::uint32_t>(*given);
    return found;
}

Result<FoundKey> ConfigKeys::text(const KeyNames& names, std::string& value) const
{
    FoundKey found = find(names);
    if (!found)
        return found;
    if (!found.value->string())
        return refuse(found, "a text");
    value = *found.value->string();
    return found;
}

void ConfigKeys::renameRule(std::string_view rule, std::string_view as)
{
    for (RuleOrigin& origin : m_origins) {
        if (origin.rule == rule)
            origin.rule = as;
    }
}

} // namespace colibri
