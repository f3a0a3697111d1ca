// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/modelreport.h"

#include "models/parttext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <map>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ModelReport)
};

struct Dimension {
    const char* label;
    const char* rule; ///< its name among ModelConfig::origins
    std::uint32_t ModelConfig::*value;
};
constexpr Dimension dimensions[]{
    {QT_TRANSLATE_NOOP("ModelReport", "Layers"), "num_layers", &ModelConfig::numLayers},
    {QT_TRANSLATE_NOOP("ModelReport", "First layers without experts"), "dense_layers", &ModelConfig::denseLayers},
    {QT_TRANSLATE_NOOP("ModelReport", "Hidden size"), "hidden_size", &ModelConfig::hiddenSize},
    {QT_TRANSLATE_NOOP("ModelReport", "Attention heads"), "num_attention_heads", &ModelConfig::numHeads},
    {QT_TRANSLATE_NOOP("ModelReport", "Key-value heads"), "num_key_value_heads", &ModelConfig::numKvHeads},
    {QT_TRANSLATE_NOOP("ModelReport", "Head size"), "head_dim", &ModelConfig::headDim},
    {QT_TRANSLATE_NOOP("ModelReport", "Value size of a head"), "value_head_dim", &ModelConfig::valueDim},
    {QT_TRANSLATE_NOOP("ModelReport", "Query rank"), "q_lora_rank", &ModelConfig::queryRank},
    {QT_TRANSLATE_NOOP("ModelReport", "Latent key-value rank"), "kv_lora_rank", &ModelConfig::latentRank},
    {QT_TRANSLATE_NOOP("ModelReport", "Sliding window (tokens)"), "sliding_window", &ModelConfig::slidingWindow},
    {QT_TRANSLATE_NOOP("ModelReport", "Experts of a layer"), "num_experts", &ModelConfig::numExperts},
    {QT_TRANSLATE_NOOP("ModelReport", "Experts of a token"), "num_active_experts", &ModelConfig::numActiveExperts},
    {QT_TRANSLATE_NOOP("ModelReport", "Expert width"), "moe_intermediate_size", &ModelConfig::expertFfnSize},
    {QT_TRANSLATE_NOOP("ModelReport", "Shared expert width"), "shared_ffn_size", &ModelConfig::sharedFfnSize},
    {QT_TRANSLATE_NOOP("ModelReport", "Width of layers without experts"), "intermediate_size",
        &ModelConfig::denseFfnSize},
    {QT_TRANSLATE_NOOP("ModelReport", "Vocabulary"), "vocab_size", &ModelConfig::vocabSize},
    {QT_TRANSLATE_NOOP("ModelReport", "Output values"), "output_size", &ModelConfig::outputSize},
    {QT_TRANSLATE_NOOP("ModelReport", "Context (tokens)"), "max_seq_len", &ModelConfig::maxSeqLen},
};

Cell text(std::string_view value)
{
    return {displayName(value)};
}

/// The last part of a path, which is the tool tip.
Cell fileName(std::string_view path)
{
    return {displayName(path.substr(path.rfind('/') + 1)), {}, displayName(path)}; // npos + 1 is 0
}

Cell count(std::uint64_t value)
{
    return Cell::number(groupedText(value), value);
}

Cell shortCount(std::uint64_t value)
{
    return Cell::number(countText(value), value, groupedText(value));
}

Cell bytes(std::uint64_t value)
{
    return Cell::number(bytesText(value), value, exactBytes(value));
}

Cell share(std::uint64_t part, std::uint64_t whole)
{
    const double value = whole > 0 ? double(part) / double(whole) : 0;
    const QString text = value > 0 && value < 0.0005 ? Words::tr("< 0.1 %")
                                                     : Words::tr("%1 %").arg(QLocale().toString(100 * value, 'f', 1));
    return {text, QVariant(value), {}, value};
}

/// A dimension that follows from another one says so, but when that one states it.
QString originOf(const ModelConfig& config, std::string_view name, std::uint32_t value)
{
    auto found = std::ranges::find(config.origins, name, &RuleOrigin::rule);
    if (found == config.origins.end() && name == "head_dim") // with latent attention, as GGUF states it: whole
        found = std::ranges::find_if(config.origins, [value](const RuleOrigin& rule) {
            return rule.rule == "qk_nope_head_dim" && rule.value == std::to_string(value);
        });
    return found == config.origins.end() ? Words::tr("follows from other dimensions") : originText(*found);
}

PartSum sumOf(const ModelFacts& model, const std::vector<std::uint32_t>& tensors)
{
    PartSum sum;
    for (const std::uint32_t tensor : tensors) {
        ++sum.tensors;
        sum.parameters += elementsOf(model.tensors[tensor]);
        sum.bytes += model.tensors[tensor].size;
    }
    return sum;
}

