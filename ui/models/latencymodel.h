// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/latencystats.h"

#include <QAbstractTableModel>
#include <QString>

#include <array>

namespace colibri {

/// The figures of a phase as a table: a row for each quantity, its mean, spread, percentiles, largest and share, and
/// the median of the run kept beside. The rows are always the same; a figure that is not known is a dash that says why
/// in its tooltip.
class LatencyModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { What, Unit, Mean, P50, P90, P99, P999, Largest, Share, Kept, Ratio, Deviation, Least, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// Copies the figures; `kept` may be empty. `counterNote` says why misses are not counted.
    void show(const LatencyStats& stats, const LatencyStats& kept, Phase phase, const QString& counterNote);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    /// EditRole: the number itself, in the unit of the row; an empty text when it is not known.
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    using Figures = std::array<double, ColumnCount>; ///< NaN: not known
    QString missingText(Quantity quantity, int column) const;

    std::array<Figures, quantityCount> m_figures = empty();
    std::array<std::uint64_t, quantityCount> m_counts{};
    QString m_counterNote;

    static std::array<Figures, quantityCount> empty();
    static Figures figuresOf(const LatencyStats& stats, const LatencyStats& kept, Phase phase, Quantity quantity);
};

} // namespace colibri
