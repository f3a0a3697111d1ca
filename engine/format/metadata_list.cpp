// SPDX-License-Identifier: Apache-2.0
#include "format/metadata_list.h"

#include "format/colibri_layout.h"

#include <charconv>
#include <filesystem>

namespace colibri {
namespace {

constexpr std::size_t mostText = 160;
constexpr std::size_t mostElements = 8;
constexpr std::size_t mostEntries = 4096; ///< of one file of JSON; a configuration has some dozens

std::string numberText(double value)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// A value in words; of an array its first elements and how many there are.
std::string valueText(const JsonValue& value)
{
    if (const std::string* text = value.string())
        return quotedText(*text, mostText);
    if (const bool* flag = value.boolean())
        return *flag ? "true" : "false";
    if (const auto integer = value.unsignedInteger())
        return std::to_string(*integer);
    if (const auto number = value.number())
        return numberText(*number);
    const JsonValue::Array* const array = value.array();
    if (!array)
        return value.isNull() ? "null" : "{}";
    std::string text = "[";
    for (std::size_t i = 0; i < array->size() && i < mostElements; ++i)
        text += (i ? ", " : "") + shortText((*array)[i]);
    if (array->size() <= mostElements)
        return text + "]";
    return text + ", ...] (" + std::to_string(array->size()) + ")";
}

/// Members of an object, those of objects in it behind "name.".
void addObject(const JsonValue& object, const std::string& prefix, const std::string& file, std::size_t limit,
    std::vector<MetadataEntry>& all)
{
    for (const auto& [key, value] : *object.object()) {
        if (all.size() >= limit)
            return;
        if (value.object() && !value.object()->empty())
            addObject(value, prefix + key + ".", file, limit, all);
        else if (!(prefix.empty() && key == key::tensors))
            all.push_back({prefix + key, std::string(value.typeName()), valueText(value), file, value.offset});
    }
}

std::string typeText(const GgufValue& value)
{
    return value.type == GgufType::Array ? "array of " + std::string(name(value.elementType))
                                         : std::string(name(value.type));
}

} // namespace

std::vector<MetadataEntry> listMetadata(const ModelSource& source)
{
    std::vector<MetadataEntry> all;
    for (const GgufEntry& entry : source.metadata)
        all.push_back({std::string(entry.key), typeText(entry.value), describe(entry.value, mostText),
            source.files.front()->path(), entry.value.offset});
    if (source.format == "gguf")
        return all;
    const auto add = [&](const JsonValue& root, const std::string& file) {
        if (root.object())
            addObject(root, {}, file, all.size() + mostEntries, all);
    };
    add(source.config, source.configFile);
    const std::filesystem::path folder = std::filesystem::path(source.configFile).parent_path();
    if (source.generationConfig)
        add(*source.generationConfig, (folder / "generation_config.json").string());
    if (source.tokenizerConfig)
        add(*source.tokenizerConfig, (folder / "tokenizer_config.json").string());
    return all;
}

} // namespace colibri
