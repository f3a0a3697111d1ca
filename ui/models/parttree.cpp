// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/parttree.h"

#include "models/parttext.h"
#include "models/tensorfilter.h"

#include <algorithm>
#include <utility>

namespace colibri {
namespace {

// An order of parts in one number: top (18 bits, from bit 24 on), group (4 bits), expert (17 bits).
constexpr int groupShift = 20;
constexpr int topShift = 24;
constexpr std::uint64_t noLayerFrom = partNumberLimit + 2; ///< tops behind all layers

std::uint64_t topOf(const TensorPart& part)
{
    if (part.layer >= 0)
        return std::uint64_t(part.layer) + 1;
    return part.kind == PartKind::Embedding ? 0 : noLayerFrom + std::uint64_t(part.kind);
}

std::uint64_t placeOf(const TensorPart& part)
{
    return topOf(part) << topShift | std::uint64_t(part.kind) << groupShift | std::uint64_t(part.expert + 1);
}

constexpr std::array<const char*, partKindCount> groupTitles{
    QT_TRANSLATE_NOOP("colibri::PartTree", "Embedding"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Attention"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Norms"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Router"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Experts"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Shared expert"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Dense feed-forward"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Head"),
    QT_TRANSLATE_NOOP("colibri::PartTree", "Other"),
};

} // namespace

void PartTree::setModel(ModelFactsPtr model)
{
    beginResetModel();
    m_model = std::move(model);
    rebuild();
    endResetModel();
}

void PartTree::setFilter(const QString& text)
{
    if (text == m_filter)
        return;
    beginResetModel();
    m_filter = text;
    rebuild();
    endResetModel();
}

void PartTree::rebuild()
{
    m_tensors.clear();
    m_nodes.clear();
    if (!m_model)
        return;
    const TensorFilter filter(*m_model, m_filter);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> placed;
    for (std::uint32_t tensor = 0; tensor < m_model->tensors.size(); ++tensor) {
        if (filter.matchesAll() || filter.matches(tensor))
            placed.emplace_back(placeOf(m_model->parts[tensor]), tensor);
    }
    if (placed.empty())
        return;
    std::ranges::sort(placed);
    for (const auto& [place, tensor] : placed)
        m_tensors.push_back(tensor);
    m_nodes.push_back({0, 0, 0, 0, static_cast<std::uint32_t>(m_tensors.size()), Level::Model, {}});
    for (std::uint32_t node = 0; node < m_nodes.size(); ++node)
        split(node);
    for (std::uint32_t node = nodes() - 1; node > 0; --node) // children come behind their parents
        m_nodes[m_nodes[node].parent].sum += m_nodes[node].sum;
}

void PartTree::split(std::uint32_t node)
{
    const Node whole = m_nodes[node];
    if (whole.level == Level::Tensor) {
        m_nodes[node].sum = sumOf(m_model->tensors[m_tensors[whole.begin]]);
        return;
    }
    const Level level = levelBelow(whole);
    m_nodes[node].firstChild = static_cast<std::uint32_t>(m_nodes.size());
    for (std::uint32_t begin = whole.begin; begin < whole.end;) {
        const std::uint64_t id = idOf(m_tensors[begin], level);
        std::uint32_t end = begin + 1;
        while (end < whole.end && idOf(m_tensors[end], level) == id)
            ++end;
        m_nodes.push_back({node, 0, 0, begin, end, level, {}});
        begin = end;
    }
    m_nodes[node].childCount = static_cast<std::uint32_t>(m_nodes.size()) - m_nodes[node].firstChild;
}

PartTree::Level PartTree::levelBelow(const Node& node) const
{
    switch (node.level) {
    case Level::Model:
        return Level::Top;
    case Level::Top:
        return partOf(node).layer >= 0 ? Level::Group : Level::Tensor;
    case Level::Group:
        return partOf(node).kind == PartKind::Expert ? Level::Expert : Level::Tensor;
    default:
        return Level::Tensor;
    }
}

std::uint64_t PartTree::idOf(std::uint32_t tensor, Level level) const
{
    const std::uint64_t place = placeOf(m_model->parts[tensor]);
    switch (level) {
    case Level::Model:
        return 0;
    case Level::Top:
        return place >> topShift;
    case Level::Group:
        return place >> groupShift;
    case Level::Expert:
        return place;
    case Level::Tensor:
        break;
    }
    return tensor;
}

std::uint32_t PartTree::childOf(std::uint32_t node, std::uint32_t tensor) const
{
    const Node& parent = m_nodes[node];
    if (parent.childCount == 0)
        return 0;
    const auto begin = m_nodes.begin() + parent.firstChild;
    const auto end = begin + parent.childCount;
    const Level level = begin->level;
    const std::uint64_t id = idOf(tensor, level);
    const auto found =
        std::partition_point(begin, end, [&](const Node& child) { return idOf(m_tensors[child.begin], level) < id; });
    if (found == end || idOf(m_tensors[found->begin], level) != id)
        return 0;
    return static_cast<std::uint32_t>(found - m_nodes.begin());
}

QModelIndex PartTree::find(const Selection& selection) const
{
    if (m_nodes.empty())
        return {};
    if (selection.tensor >= 0) {
        if (static_cast<std::size_t>(selection.tensor) >= m_model->tensors.size())
            return {};
        std::uint32_t node = 0;
        while (m_nodes[node].level != Level::Tensor) {
            node = childOf(node, static_cast<std::uint32_t>(selection.tensor));
            if (node == 0)
                return {};
        }
        return indexOf(node);
    }
    if (selection.layer < 0)
        return {};
    const bool expert = selection.expert >= 0;
    const Level level = expert ? Level::Expert : Level::Top;
    const int layer = layerOfIndex(*m_model, selection.layer);
    const TensorPart wanted{expert ? PartKind::Expert : PartKind::Embedding, layer, selection.expert, 0};
    const auto first = std::ranges::partition_point(
        m_tensors, [&](std::uint32_t tensor) { return placeOf(m_model->parts[tensor]) < placeOf(wanted); });
    if (first == m_tensors.end())
        return {};
    const TensorPart& found = m_model->parts[*first];
    if (found.layer != layer || (expert && found.expert != selection.expert))
        return {};
    std::uint32_t node = 0;
    while (m_nodes[node].level != level)
        node = childOf(node, *first);
    return indexOf(node);
}

Selection PartTree::selectionOf(const QModelIndex& index) const
{
    if (!index.isValid())
        return {};
    const Node& node = m_nodes[index.internalId()];
    if (node.level == Level::Model)
        return {};
    const TensorPart& part = partOf(node);
    const bool expertNode = node.level == Level::Expert;
    const bool single = node.end - node.begin == 1 && !expertNode && (node.level != Level::Top || part.layer < 0);
    Selection selection;
    selection.layer = moeIndexOf(*m_model, part.layer);
    if (expertNode || single)
        selection.expert = part.expert;
    if (single)
        selection.tensor = static_cast<int>(m_tensors[node.begin]);
    return selection;
}

QModelIndex PartTree::indexOf(std::uint32_t node, int column) const
{
    const int row = node == 0 ? 0 : static_cast<int>(node - m_nodes[m_nodes[node].parent].firstChild);
    return createIndex(row, column, quintptr(node));
}

QModelIndex PartTree::index(int row, int column, const QModelIndex& parent) const
{
    if (row < 0 || column < 0 || column >= ColumnCount || row >= rowCount(parent))
        return {};
    if (!parent.isValid())
        return createIndex(row, column, quintptr(0));
    return createIndex(row, column, quintptr(m_nodes[parent.internalId()].firstChild) + quintptr(row));
}

QModelIndex PartTree::parent(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == 0)
        return {};
    return indexOf(m_nodes[index.internalId()].parent);
}

int PartTree::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return m_nodes.empty() ? 0 : 1;
    return parent.column() == 0 ? static_cast<int>(m_nodes[parent.internalId()].childCount) : 0;
}

