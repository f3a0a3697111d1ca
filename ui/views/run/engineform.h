// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/engine_options.h"

#include <QWidget>

#include <array>

class QComboBox;
class QFormLayout;
class QSpinBox;
class QToolButton;

namespace colibri {

/// Engine options of the next run in a form that folds away; folded, one line says what differs from the defaults.
class EngineForm : public QWidget {
    Q_OBJECT

public:
    explicit EngineForm(QWidget* parent = nullptr);

    EngineOptions options() const; ///< threads 0: all cores but one
    void setOptions(const EngineOptions& options);
    bool isFolded() const;
    void setFolded(bool folded);
    /// "reproducible" or "scalar, f16 cache, 2 threads": numerics, then what differs from the defaults.
    static QString summary(const EngineOptions& options);

public slots:
    void resetToDefaults();

signals:
    void changed();

private:
    enum Choice { NumericsChoice, IsaChoice, ActivationsChoice, KvChoice, BreakerChoice, ChoiceCount };
    enum Number { Threads, Batch, Context, NumberCount };
    QWidget* makeFields();
    void addChoices(QFormLayout* form);
    void addNumbers(QFormLayout* form);
    void update();

    QToolButton* m_fold;
    QWidget* m_fields = nullptr;
    std::array<QComboBox*, ChoiceCount> m_choices{};
    std::array<QSpinBox*, NumberCount> m_numbers{};
};

} // namespace colibri
