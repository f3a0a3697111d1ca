// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/partreport.h"

#include "models/modelcells.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ModelReport)
};

PartSum sumOf(const ModelFacts& model, const std::vector<std::uint32_t>& tensors)
{
    PartSum sum;
    for (const std::uint32_t tensor : tensors)
        sum += sumOf(model.tensors[tensor]);
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
    return {rest > 0 ? Words::tr("%1 and %2 more").arg(joined, QString::number(rest)) : joined};
}

CellRows sumFacts(const ModelFacts& model, const std::vector<std::uint32_t>& tensors)
{
    const PartSum sum = sumOf(model, tensors);
    const auto type = [](const TensorInfo& tensor) {
        return std::pair(std::uint32_t(tensor.dtype), displayName(typeName(tensor)));
    };
    const auto file = [&](const TensorInfo& tensor) { return std::pair(tensor.file, fileText(model, tensor.file)); };
    return {{{Words::tr("Tensors")}, countCell(sum.tensors)},
        {{Words::tr("Parameters")}, parametersCell(sum, groupedText)}, {{Words::tr("Size")}, sizeCell(sum)},
        {{Words::tr("Share")}, shareCell(sum, sumOfAll(model).bytes)},
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
    report.facts = {{{Words::tr("Name")}, textCell(tensor.name)}, {{Words::tr("Part")}, {partText(part)}}};
    if (tensor.presence == Presence::NameOnly) {
        report.facts.insert(report.facts.end(),
            {{{Words::tr("File")}, {fileText(model, tensor.file)}},
                {{Words::tr("Missing")}, {Words::tr("the file that says type, shape and place is not readable")}}});
        return report;
    }
    if (tensor.presence != Presence::Whole)
        report.facts.push_back({{Words::tr("Missing")}, {missingText(tensor)}});
    const auto add = [&](const CellRows& rows) { report.facts.insert(report.facts.end(), rows.begin(), rows.end()); };
    add({{{Words::tr("Type")}, textCell(typeName(tensor))}, {{Words::tr("Shape")}, {shapeText(tensor.shape)}},
        {{Words::tr("Elements")}, countCell(elementsOf(tensor))},
        {{Words::tr("Layout")}, textCell(name(tensor.layout))}, {{Words::tr("Size")}, sizeCell(sumOf(tensor))}});
    if (const auto elementBytes = scaleBytes(tensor.dtype, tensor.shape); elementBytes && *elementBytes > 0)
        add({{{Words::tr("Of it scales")}, bytesCell(*elementBytes)}});
    add({{{Words::tr("File")}, {fileText(model, tensor.file)}}, {{Words::tr("First byte")}, offset(tensor.offset)},
        {{Words::tr("End")}, hasSize(tensor) ? offset(tensor.offset + tensor.size) : Cell{Words::tr("unknown")}},
        {{Words::tr("Alignment")}, Cell::number(alignmentText(tensor.offset), alignmentOf(tensor.offset))},
        {{Words::tr("Checksum")},
            {tensor.xxh64 ? Words::tr("xxh64 %1").arg(*tensor.xxh64, 16, 16, QLatin1Char('0')) : Words::tr("none")}}});
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
        report.contents.push_back({{shortName(tensor.name, model.parts[at]), {}, displayName(tensor.name)},
            sizeCell(sumOf(tensor)), {holds}});
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
        report.contents.push_back({{kindText(static_cast<PartKind>(kind))}, sizeCell(sum),
            {Words::tr("tensors: %1").arg(groupedText(sum.tensors))}});
    }
    return report;
}

} // namespace

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
