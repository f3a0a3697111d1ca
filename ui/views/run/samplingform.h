// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/engine_options.h"

#include <QWidget>

#include <array>

class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace colibri {

/// What a run may be asked for besides its prompt.
struct SamplingChoice {
    SamplingOptions sampling;
    std::uint32_t maxTokens = 128;
};

/// Sampling in a compact form that folds away; folded, one line says what is set.
class SamplingForm : public QWidget {
    Q_OBJECT

public:
    explicit SamplingForm(QWidget* parent = nullptr);

    SamplingChoice choice() const;
    void setChoice(const SamplingChoice& choice);
    bool isFolded() const;
    void setFolded(bool folded);
    /// "greedy, at most 128" or "temperature 0.80, top-k 40, seed 7, at most 128".
    static QString summary(const SamplingChoice& choice);

public slots:
    void resetToDefaults();

signals:
    void changed();

private:
    enum Share { Temperature, TopP, MinP, RepeatPenalty, ShareCount };
    QWidget* makeFields();
    void drawSeed(); ///< another random seed
    void update(); ///< summary, and which fields have an effect

    QToolButton* m_fold;
    QWidget* m_fields = nullptr;
    std::array<QDoubleSpinBox*, ShareCount> m_shares{};
    QSpinBox* m_topK;
    QLineEdit* m_seed;
    QToolButton* m_newSeed;
    QSpinBox* m_maxTokens;
};

} // namespace colibri
