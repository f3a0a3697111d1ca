// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tensortable.h"

#include "models/parttext.h"
#include "models/tensorfilter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace colibri {
namespace {

/// Bytes of it are missing, and no file tells how many.
bool missesUnknown(const TensorInfo& tensor)
{
    return tensor.presence != Presence::Whole && !hasSize(tensor);
}

/// What a column is sorted by.
using SortKey = std::uint64_t (*)(const TensorInfo&, const TensorPart&);
constexpr std::array<SortKey, TensorTable::ColumnCount + 1> sortKeys{
    [](const TensorInfo&, const TensorPart& part) -> std::uint64_t { return part.nameRank; },
    [](const TensorInfo&, const TensorPart& part) -> std::uint64_t {
        return std::uint64_t(part.kind) << 40 | std::uint64_t(part.layer + 1) << 20 | std::uint64_t(part.expert + 1);
    },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t { return std::uint64_t(tensor.dtype); },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t { return elementsOf(tensor); },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t { return tensor.file; },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t { return tensor.offset; },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t { return tensor.size; },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t { return alignmentOf(tensor.offset); },
    [](const TensorInfo& tensor, const TensorPart&) -> std::uint64_t {
        return missesUnknown(tensor) ? ~std::uint64_t{0} : tensor.missingBytes;
    },
};

struct Heading {
    const char* title;
    const char* toolTip;
    bool number;
};
constexpr std::array<Heading, TensorTable::ColumnCount + 1> headings{{
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Name"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "Name in the files; numbers in names sort as numbers"), false},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Part"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "Part of the model that the name says; sorts by kind, layer, expert"),
        false},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Type"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "How the elements are stored"), false},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Shape"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "Dimensions, outermost first; sorts by the number of elements"),
        true},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "File"), QT_TRANSLATE_NOOP("colibri::TensorTable", "Where it lies"),
        false},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Offset (bytes)"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "First byte in the file, decimal and hexadecimal"), true},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Size"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "Bytes in the file, scales included"), true},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Alignment"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "Largest power of two that divides the offset, at most a page"),
        true},
    {QT_TRANSLATE_NOOP("colibri::TensorTable", "Missing"),
        QT_TRANSLATE_NOOP("colibri::TensorTable", "Bytes that are not there: their file ends early or is missing"),
        true},
}};

/// What the directory of the tensor's file would say and does not.
bool isUnknown(const TensorInfo& tensor, int column)
{
    return (column == TensorTable::Size && !hasSize(tensor))
        || (tensor.presence == Presence::NameOnly
            && (column == TensorTable::Shape || column == TensorTable::Offset || column == TensorTable::Alignment));
}

QVariant exact(const ModelFacts& model, const TensorInfo& tensor, const TensorPart& part, int column)
{
    if (isUnknown(tensor, column) || (missesUnknown(tensor) && column == TensorTable::Missing))
        return TensorTable::tr("unknown");
    switch (column) {
    case TensorTable::Name:
        return QString::fromStdString(tensor.name);
    case TensorTable::Part:
        return partText(part);
    case TensorTable::Type:
        return displayName(typeName(tensor));
    case TensorTable::Shape:
        return exactShape(tensor.shape);
    case TensorTable::File:
        return fileText(model, tensor.file);
    case TensorTable::Offset:
        return QVariant::fromValue<qulonglong>(tensor.offset);
    case TensorTable::Size:
        return QVariant::fromValue<qulonglong>(tensor.size);
    case TensorTable::Alignment:
        return QVariant::fromValue<qulonglong>(alignmentOf(tensor.offset));
    case TensorTable::Missing:
        return QVariant::fromValue<qulonglong>(tensor.missingBytes);
    default:
        return {};
    }
}

} // namespace

void TensorTable::setModel(ModelFactsPtr model)
{
    beginResetModel();
    m_model = std::move(model);
    const auto notWhole = [](const TensorInfo& tensor) { return tensor.presence != Presence::Whole; };
    m_missing = m_model && std::ranges::any_of(m_model->tensors, notWhole);
    std::uint64_t largest = 0;
    for (int i = 0; i < total(); ++i)
        largest = std::max(largest, m_model->tensors[std::size_t(i)].offset);
    m_hexDigits = std::max(4, (static_cast<int>(std::bit_width(largest)) + 3) / 4);
    rebuild();
    endResetModel();
}

