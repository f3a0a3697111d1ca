// SPDX-License-Identifier: Apache-2.0
#include "format/export_config.h"

#include "format/colibri_layout.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace colibri {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const JsonValue& value)
{
    return std::visit(
        []<class T>(const T& data) -> Json {
            if constexpr (std::is_same_v<T, JsonValue::Array>) {
                Json array = Json::array();
                for (const JsonValue& one : data)
                    array.push_back(toJson(one));
                return array;
            } else if constexpr (std::is_same_v<T, JsonValue::Object>) {
                Json object = Json::object();
                for (const JsonValue::Member& member : data)
                    object[member.key] = toJson(member.value);
                return object;
            } else {
                return data;
            }
        },
        value.data);
}

/// On one line. Bytes that are no UTF-8 (a folder's name may have them) become U+FFFD.
std::string dumped(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string timeText(std::int64_t time)
{
    const auto seconds = static_cast<std::time_t>(time);
    std::tm parts = {};
    std::array<char, 64> text{};
    if (!gmtime_r(&seconds, &parts))
        return {};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// The last component of the source's path; no more of it, since an export is passed on.
std::string baseName(const std::string& path)
{
    std::error_code failed;
    auto whole = std::filesystem::weakly_canonical(path, failed);
    if (failed)
        whole = path;
    return whole.filename().native();
}

Json sourceObject(const WriteRequest& request)
{
    Json options = Json::object();
    for (const auto& [option, value] : request.options)
        options[option] = value;
    return {{"name", baseName(request.source->path)}, {"format", request.source->format}, {"tool", "colibri"},
        {"version", request.toolVersion}, {"time", timeText(request.time)}, {"options", std::move(options)}};
}

Json tensorObject(const WrittenTensor& tensor)
{
    const TensorInfo& info = tensor.info;
    return {{"name", info.name}, {"file", tensor.file}, {"offset", info.offset}, {"size", info.size},
        {"dtype", name(info.dtype)}, {"shape", info.shape}, {"layout", name(info.layout)},
        {"xxh64", checksumText(info.xxh64.value_or(0))}};
}

void addSanity(Json& root, const std::vector<SanityEntry>& entries)
{
    Json sanity = Json::array();
    for (const SanityEntry& entry : entries)
        sanity.push_back({{"layer", entry.layer}, {"token", entry.token}, {"experts", entry.experts}});
    if (!sanity.empty())
        root[std::string(key::sanity)] = std::move(sanity);
}

void addTable(Json& root, const WriteRequest& request)
{
    const ModelSource& source = *request.source;
    const auto add = [&root](std::uint32_t layers, std::uint32_t rows, std::uint32_t k, TableIndex index) {
        root[std::string(key::routerTable)] = {
            {"file", routerTableFileName}, {"layers", layers}, {"rows", rows}, {"k", k}};
        root[std::string(key::index)] = name(index);
    };
    if (const auto& plan = request.table)
        add(plan->layers, plan->rows, plan->k, TableIndex::Token);
    else if (const auto& table = source.table)
        add(table->layers, table->rows, table->k, table->index);
    if (const auto logits = logitSizes(request))
        root[std::string(key::routerLogits)] = {{"file", routerLogitsFileName}, {"layers", logits->layers},
            {"rows", logits->rows}, {"experts", logits->experts}};
    if (request.table)
        addSanity(root, sanityEntries(*request.table));
    else if (source.table)
        addSanity(root, sanityEntries(source, *source.table));
}

} // namespace

std::optional<RouterLogits> logitSizes(const WriteRequest& request)
{
    if (const auto& plan = request.table)
        return RouterLogits{0, plan->layers, plan->rows, plan->experts};
    return request.source->routerLogits;
}

std::string exportConfigText(const WriteRequest& request, const std::vector<WrittenTensor>& tensors)
{
    Json root = {{key::format, colibriFormatName}, {key::version, colibriVersion}};
    if (const JsonValue::Object* const config = request.config.object())
        for (const JsonValue::Member& member : *config)
            if (std::ranges::find(writerKeys, member.key) == writerKeys.end())
                root[member.key] = toJson(member.value);
    addTable(root, request);
    root[std::string(key::source)] = sourceObject(request);

    std::string text = "{\n";
    for (const auto& [member, value] : root.items())
        text += "  " + dumped(member) + ": " + dumped(value) + ",\n";
    text += "  \"" + std::string(key::tensors) + "\": [";
    for (std::size_t i = 0; i < tensors.size(); ++i)
        text += (i ? ",\n    " : "\n    ") + dumped(tensorObject(tensors[i]));
    return text + "\n  ]\n}\n";
}

} // namespace colibri