std::vector<Cell> sumRow(const QString& title, const PartSum& sum, std::uint64_t whole)
{
    return {{title}, count(sum.tensors), shortCount(sum.parameters), bytes(sum.bytes), share(sum.bytes, whole)};
}

std::uint64_t allBytes(const ModelFacts& model)
{
    std::uint64_t sum = 0;
    for (const TensorInfo& tensor : model.tensors)
        sum += tensor.size;
    return sum;
}

/// Tensors of a layer, or of one of its experts when `expert` >= 0.
std::vector<std::uint32_t> tensorsIn(const ModelFacts& model, int layer, int expert)
{
    std::vector<std::uint32_t> found;
    for (std::uint32_t tensor = 0; tensor < model.parts.size(); ++tensor) {
        const TensorPart& part = model.parts[tensor];
        if (part.layer == layer && (expert < 0 || part.expert == expert))
            found.push_back(tensor);
    }
    return found;
}

/// Tensors of a layer that hold all of its experts.
std::vector<std::uint32_t> stackedIn(const ModelFacts& model, int layer)
{
    std::vector<std::uint32_t> found = tensorsIn(model, layer, -1);
    std::erase_if(found, [&](std::uint32_t tensor) {
        return model.parts[tensor].kind != PartKind::Expert || model.parts[tensor].expert >= 0;
    });
    return found;
}

/// Names of what tensors share, each once, in order: of their types or their files.
template <class Name>
Cell listed(const ModelFacts& model, const std::vector<std::uint32_t>& tensors, Name name)
{
    constexpr qsizetype most = 3;
    std::map<std::uint32_t, QString> names;
    for (const std::uint32_t tensor : tensors)
        names.insert(name(model.tensors[tensor]));
    QStringList first;
    for (const auto& [number, one] : names) {
        if (first.size() < most)
            first << one;
    }
    const QString joined = first.join(QStringLiteral(", "));
    const auto rest = static_cast<qsizetype>(names.size()) - first.size();
    return {rest > 0 ? Words::tr("%1 and %2 more").arg(joined).arg(rest) : joined};
}

CellRows sumFacts(const ModelFacts& model, const std::vector<std::uint32_t>& tensors)
{
    const PartSum sum = sumOf(model, tensors);
    const auto type = [](const TensorInfo& tensor) {
        return std::pair(std::uint32_t(tensor.dtype), displayName(typeName(tensor)));
    };
    const auto file = [&](const TensorInfo& tensor) { return std::pair(tensor.file, fileText(model, tensor.file)); };
    return {{{Words::tr("Tensors")}, count(sum.tensors)}, {{Words::tr("Parameters")}, count(sum.parameters)},
        {{Words::tr("Size")}, bytes(sum.bytes)}, {{Words::tr("Share")}, share(sum.bytes, allBytes(model))},
        {{Words::tr("Stored as")}, listed(model, tensors, type)}, {{Words::tr("Files")}, listed(model, tensors, file)}};
}

PartReport tensorReport(const ModelFacts& model, std::uint32_t at)
{
    const TensorInfo& tensor = model.tensors[at];
    const TensorPart& part = model.parts[at];
    const auto offset = [](std::uint64_t value) {
        return Cell::number(QStringLiteral("%1  0x%2").arg(groupedText(value)).arg(value, 0, 16), value);
    };
    PartReport report;
    report.title = shortName(tensor.name, part);
    report.facts = {{{Words::tr("Name")}, text(tensor.name)}, {{Words::tr("Part")}, {partText(part)}}};
    if (tensor.nameOnly) {
        report.facts.insert(report.facts.end(),
            {{{Words::tr("File")}, {fileText(model, tensor.file)}},
                {{Words::tr("Missing")}, {Words::tr("the file that says type, shape and place is not readable")}}});
        return report;
    }
    if (tensor.missing > 0)
        report.facts.push_back({{Words::tr("Missing")}, {missingText(tensor)}});
    const CellRows placed{{{Words::tr("Type")}, text(typeName(tensor))},
        {{Words::tr("Shape")}, {shapeText(tensor.shape)}}, {{Words::tr("Elements")}, count(elementsOf(tensor))},
        {{Words::tr("Layout")}, text(name(tensor.layout))}, {{Words::tr("Size")}, bytes(tensor.size)},
        {{Words::tr("File")}, {fileText(model, tensor.file)}}, {{Words::tr("First byte")}, offset(tensor.offset)},
        {{Words::tr("End")}, offset(tensor.offset + tensor.size)},
        {{Words::tr("Alignment")}, Cell::number(alignmentText(tensor.offset), alignmentOf(tensor.offset))},
        {{Words::tr("Checksum")},
            {tensor.xxh64 ? Words::tr("xxh64 %1").arg(*tensor.xxh64, 16, 16, QLatin1Char('0')) : Words::tr("none")}}};
    report.facts.insert(report.facts.end(), placed.begin(), placed.end());
    if (const auto elementBytes = scaleBytes(tensor.dtype, tensor.shape); elementBytes && *elementBytes > 0)
        report.facts.insert(report.facts.end() - 5, {{Words::tr("Of it scales")}, bytes(*elementBytes)});
    return report;
}

