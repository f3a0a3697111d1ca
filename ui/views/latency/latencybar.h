// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/distribution.h"
#include "views/latency/stepfolds.h"

#include <QWidget>

#include <optional>

class QAction;
class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;

namespace colibri {

/// What the Latency page shows.
struct LatencyChoice {
    ShownPhase phase = ShownPhase::Decode;
    bool waiting = false; ///< on top of the time of each step
    std::optional<double> targetMs; ///< a token; empty: no target

    bool operator==(const LatencyChoice&) const = default;
};

/// The row of choices above the Latency page, with the share of steps over the target, the selected step and the files
/// that can be saved.
class LatencyBar : public QWidget {
    Q_OBJECT

public:
    explicit LatencyBar(const QList<QAction*>& exports, QWidget* parent = nullptr);

    LatencyChoice choice() const;
    void setChoice(const LatencyChoice& choice);
    void showOver(const Distribution& steps); ///< how many of them are over the target
    void showSelected(const QString& step); ///< its text in lines, of which the first is seen; empty: none

signals:
    void choiceChanged();

private:
    void addLabelled(const QString& text, QWidget* control, const QString& tip);
    void addSave(const QList<QAction*>& exports);

    QComboBox* m_phase;
    QCheckBox* m_waiting;
    QDoubleSpinBox* m_target;
    QLabel* m_over;
    QLabel* m_selected;
};

} // namespace colibri
