// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_json.h"

#include "cli/weight_kinds.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>

namespace colibri::cli {
namespace {

Json tensorJson(const Inspection& inspection, const TensorInfo& tensor)
{
    return {{"name", tensor.name}, {"kind", name(kindOf(tensor.name))}, {"dtype", typeName(tensor)},
        {"shape", tensor.shape}, {"layout", name(tensor.layout)}, {"file", inspection.files[tensor.file].path},
        {"offset", tensor.offset}, {"size", tensor.size}, {"alignment", alignmentOf(tensor)},
        {"missing", tensor.missing}, {"name_only", tensor.nameOnly}};
}

Json dimensionsJson(const ModelConfig& config)
{
    Json json = Json::object();
    for (const Dimension& dimension : inspectedDimensions)
        json[dimension.key] = config.*dimension.value;
    return json;
}

Json bytesJson(std::span<const TensorInfo> tensors)
{
    Json json = Json::object();
    const auto bytes = bytesByKind(tensors);
    for (std::size_t kind = 0; kind < bytes.size(); ++kind)
        json[std::string(name(static_cast<WeightKind>(kind)))] = bytes[kind];
    return json;
}

Json tokenizerJson(const Model& model)
{
    const ModelConfig& config = model.config();
    return {{"present", model.hasTokenizer()},
        {"begin_of_text", config.beginOfText ? Json(*config.beginOfText) : Json(nullptr)},
        {"end_of_text", config.endOfText}};
}

void addConfig(const ModelConfig& config, Json& json)
{
    Json rules = Json::array();
    for (const RuleOrigin& rule : config.origins)
        rules.push_back({{"rule", rule.rule}, {"value", rule.value}, {"origin", name(rule.origin)}, {"key", rule.key}});
    json["architecture"] = name(config.architecture);
    json["dimensions"] = dimensionsJson(config);
    json["rules"] = std::move(rules);
    json["unused_keys"] = config.unusedKeys;
}

/// What is known of a model that can be run.
void addModel(const Model& model, Json& json)
{
    json["parameters"] = {{"total", model.parameters()}, {"active", model.activeParameters()}};
    json["tokenizer"] = tokenizerJson(model);
    json["table"] = {{"present", model.hasTable()},
        {"index", model.hasTable() ? Json(name(model.config().tableIndex)) : Json(nullptr)},
        {"router_logits", model.hasRouterLogits()}};
    json["router"] = model.hasRouter();
    json["model_id"] = model.id();
    json["engine"] = engineJson(model);
}

} // namespace

std::uint64_t alignmentOf(const TensorInfo& tensor)
{
    constexpr std::uint64_t page = 4096;
    return tensor.offset == 0 ? page : std::min(page, std::uint64_t{1} << std::countr_zero(tensor.offset));
}

std::map<std::string, std::uint64_t> bytesByType(std::span<const TensorInfo> tensors)
{
    std::map<std::string, std::uint64_t> bytes;
    for (const TensorInfo& tensor : tensors)
        bytes[std::string(typeName(tensor))] += tensor.size;
    return bytes;
}

Json inspectJson(const Inspection& inspection)
{
    Json files = Json::array();
    for (const FileInfo& file : inspection.files)
        files.push_back({{"path", file.path}, {"size", file.size}, {"missing", file.missing}});
    Json tensors = Json::array();
    for (const TensorInfo& tensor : inspection.tensors)
        tensors.push_back(tensorJson(inspection, tensor));
    Json metadata = Json::array();
    for (const MetadataEntry& entry : inspection.metadata)
        metadata.push_back({{"key", entry.key}, {"type", entry.type}, {"value", entry.value}, {"file", entry.file},
            {"offset", entry.offset}});
    Json json{{"path", inspection.path}, {"format", inspection.format}, {"architecture", inspection.architecture},
        {"runs", inspection.model != nullptr},
        {"refused", inspection.refused ? Json(inspection.refused->message()) : Json(nullptr)},
        {"bytes", bytesJson(inspection.tensors)}, {"dtypes", bytesByType(inspection.tensors)},
        {"files", std::move(files)}, {"metadata", std::move(metadata)}, {"tensors", std::move(tensors)},
        {"notes", inspection.notes}};
    if (inspection.config)
        addConfig(*inspection.config, json);
    if (inspection.model)
        addModel(*inspection.model, json);
    return json;
}

} // namespace colibri::cli
