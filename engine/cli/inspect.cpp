// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_json.h"
#include "cli/weight_kinds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <map>

namespace colibri::cli {
namespace {

struct InspectArguments {
    std::string model;
    OpenOptions open{LoadMode::Lazy, {}};
    bool json = false;
};

/// A number of the configuration under the name that users know from configuration files.
struct Dimension {
    const char* key;
    const char* label;
    std::uint32_t ModelConfig::*value;
};
constexpr Dimension dimensions[]{
    {"num_layers", "layers", &ModelConfig::numLayers},
    {"hidden_size", "hidden size", &ModelConfig::hiddenSize},
    {"num_heads", "attention heads", &ModelConfig::numHeads},
    {"num_kv_heads", "key-value heads", &ModelConfig::numKvHeads},
    {"head_dim", "head size", &ModelConfig::headDim},
    {"num_experts", "experts of a layer", &ModelConfig::numExperts},
    {"num_active_experts", "experts of a token", &ModelConfig::numActiveExperts},
    {"expert_ffn_size", "expert width", &ModelConfig::expertFfnSize},
    {"vocab_size", "vocabulary", &ModelConfig::vocabSize},
    {"output_size", "output values", &ModelConfig::outputSize},
    {"max_seq_len", "context", &ModelConfig::maxSeqLen},
};

/// The largest power of two that the tensor's place in its file is a multiple of, at most a page.
std::uint64_t alignmentOf(const TensorInfo& tensor)
{
    constexpr std::uint64_t page = 4096;
    return tensor.offset == 0 ? page : std::min(page, std::uint64_t{1} << std::countr_zero(tensor.offset));
}

/// Bytes of the tensors of each dtype, in the order of DType.
std::map<DType, std::uint64_t> bytesByDType(const Model& model)
{
    std::map<DType, std::uint64_t> bytes;
    for (const TensorInfo& tensor : model.tensors())
        bytes[tensor.dtype] += tensor.size;
    return bytes;
}

Json tensorJson(const Model& model, const TensorInfo& tensor)
{
    return {{"name", tensor.name}, {"kind", name(kindOf(tensor.name))}, {"dtype", name(tensor.dtype)},
        {"shape", tensor.shape}, {"layout", name(tensor.layout)}, {"file", model.files()[tensor.file].path},
        {"offset", tensor.offset}, {"size", tensor.size}, {"alignment", alignmentOf(tensor)}};
}

Json dimensionsJson(const ModelConfig& config)
{
    Json json = Json::object();
    for (const Dimension& dimension : dimensions)
        json[dimension.key] = config.*dimension.value;
    return json;
}

Json bytesJson(const Model& model)
{
    Json json = Json::object();
    const auto bytes = bytesByKind(model);
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

Json inspectJson(const Model& model)
{
    Json dtypes = Json::object();
    for (const auto& [dtype, bytes] : bytesByDType(model))
        dtypes[std::string(name(dtype))] = bytes;
    Json rules = Json::array();
    for (const RuleOrigin& rule : model.config().origins)
        rules.push_back({{"rule", rule.rule}, {"value", rule.value}, {"origin", name(rule.origin)}, {"key", rule.key}});
    Json files = Json::array();
    for (const FileInfo& file : model.files())
        files.push_back({{"path", file.path}, {"size", file.size}});
    Json tensors = Json::array();
    for (const TensorInfo& tensor : model.tensors())
        tensors.push_back(tensorJson(model, tensor));
    return {{"path", model.path()}, {"format", model.format()}, {"architecture", name(model.config().architecture)},
        {"dimensions", dimensionsJson(model.config())},
        {"parameters", {{"total", model.parameters()}, {"active", model.activeParameters()}}},
        {"bytes", bytesJson(model)}, {"dtypes", std::move(dtypes)}, {"rules", std::move(rules)},
        {"files", std::move(files)}, {"tensors", std::move(tensors)}, {"tokenizer", tokenizerJson(model)},
        {"table",
            {{"present", model.hasTable()},
                {"index", model.hasTable() ? Json(name(model.config().tableIndex)) : Json(nullptr)}}},
        {"router", model.hasRouter()}, {"notes", std::vector<std::string>(model.notes().begin(), model.notes().end())},
        {"model_id", model.id()}, {"engine", engineJson(model)}};
}

std::string dimensionLines(const Model& model)
{
    std::string text = fmt::format("\n{}\n  {:<22}{} ({} active for a token)\n", "Dimensions", "parameters",
        countText(model.parameters()), countText(model.activeParameters()));
    for (const Dimension& dimension : dimensions)
        if (const std::uint32_t value = model.config().*dimension.value; value != 0)
            text += fmt::format("  {:<22}{}\n", dimension.label, value);
    return text;
}

std::string byteLines(const Model& model)
{
    std::string text = "\nBytes\n";
    const auto bytes = bytesByKind(model);
    for (std::size_t kind = 0; kind < bytes.size(); ++kind)
        if (bytes[kind] > 0)
            text += fmt::format("  {:<22}{}\n", name(static_cast<WeightKind>(kind)), sizeText(bytes[kind]));
    for (const auto& [dtype, size] : bytesByDType(model))
        text += fmt::format("  {:<22}{}\n", fmt::format("stored as {}", name(dtype)), sizeText(size));
    return text;
}

std::string ruleLines(const ModelConfig& config)
{
    std::string text = "\nRules, and where each is from\n";
    for (const RuleOrigin& rule : config.origins)
        text += fmt::format("  {:<28}{:<22}{}{}\n", rule.rule, rule.value, name(rule.origin),
            rule.key.empty() ? "" : " (" + rule.key + ")");
    return text;
}

std::string fileLines(const Model& model)
{
    std::string text = fmt::format("\nFiles ({})\n", model.files().size());
    for (const FileInfo& file : model.files())
        text += fmt::format("  {:<12}{}\n", sizeText(file.size), file.path);
    text += fmt::format("\nTensors ({})\n  {:<56}{:<6}{:<18}{:>4}{:>14}{:>12}{:>7}\n", model.tensors().size(), "name",
        "dtype", "shape", "file", "offset", "bytes", "align");
    for (const TensorInfo& tensor : model.tensors())
        text += fmt::format("  {:<56}{:<6}{:<18}{:>4}{:>14}{:>12}{:>7}\n", tensor.name, name(tensor.dtype),
            fmt::format("[{}]", fmt::join(tensor.shape, ", ")), tensor.file, tensor.offset, tensor.size,
            alignmentOf(tensor));
    return text;
}

std::string inspectText(const Model& model)
{
    std::string text = fmt::format("{}\n  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n", model.path(), "format", model.format(),
        "architecture", name(model.config().architecture), "model id", model.id());
    text += fmt::format("  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n", "tokenizer", model.hasTokenizer() ? "yes" : "none",
        "router", model.hasRouter() ? "yes" : "none", "routing table",
        model.hasTable() ? fmt::format("yes, indexed by {}", name(model.config().tableIndex)) : "none");
    text += dimensionLines(model) + byteLines(model) + ruleLines(model.config()) + fileLines(model);
    for (const std::string& note : model.notes())
        text += "\nNote: " + note + "\n";
    return text;
}

Result<int> inspect(const InspectArguments& arguments, std::stop_token stop)
{
    const Result<OpenedModel> opened = openWithProgress(arguments.model, arguments.open, stop);
    if (!opened)
        return opened.error();
    if (arguments.json)
        printJson(inspectJson(*opened->model));
    else
        print(inspectText(*opened->model));
    return exitDone;
}

} // namespace

Action configureInspect(CLI::App& app)
{
    const auto arguments = std::make_shared<InspectArguments>();
    addModel(app, arguments->model);
    addFlag(app, {"--json", {}, "print one JSON value"}, arguments->json);
    addRawOption(app, arguments->open.raw);
    return [arguments](std::stop_token stop) { return inspect(*arguments, stop); };
}

} // namespace colibri::cli
