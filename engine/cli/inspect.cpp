// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/inspect_json.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/weight_kinds.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace colibri::cli {
namespace {

struct InspectArguments {
    std::string model;
    OpenOptions open{LoadMode::Lazy, {}};
    bool json = false;
};

std::string dimensionLines(const Inspection& inspection)
{
    std::string text = "\nDimensions\n";
    if (const ModelPtr& model = inspection.model)
        text += fmt::format("  {:<22}{} ({} active for a token)\n", "parameters", countText(model->parameters()),
            countText(model->activeParameters()));
    for (const Dimension& dimension : inspectedDimensions)
        if (const std::uint32_t value = (*inspection.config).*dimension.value; value != 0)
            text += fmt::format("  {:<22}{}\n", dimension.label, value);
    return text;
}

std::string byteLines(const Inspection& inspection)
{
    std::string text = "\nBytes\n";
    const auto bytes = bytesByKind(inspection.tensors);
    for (std::size_t kind = 0; kind < bytes.size(); ++kind)
        if (bytes[kind] > 0)
            text += fmt::format("  {:<22}{}\n", name(static_cast<WeightKind>(kind)), sizeText(bytes[kind]));
    for (const auto& [type, size] : bytesByType(inspection.tensors))
        text += fmt::format("  {:<22}{}\n", "stored as " + type, sizeText(size));
    if (const std::uint64_t missing = missingBytes(inspection.tensors))
        text += fmt::format("  {:<22}{}\n", "of that missing", sizeText(missing));
    return text;
}

std::string ruleLines(const ModelConfig& config)
{
    std::string text = "\nRules, and where each is from\n";
    for (const RuleOrigin& rule : config.origins)
        text += fmt::format("  {:<28}{:<22}{}{}\n", rule.rule, rule.value, name(rule.origin),
            rule.key.empty() ? "" : " (" + rule.key + ")");
    if (!config.unusedKeys.empty())
        text += fmt::format("  keys that no rule reads: {}\n", fmt::join(config.unusedKeys, ", "));
    return text;
}

std::string metadataLines(const Inspection& inspection)
{
    std::string text = fmt::format("\nMetadata ({})\n", inspection.metadata.size());
    std::string file;
    for (const MetadataEntry& entry : inspection.metadata) {
        if (entry.file != file)
            text += "  of " + entry.file + "\n";
        file = entry.file;
        text += fmt::format("  {:<44}{:<18}{}\n", entry.key, entry.type, entry.value);
    }
    return text;
}

/// What stands behind a tensor that is not there as a whole.
std::string missingText(const TensorInfo& tensor)
{
    switch (tensor.presence) {
    case Presence::NameOnly:
        return "  its file is not readable, the index has the name only";
    case Presence::Absent:
        return "  missing";
    case Presence::Cut:
        return fmt::format("  cut, {} bytes missing", tensor.missingBytes);
    default:
        return {};
    }
}

std::string tensorLine(const TensorInfo& tensor)
{
    const bool placed = tensor.presence != Presence::NameOnly;
    const auto number = [](bool known, std::uint64_t value) { return known ? std::to_string(value) : "-"; };
    return fmt::format("  {:<56}{:<8}{:<18}{:>4}{:>14}{:>12}{:>7}{}\n", tensor.name, typeName(tensor),
        placed ? fmt::format("[{}]", fmt::join(tensor.shape, ", ")) : "-", tensor.file, number(placed, tensor.offset),
        number(hasSize(tensor), tensor.size), number(placed, alignmentOf(tensor.offset)), missingText(tensor));
}

std::string fileLines(const Inspection& inspection)
{
    std::string text = fmt::format("\nFiles ({})\n", inspection.files.size());
    for (const FileInfo& file : inspection.files)
        text += fmt::format("  {:<12}{}\n", file.absent ? "missing" : sizeText(file.size), file.path);
    text += fmt::format("\nTensors ({})\n  {:<56}{:<8}{:<18}{:>4}{:>14}{:>12}{:>7}\n", inspection.tensors.size(),
        "name", "dtype", "shape", "file", "offset", "bytes", "align");
    for (const TensorInfo& tensor : inspection.tensors)
        text += tensorLine(tensor);
    return text;
}

std::string headLines(const Inspection& inspection)
{
    std::string text = fmt::format("{}\n  {:<22}{}\n", inspection.path, "format", inspection.format);
    if (!inspection.model)
        return text
            + fmt::format("  {:<22}{}\n  {:<22}{}\n", "architecture", architectureName(inspection), "cannot be run",
                inspection.refused->message());
    const Model& model = *inspection.model;
    text +=
        fmt::format("  {:<22}{}\n  {:<22}{}\n", "architecture", architectureName(inspection), "model id", model.id());
    return text
        + fmt::format("  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n", "tokenizer",
            model.hasTokenizer() ? "yes" : "none", "router", model.hasRouter() ? "yes" : "none", "routing table",
            model.hasTable() ? fmt::format("yes, indexed by {}", name(model.config().tableIndex)) : "none",
            "stored router logits", model.hasRouterLogits() ? "yes, 8 bits each" : "none");
}

std::string inspectText(const Inspection& inspection)
{
    std::string text = headLines(inspection);
    if (inspection.config)
        text += dimensionLines(inspection);
    text += byteLines(inspection);
    if (inspection.config)
        text += ruleLines(*inspection.config);
    text += metadataLines(inspection) + fileLines(inspection);
    for (const std::string& note : inspection.notes)
        text += "\nNote: " + note + "\n";
    return text;
}

Result<Inspection> inspectWithProgress(const InspectArguments& arguments, std::stop_token stop)
{
    OpenProgress progress;
    const ProgressLine line([&progress] { return openingText(progress); });
    return inspectModel(arguments.model, arguments.open, &progress, std::move(stop));
}

Result<int> inspect(const InspectArguments& arguments, std::stop_token stop)
{
    if (arguments.model.empty())
        return missingModel();
    const Result<Inspection> inspection = inspectWithProgress(arguments, std::move(stop));
    if (!inspection)
        return inspection.error();
    if (arguments.json)
        printJson(inspectJson(*inspection));
    else
        print(inspectText(*inspection));
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