PartReport expertReport(const ModelFacts& model, int layer, int expert)
{
    std::vector<std::uint32_t> tensors = tensorsIn(model, layer, expert);
    const bool stacked = tensors.empty();
    if (stacked)
        tensors = stackedIn(model, layer);
    PartReport report;
    if (tensors.empty())
        return report;
    report.title = stacked ? Words::tr("Layer %1, all experts").arg(layer)
                           : Words::tr("Layer %1, expert %2").arg(layer).arg(expert);
    report.facts = sumFacts(model, tensors);
    for (const std::uint32_t at : tensors) {
        const TensorInfo& tensor = model.tensors[at];
        const QString holds = QStringLiteral("%1  %2").arg(displayName(typeName(tensor)), shapeOf(tensor));
        report.contents.push_back(
            {{shortName(tensor.name, model.parts[at]), {}, displayName(tensor.name)}, bytes(tensor.size), {holds}});
    }
    return report;
}

PartReport layerReport(const ModelFacts& model, int layer)
{
    const std::vector<std::uint32_t> tensors = tensorsIn(model, layer, -1);
    PartReport report;
    if (tensors.empty())
        return report;
    report.title = Words::tr("Layer %1").arg(layer);
    report.facts = sumFacts(model, tensors);
    if (model.understood)
        report.facts.push_back({{Words::tr("Experts")},
            {Words::tr("%1, %2 active").arg(model.config.numExperts).arg(model.config.numActiveExperts)}});
    std::array<std::vector<std::uint32_t>, partKindCount> byKind;
    for (const std::uint32_t tensor : tensors)
        byKind[static_cast<std::size_t>(model.parts[tensor].kind)].push_back(tensor);
    for (std::size_t kind = 0; kind < partKindCount; ++kind) {
        if (byKind[kind].empty())
            continue;
        const PartSum sum = sumOf(model, byKind[kind]);
        report.contents.push_back({{kindText(static_cast<PartKind>(kind))}, bytes(sum.bytes),
            {Words::tr("tensors: %1").arg(groupedText(sum.tensors))}});
    }
    return report;
}

/// Of a model that cannot be run.
CellRows inspectedRows(const ModelFacts& model)
{
    std::uint64_t missing = 0;
    for (const TensorInfo& tensor : model.tensors)
        missing += tensor.missing;
    CellRows rows{{{Words::tr("Path")}, text(model.path)}, {{Words::tr("Format")}, text(model.format)},
        {{Words::tr("Architecture")},
            {model.architecture.empty() ? Words::tr("not stated") : displayName(model.architecture)}},
        {{Words::tr("Can be run")}, {Words::tr("no")}}, {{Words::tr("Parameters")}, shortCount(model.parameters)},
        {{Words::tr("Size of tensors")}, bytes(allBytes(model))}};
    if (missing > 0)
        rows.push_back({{Words::tr("Of it missing")}, bytes(missing)});
    return rows;
}

} // namespace

CellRows overviewRows(const ModelFacts& model)
{
    if (model.refused)
        return inspectedRows(model);
    const auto yes = [](bool is) { return Cell{is ? Words::tr("yes") : Words::tr("none")}; };
    const QString table = Words::tr("yes, a row for each %1").arg(QString::fromUtf8(name(model.config.tableIndex)));
    return {{{Words::tr("Path")}, text(model.path)}, {{Words::tr("Format")}, text(model.format)},
        {{Words::tr("Architecture")}, text(name(model.config.architecture))}, {{Words::tr("Model id")}, text(model.id)},
        {{Words::tr("Parameters")}, shortCount(model.parameters)},
        {{Words::tr("Used by a token")}, shortCount(model.activeParameters)},
        {{Words::tr("Mapped")}, bytes(model.mappedBytes)}, {{Words::tr("Copied to align")}, bytes(model.copiedBytes)},
        {{Words::tr("Tokenizer")}, yes(model.hasTokenizer)}, {{Words::tr("Router")}, yes(model.hasRouter)},
        {{Words::tr("Routing table")}, model.hasTable ? Cell{table} : yes(false)}};
}

