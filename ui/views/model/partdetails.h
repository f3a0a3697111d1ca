// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/partreport.h"
#include "stores/openstore.h"
#include "stores/selectionstore.h"

#include <QWidget>

class QLabel;
class QStackedWidget;

namespace colibri {

class FittedTable;

/// Everything known of the selected tensor, else of the selected expert, else of the selected layer. While hidden it
/// does nothing.
class PartDetails : public QWidget {
    Q_OBJECT

public:
    /// Both stores outlive the widget.
    PartDetails(const OpenStore& open, SelectionStore& selection, QWidget* parent = nullptr);

    const PartReport& report() const { return m_report; }

public slots:
    void copyText() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeReport();
    void refresh();

    const OpenStore& m_open;
    const SelectionStore& m_selection;
    PartReport m_report;
    QStackedWidget* m_pages;
    QLabel* m_hint;
    QLabel* m_title;
    CellTable m_facts;
    CellTable m_contents;
    FittedTable* m_factsView;
    FittedTable* m_contentsView;
};

} // namespace colibri
