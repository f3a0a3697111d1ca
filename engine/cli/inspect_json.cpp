// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_json.h"

#include "cli/weight_kinds.h"

#include <nlohmann/json.hpp>

namespace colibri::cli {
namespace {

/// Figures that the files do not tell are null.
Json tensorJson(const Inspection& inspection, const TensorInfo& tensor)
{
    const bool placed = tensor.presence != Presence::NameOnly;
    const auto known = [](bool is, const auto& value) { return is ? Json(value) : Json(nullptr); };
    return {{"name", tensor.name}, {"kind", name(kindOf(tensor.name))}, {"dtype", typeName(tensor)},
        {"shape", known(placed, tensor.shape)}, {"layout", known(placed, name(tensor.layout))},
        {"file", inspection.files[tensor.file].path}, {"offset", known(placed, tensor.offset)},
        {"size", known(hasSize(tensor), tensor.size)}, {"alignment", known(placed, alignmentOf(tensor.offset))},
        {"presence", name(tensor.presence)},
        {"missing_bytes", known(hasSize(tensor) || tensor.presence == Presence::Whole, tensor.missingBytes)}};
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

std::string architectureName(const Inspection& inspection)
{
    return inspection.config ? std::string(name(inspection.config->architecture)) : inspection.architecture;
}

std::uint64_t missingBytes(std::span<const TensorInfo> tensors)
{
    std::uint64_t bytes = 0;
    for (const TensorInfo& tensor : tensors)
        bytes += tensor.missingBytes;
    return bytes;
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
        files.push_back({{"path", file.path}, {"size", file.size}, {"absent", file.absent}});
    Json tensors = Json::array();
    for (const TensorInfo& tensor : inspection.tensors)
        tensors.push_back(tensorJson(inspection, tensor));
    Json metadata = Json::array();
    for (const MetadataEntry& entry : inspection.metadata)
        metadata.push_back({{"key", entry.key}, {"type", entry.type}, {"value", entry.value}, {"file", entry.file},
            {"offset", entry.offset}});
    Json json{{"path", inspection.path}, {"format", inspection.format}, {"architecture", architectureName(inspection)},
        {"runs", inspection.model != nullptr},
        {"refused", inspection.refused ? Json(inspection.refused->message()) : Json(nullptr)},
        {"bytes", bytesJson(inspection.tensors)}, {"dtypes", bytesByType(inspection.tensors)},
        {"missing_bytes", missingBytes(inspection.tensors)}, {"files", std::move(files)},
        {"metadata", std::move(metadata)}, {"tensors", std::move(tensors)}, {"notes", inspection.notes}};
    if (inspection.config)
        addConfig(*inspection.config, json);
    if (inspection.model)
        addModel(*inspection.model, json);
    return json;
}

} // namespace colibri::cli