int PartTree::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QString PartTree::title(const Node& node) const
{
    const TensorPart& part = partOf(node);
    switch (node.level) {
    case Level::Model: {
        const std::string& path = m_model->path;
        return displayName(std::string_view(path).substr(path.rfind('/') + 1)); // npos + 1 is 0
    }
    case Level::Top:
        if (part.layer >= 0)
            return tr("Layer %1").arg(part.layer);
        return part.kind == PartKind::Norm ? tr("Final norm") : tr(groupTitles[std::size_t(part.kind)]);
    case Level::Group:
        return tr(groupTitles[std::size_t(part.kind)]);
    case Level::Expert:
        return part.expert < 0 ? tr("All experts") : tr("Expert %1").arg(part.expert);
    case Level::Tensor:
        break;
    }
    const TensorInfo& tensor = m_model->tensors[m_tensors[node.begin]];
    const QString name = shortName(tensor.name, part);
    return missingText(tensor).isEmpty() ? name : QStringLiteral("\u26a0 ") + name;
}

QString PartTree::toolTip(const Node& node) const
{
    if (node.level == Level::Tensor) {
        const TensorInfo& tensor = m_model->tensors[m_tensors[node.begin]];
        return tr("%1\n%2, %3, %4")
            .arg(displayName(tensor.name), displayName(typeName(tensor)), shapeOf(tensor), exactSize(node.sum));
    }
    return tr("%1: %4\ntensors: %2, parameters: %3")
        .arg(title(node), groupedText(node.end - node.begin), exactParameters(node.sum), exactSize(node.sum));
}

QVariant PartTree::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node& node = m_nodes[index.internalId()];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Part ? title(node) : sizeText(node.sum);
    case Qt::EditRole:
        return index.column() == Part ? QVariant(title(node))
            : node.sum.sizeless > 0   ? QVariant(exactSize(node.sum))
                                      : QVariant::fromValue<qulonglong>(node.sum.bytes);
    case Qt::ToolTipRole:
        return toolTip(node);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((index.column() == Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case IdRole:
        return QVariant::fromValue<qulonglong>(
            std::uint64_t(node.level) << 60 | idOf(m_tensors[node.begin], node.level));
    default:
        return {};
    }
}

QVariant PartTree::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return section == Part ? tr("Part") : tr("Size");
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace colibri
