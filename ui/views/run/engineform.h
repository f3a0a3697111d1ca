// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/engine_options.h"
#include "views/run/foldingform.h"

#include <array>

class QComboBox;
class QSpinBox;

namespace colibri {

/// Engine options of the next run; folded, what differs from the defaults.
class EngineForm : public FoldingForm {
    Q_OBJECT

public:
    explicit EngineForm(QWidget* parent = nullptr);

    EngineOptions options() const; ///< threads 0: all cores but one
    void setOptions(const EngineOptions& options);
    /// "reproducible" or "scalar, f16 cache, threads 2": numerics, then what differs from the defaults.
    static QString summary(const EngineOptions& options) { return parts(options).join(QStringLiteral(", ")); }
    /// Of the model in tokens; 0: no model. Says what the context is unless another is asked for.
    void setModelContext(std::uint32_t tokens);
    std::uint32_t context() const; ///< that a run gets, in tokens; 0: not known

public slots:
    void resetToDefaults();

private:
    enum Choice { NumericsChoice, IsaChoice, ActivationsChoice, KvChoice, BreakerChoice, ChoiceCount };
    enum Number { Threads, Batch, Context, NumberCount };
    static QStringList parts(const EngineOptions& options);
    void addChoices();
    void addNumbers();
    void refresh();

    std::array<QComboBox*, ChoiceCount> m_choices{};
    std::array<QSpinBox*, NumberCount> m_numbers{};
    std::uint32_t m_modelContext = 0;
};

} // namespace colibri