void TensorTable::setFilter(const QString& text)
{
    if (text == m_filter)
        return;
    beginResetModel();
    m_filter = text;
    rebuild();
    endResetModel();
}

void TensorTable::sort(int column, Qt::SortOrder order)
{
    if (column == m_column && order == m_order)
        return;
    beginResetModel();
    m_column = column;
    m_order = order;
    rebuild();
    endResetModel();
}

void TensorTable::rebuild()
{
    m_rows.clear();
    if (!m_model)
        return;
    const TensorFilter filter(*m_model, m_filter);
    m_rows.resize(m_model->tensors.size());
    std::iota(m_rows.begin(), m_rows.end(), 0U);
    if (!filter.matchesAll())
        std::erase_if(m_rows, [&](std::uint32_t tensor) { return !filter.matches(tensor); });
    if (m_column >= 0 && m_column < columnCount())
        sortRows();
}

void TensorTable::sortRows()
{
    const SortKey key = sortKeys[static_cast<std::size_t>(m_column)];
    const std::uint64_t flip = m_order == Qt::DescendingOrder ? ~std::uint64_t{0} : 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    keyed.reserve(m_rows.size());
    for (const std::uint32_t tensor : m_rows)
        keyed.emplace_back(key(m_model->tensors[tensor], m_model->parts[tensor]) ^ flip, tensor);
    std::ranges::sort(keyed); // equal keys by tensor, which is what makes it stable
    std::ranges::transform(keyed, m_rows.begin(), [](const auto& one) { return one.second; });
}

int TensorTable::rowOf(int tensor) const
{
    if (tensor < 0)
        return -1;
    const auto found = std::ranges::find(m_rows, static_cast<std::uint32_t>(tensor));
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int TensorTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TensorTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount + (m_missing ? 1 : 0);
}

QString TensorTable::offsetText(std::uint64_t offset) const
{
    return QStringLiteral("%1  0x%2").arg(groupedText(offset)).arg(offset, m_hexDigits, 16, QLatin1Char('0'));
}

QString TensorTable::shown(const TensorInfo& tensor, const TensorPart& part, int column) const
{
    if (isUnknown(tensor, column))
        return exact(*m_model, tensor, part, column).toString();
    switch (column) {
    case Name:
        return missingText(tensor).isEmpty() ? displayName(tensor.name)
                                             : QStringLiteral("\u26a0 ") + displayName(tensor.name);
    case Shape:
        return shapeText(tensor.shape);
    case Offset:
        return offsetText(tensor.offset);
    case Size:
        return bytesText(tensor.size);
    case Alignment:
        return alignmentText(tensor.offset);
    case Missing:
        return missingText(tensor);
    default:
        return exact(*m_model, tensor, part, column).toString();
    }
}

QVariant TensorTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int column = index.column();
    const std::uint32_t at = m_rows[static_cast<std::size_t>(index.row())];
    const TensorInfo& tensor = m_model->tensors[at];
    const TensorPart& part = m_model->parts[at];
    switch (role) {
    case Qt::DisplayRole:
        return shown(tensor, part, column);
    case Qt::EditRole:
        return exact(*m_model, tensor, part, column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            (headings[std::size_t(column)].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == Size && hasSize(tensor))
            return exactBytes(tensor.size);
        if (column == Shape && tensor.presence != Presence::NameOnly)
            return tr("%1 elements").arg(groupedText(elementsOf(tensor)));
        if (const QString missing = missingText(tensor); column == Name && !missing.isEmpty())
            return tr("%1\nmissing: %2").arg(displayName(tensor.name), missing);
        if (column == File && tensor.file < m_model->files.size())
            return displayName(m_model->files[tensor.file].path);
        return shown(tensor, part, column);
    default:
        return {};
    }
}

QVariant TensorTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return orientation == Qt::Vertical && role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    const Heading& heading = headings[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return tr(heading.title);
    case Qt::ToolTipRole:
        return tr(heading.toolTip);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((heading.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

} // namespace colibri