CellRows dimensionRows(const ModelFacts& model)
{
    CellRows rows;
    if (!model.understood)
        return rows;
    for (const Dimension& dimension : dimensions) {
        if (const std::uint32_t value = model.config.*dimension.value; value > 0)
            rows.push_back(
                {{Words::tr(dimension.label)}, count(value), {originOf(model.config, dimension.rule, value)}});
    }
    return rows;
}

CellRows kindRows(const ModelFacts& model)
{
    const auto sums = sumsByKind(model.tensors, model.parts);
    const std::uint64_t whole = allBytes(model);
    CellRows rows;
    PartSum all;
    for (std::size_t kind = 0; kind < partKindCount; ++kind) {
        if (sums[kind].tensors == 0)
            continue;
        rows.push_back(sumRow(kindText(static_cast<PartKind>(kind)), sums[kind], whole));
        all = {all.tensors + sums[kind].tensors, all.parameters + sums[kind].parameters, all.bytes + sums[kind].bytes};
    }
    if (!rows.empty())
        rows.push_back(sumRow(Words::tr("All"), all, whole));
    return rows;
}

CellRows typeRows(const ModelFacts& model)
{
    std::array<PartSum, dtypeCount> sums{};
    for (const TensorInfo& tensor : model.tensors) {
        PartSum& sum = sums[static_cast<std::size_t>(tensor.dtype)];
        sum = {sum.tensors + 1, sum.parameters + elementsOf(tensor), sum.bytes + tensor.size};
    }
    const std::uint64_t whole = allBytes(model);
    CellRows rows;
    for (std::size_t dtype = 0; dtype < sums.size(); ++dtype) {
        if (sums[dtype].tensors > 0)
            rows.push_back(sumRow(QString::fromUtf8(name(static_cast<DType>(dtype))), sums[dtype], whole));
    }
    return rows;
}

CellRows fileRows(const ModelFacts& model)
{
    std::vector<PartSum> sums(model.files.size());
    for (const TensorInfo& tensor : model.tensors) {
        if (tensor.file < sums.size())
            sums[tensor.file] = {sums[tensor.file].tensors + 1, 0, sums[tensor.file].bytes + tensor.size};
    }
    CellRows rows;
    for (std::uint32_t file = 0; file < model.files.size(); ++file)
        rows.push_back({{fileText(model, file), {}, displayName(model.files[file].path)},
            model.files[file].missing ? Cell{Words::tr("missing")} : bytes(model.files[file].size),
            count(sums[file].tensors), bytes(sums[file].bytes)});
    return rows;
}

CellRows ruleRows(const ModelFacts& model)
{
    CellRows rows;
    for (const RuleOrigin& rule : model.config.origins)
        rows.push_back({text(rule.rule), text(rule.value), {originText(rule)}, {ruleMeaning(rule.rule)}});
    return rows;
}

CellRows metadataRows(const ModelFacts& model, const QString& filter)
{
    const QStringList words = filter.split(u' ', Qt::SkipEmptyParts);
    CellRows rows;
    for (const MetadataEntry& entry : model.metadata) {
        const QString key = displayName(entry.key);
        const QString value = displayName(entry.value);
        const bool fits = std::ranges::all_of(words, [&](const QString& word) {
            return key.contains(word, Qt::CaseInsensitive) || value.contains(word, Qt::CaseInsensitive);
        });
        if (fits)
            rows.push_back({{key}, {value}, text(entry.type), fileName(entry.file), count(entry.offset)});
    }
    return rows;
}

PartReport partReport(const ModelFacts& model, const Selection& selection)
{
    if (selection.tensor >= 0) {
        const bool known = static_cast<std::size_t>(selection.tensor) < model.tensors.size();
        return known ? tensorReport(model, static_cast<std::uint32_t>(selection.tensor)) : PartReport{};
    }
    if (selection.layer < 0)
        return {};
    if (selection.expert >= 0)
        return expertReport(model, layerOfIndex(model, selection.layer), selection.expert);
    return layerReport(model, layerOfIndex(model, selection.layer));
}

QString plainText(const PartReport& report)
{
    QString lines = report.title + u'\n';
    for (const CellRows* rows : {&report.facts, &report.contents}) {
        for (const std::vector<Cell>& row : *rows) {
            QStringList cells;
            for (const Cell& cell : row)
                cells << cell.text;
            lines += cells.join(u'\t') + u'\n';
        }
    }
    return lines;
}

} // namespace colibri
