// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace colibri {

/// A table of figures: fixed rows in the monospaced font. Ctrl+C copies what is selected as CSV (everything when
/// nothing is), the context menu saves it.
class FiguresTable : public QTableView {
    Q_OBJECT

public:
    /// `title` is the accessible name and the name of the file. The model outlives the view.
    FiguresTable(QAbstractItemModel& model, const QString& title, QWidget* parent = nullptr);

    /// Widths in characters, one for each column; what does not fit is scrolled to.
    void setWidths(const QList<int>& characters);
    /// The selected cells row by row, without headers; everything with headers when none is selected.
    QByteArray selectedCsv() const;

private:
    void makeActions(const QString& title);
};

} // namespace colibri
