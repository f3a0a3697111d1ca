// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/routingstore.h"
#include "views/routing/routingmaps.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace colibri {

enum class Comparison : std::uint8_t { Off, KeptRun, PromptAndAnswer };

/// What the Routing page shows.
struct RoutingChoice {
    Stretch stretch = Stretch::All;
    RoutingMeasure measure = RoutingMeasure::Load;
    Comparison comparison = Comparison::Off;

    /// The stretch that is shown, or from which the other one is subtracted.
    Stretch shownStretch() const { return comparison == Comparison::PromptAndAnswer ? Stretch::Answer : stretch; }
    bool operator==(const RoutingChoice&) const = default;
};

/// The row of choices above the Routing page, with a note at its end.
class RoutingBar : public QWidget {
    Q_OBJECT

public:
    explicit RoutingBar(QWidget* parent = nullptr);

    RoutingChoice choice() const;
    void setNote(const QString& note);

signals:
    void choiceChanged();

private:
    QComboBox* addChoice(const QString& label, const QString& tip, const QStringList& items);

    QComboBox* m_stretch;
    QComboBox* m_measure;
    QComboBox* m_comparison;
    QLabel* m_note;
};

} // namespace colibri
