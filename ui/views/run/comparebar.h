// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/rundifference.h"
#include "stores/selectionstore.h"

#include <QWidget>

namespace colibri {

class ElidedButton;
class ElidedLabel;

/// Says where the run and the kept one part, and leads there. Hidden while no run is kept.
class CompareBar : public QWidget {
    Q_OBJECT

public:
    /// The stores outlive the bar. `drop` is shown as a button.
    CompareBar(
        const RunStore& run, const RunStore& kept, SelectionStore& selection, QAction* drop, QWidget* parent = nullptr);

    const RunDifference& difference() const { return m_difference; }

private:
    void restart();
    void extend();
    void show();
    QString tokenText() const;
    QString decisionText() const;

    const RunStore& m_run;
    const RunStore& m_kept;
    SelectionStore& m_selection;
    RunDifference m_difference;
    ElidedLabel* m_what;
    ElidedButton* m_token;
    ElidedButton* m_decision;
};

} // namespace colibri
