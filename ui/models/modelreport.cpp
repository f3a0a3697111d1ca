// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/modelreport.h"

#include "models/modelcells.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

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

/// The last part of a path, which is the tool tip.
Cell fileName(std::string_view path)
{
    return {displayName(path.substr(path.rfind('/') + 1)), {}, displayName(path)}; // npos + 1 is 0
}

/// A dimension that is not stated follows from others.
QString originOf(const ModelConfig& config, std::string_view name)
{
    const auto found = std::ranges::find(config.origins, name, &RuleOrigin::rule);
    return found == config.origins.end() ? Words::tr("follows from other dimensions") : originText(*found);
}

std::vector<Cell> sumRow(const QString& title, const PartSum& sum, std::uint64_t whole)
{
    return {{title}, countCell(sum.tensors), parametersCell(sum), sizeCell(sum), shareCell(sum, whole)};
}

/// Of a model that cannot be run.
CellRows inspectedRows(const ModelFacts& model)
{
    std::uint64_t missing = 0;
    for (const TensorInfo& tensor : model.tensors)
        missing += tensor.missingBytes;
    const PartSum all = sumOfAll(model);
    CellRows rows{{{Words::tr("Path")}, textCell(model.path)}, {{Words::tr("Format")}, textCell(model.format)},
        {{Words::tr("Architecture")},
            {model.architecture.empty() ? Words::tr("not stated") : displayName(model.architecture)}},
        {{Words::tr("Can be run")}, {Words::tr("no")}}, {{Words::tr("Parameters")}, parametersCell(all)},
        {{Words::tr("Size of tensors")}, sizeCell(all)}};
    if (missing > 0)
        rows.push_back({{Words::tr("Of it missing")}, bytesCell(missing)});
    if (all.sizeless > 0)
        rows.push_back({{Words::tr("Tensors of unknown size")}, countCell(all.sizeless)});
    return rows;
}

} // namespace

CellRows overviewRows(const ModelFacts& model)
{
    if (model.refused)
        return inspectedRows(model);
    const auto yes = [](bool is) { return Cell{is ? Words::tr("yes") : Words::tr("none")}; };
    const QString table = Words::tr("yes, a row for each %1").arg(QString::fromUtf8(name(model.config.tableIndex)));
    return {{{Words::tr("Path")}, textCell(model.path)}, {{Words::tr("Format")}, textCell(model.format)},
        {{Words::tr("Architecture")}, textCell(name(model.config.architecture))},
        {{Words::tr("Model id")}, textCell(model.id)}, {{Words::tr("Parameters")}, shortCountCell(model.parameters)},
        {{Words::tr("Used by a token")}, shortCountCell(model.activeParameters)},
        {{Words::tr("Mapped")}, bytesCell(model.mappedBytes)},
        {{Words::tr("Copied to align")}, bytesCell(model.copiedBytes)},
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
            rows.push_back({{Words::tr(dimension.label)}, countCell(value), {originOf(model.config, dimension.rule)}});
    }
    return rows;
}

CellRows kindRows(const ModelFacts& model)
{
    const auto sums = sumsByKind(model.tensors, model.parts);
    CellRows rows;
    const PartSum all = sumOfAll(model);
    for (std::size_t kind = 0; kind < partKindCount; ++kind) {
        if (sums[kind].tensors == 0)
            continue;
        rows.push_back(sumRow(kindText(static_cast<PartKind>(kind)), sums[kind], all.bytes));
    }
    if (!rows.empty())
        rows.push_back(sumRow(Words::tr("All"), all, all.bytes));
    return rows;
}

CellRows typeRows(const ModelFacts& model)
{
    std::array<PartSum, dtypeCount> sums{};
    for (const TensorInfo& tensor : model.tensors)
        sums[static_cast<std::size_t>(tensor.dtype)] += sumOf(tensor);
    const std::uint64_t whole = sumOfAll(model).bytes;
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
            sums[tensor.file] += sumOf(tensor);
    }
    CellRows rows;
    for (std::uint32_t file = 0; file < model.files.size(); ++file)
        rows.push_back({{fileText(model, file), {}, displayName(model.files[file].path)},
            model.files[file].absent ? Cell{Words::tr("missing")} : bytesCell(model.files[file].size),
            countCell(sums[file].tensors), sizeCell(sums[file])});
    return rows;
}

CellRows ruleRows(const ModelFacts& model)
{
    CellRows rows;
    for (const RuleOrigin& rule : model.config.origins)
        rows.push_back({textCell(rule.rule), textCell(rule.value), {originText(rule)}, {ruleMeaning(rule.rule)}});
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
            rows.push_back({{key}, {value}, textCell(entry.type), fileName(entry.file), countCell(entry.offset)});
    }
    return rows;
}

} // namespace colibri
