// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "views/run/tokenreport.h"

#include <QWidget>

#include <array>
#include <optional>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QToolButton;

namespace colibri {

class RouterBars;
class ValueLabel;

/// Everything known of the selected token in the selected layer, with its router logits as bars.
class TokenDetails : public QWidget {
    Q_OBJECT

public:
    /// Both stores outlive the widget.
    TokenDetails(const RunStore& run, SelectionStore& selection, QWidget* parent = nullptr);

    const std::optional<TokenReport>& report() const { return m_report; } ///< what is shown; empty: nothing
    BarOrder order() const;

public slots:
    void copyText() const;
    void copyCsv() const;

private:
    enum Field { Token, Id, Bytes, Position, Time, Experts, Margin, FieldCount };
    QWidget* makeEmpty();
    QWidget* makeFacts();
    QWidget* makeBarHeader();
    void refresh(); ///< makes the report of what is selected, if that can be
    void show();
    void chooseLayer(int layer);

    const RunStore& m_run;
    SelectionStore& m_selection;
    std::optional<TokenReport> m_report;
    QStackedWidget* m_pages;
    QPushButton* m_newest;
    QLabel* m_hint;
    std::array<ValueLabel*, FieldCount> m_fields{};
    QSpinBox* m_layer;
    QComboBox* m_order;
    QLabel* m_logitState;
    RouterBars* m_bars;
    QLabel* m_legend; ///< of the bars
};

} // namespace colibri
