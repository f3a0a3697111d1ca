// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/latencymodel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

QString threeDigits(double value, const QString& unit = {})
{
    const double size = std::abs(value);
    const int decimals = size > 0 ? std::clamp(2 - int(std::floor(std::log10(size))), 0, 4) : 0;
    return QString::number(value, 'f', decimals) + unit;
}

/// Counts up to 9,999 as they are, larger ones with three digits and a prefix of the SI.
QString countText(double value)
{
    constexpr std::pair<double, const char*> prefixes[]{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
    for (const auto& [scale, prefix] : prefixes) {
        if (value >= scale && value >= 1e4)
            return threeDigits(value / scale, QLatin1String(prefix));
    }
    return value == std::floor(value) ? QString::number(value, 'f', 0) : QString::number(value, 'f', 1);
}

bool isStage(Quantity quantity)
{
    return quantity >= Quantity::Attention && quantity <= Quantity::Other;
}

} // namespace

std::array<LatencyModel::Figures, quantityCount> LatencyModel::empty()
{
    std::array<Figures, quantityCount> figures{};
    for (Figures& row : figures)
        row.fill(unknown);
    return figures;
}

LatencyModel::Figures LatencyModel::figuresOf(
    const LatencyStats& stats, const LatencyStats& kept, Phase phase, Quantity quantity)
{
    Figures figures;
    figures.fill(unknown);
    const Distribution& values = stats.of(phase, quantity);
    const double scale = isTime(quantity) ? 1e-6 : 1;
    if (values.count() > 0) {
        figures[Mean] = values.mean() * scale;
        figures[Largest] = double(values.largest()) * scale;
        figures[Least] = double(values.least()) * scale;
        if (values.count() > 1)
            figures[Deviation] = values.deviation() * scale;
        for (std::size_t i = 0; i < std::size(shownPercentiles); ++i) {
            if (const auto value = values.percentile(shownPercentiles[i]))
                figures[P50 + i] = double(*value) * scale;
        }
    }
    if (isStage(quantity) && stats.wholeNs(phase) > 0)
        figures[Share] =
            100 * stats.stageNs(phase, Stage(int(quantity) - int(Quantity::Attention))) / stats.wholeNs(phase);
    if (const auto median = kept.of(phase, quantity).percentile(500)) {
        figures[Kept] = double(*median) * scale;
        if (*median > 0)
            figures[Ratio] = figures[P50] / figures[Kept];
    }
    return figures;
}

void LatencyModel::show(const LatencyStats& stats, const LatencyStats& kept, Phase phase, const QString& counterNote)
{
    m_counterNote = counterNote;
    for (std::size_t row = 0; row < quantityCount; ++row) {
        m_figures[row] = figuresOf(stats, kept, phase, Quantity(row));
        m_counts[row] = stats.of(phase, Quantity(row)).count();
    }
    emit dataChanged(index(0, Mean), index(int(quantityCount) - 1, ColumnCount - 1));
}

int LatencyModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(quantityCount);
}

int LatencyModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString LatencyModel::missingText(Quantity quantity, int column) const
{
    const std::uint64_t count = m_counts[std::size_t(quantity)];
    if (column == Kept || column == Ratio)
        return tr("No run is kept beside this one, or it has no such steps.");
    if (column == Share)
        return tr("Stages alone have a share of the time of the steps.");
    if (count == 0 && quantity >= Quantity::CacheMisses && !m_counterNote.isEmpty())
        return m_counterNote;
    if (column < P50 || column > P999 || count == 0)
        return tr("Not measured yet.");
    const unsigned perMille = shownPercentiles[column - P50];
    return tr("P%1 needs %2 values, there are %3: with fewer it would be the largest one.")
        .arg(perMille / 10., 0, 'g', 4)
        .arg(samplesFor(perMille))
        .arg(count);
}

QVariant LatencyModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto quantity = static_cast<Quantity>(index.row());
    if (role == Qt::TextAlignmentRole)
        return int((index.column() <= Unit ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (index.column() <= Unit) {
        if (role != Qt::DisplayRole)
            return {};
        static const char* const names[quantityCount]{QT_TR_NOOP("Step"), QT_TR_NOOP("Attention"), QT_TR_NOOP("Router"),
            QT_TR_NOOP("Experts"), QT_TR_NOOP("Head"), QT_TR_NOOP("Sampling"), QT_TR_NOOP("Other"),
            QT_TR_NOOP("Waiting"), QT_TR_NOOP("Jitter"), QT_TR_NOOP("Minor faults"), QT_TR_NOOP("Major faults"),
            QT_TR_NOOP("Cache misses"), QT_TR_NOOP("Branch misses")};
        return index.column() == What ? tr(names[index.row()]) : isTime(quantity) ? tr("ms/tok") : tr("/step");
    }
    const double value = m_figures[std::size_t(index.row())][std::size_t(index.column())];
    if (std::isnan(value))
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("\u2013"))
            : role == Qt::ToolTipRole  ? QVariant(missingText(quantity, index.column()))
            : role == Qt::EditRole     ? QVariant(QString())
                                       : QVariant();
    if (role == Qt::EditRole)
        return value;
    if (role != Qt::DisplayRole)
        return {};
    if (index.column() == Share)
        return QString(QString::number(value, 'f', 1) + QStringLiteral(" %"));
    if (index.column() == Ratio)
        return QString(QString::number(value, 'f', 2) + QStringLiteral("\u00d7"));
    return isTime(quantity) ? threeDigits(value) : countText(value);
}

QVariant LatencyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section <= Unit ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    struct Header {
        const char* name;
        const char* tip;
    };
    static const Header headers[ColumnCount]{
        {QT_TR_NOOP("Quantity"),
            QT_TR_NOOP("Times are those of a token: a step's time divided by its tokens. Counts are those of a step. "
                       "Jitter is how much a step differs from the one before it.")},
        {QT_TR_NOOP("Unit"), QT_TR_NOOP("Unit of the row")},
        {QT_TR_NOOP("Mean"), QT_TR_NOOP("Arithmetic mean of all steps")},
        {QT_TR_NOOP("P50"), QT_TR_NOOP("Median, by nearest rank; from 2 steps on")},
        {QT_TR_NOOP("P90"), QT_TR_NOOP("90 of 100 steps are not above it; from 10 steps on")},
        {QT_TR_NOOP("P99"), QT_TR_NOOP("99 of 100 steps are not above it; from 100 steps on")},
        {QT_TR_NOOP("P99.9"), QT_TR_NOOP("999 of 1,000 steps are not above it; from 1,000 steps on")},
        {QT_TR_NOOP("Max"), QT_TR_NOOP("Largest value")},
        {QT_TR_NOOP("Share"), QT_TR_NOOP("Share of the stage in the time of all steps")},
        {QT_TR_NOOP("Kept"), QT_TR_NOOP("Median of the run kept beside this one")},
        {QT_TR_NOOP("Ratio"), QT_TR_NOOP("P50 of this run over that of the kept one; above 1 is slower or more")},
        {QT_TR_NOOP("Std"), QT_TR_NOOP("Standard deviation of the steps")},
        {QT_TR_NOOP("Min"), QT_TR_NOOP("Smallest value")},
    };
    return role == Qt::DisplayRole ? QVariant(tr(headers[section].name))
        : role == Qt::ToolTipRole  ? QVariant(tr(headers[section].tip))
                                   : QVariant();
}

} // namespace colibri
