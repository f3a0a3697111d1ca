// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/engine_options.h"
#include "views/run/foldingform.h"

#include <array>

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace colibri {

/// What a run may be asked for besides its prompt.
struct SamplingChoice {
    SamplingOptions sampling;
    std::uint32_t maxTokens = 128;
    bool ignoreEndOfText = false; ///< go on after the model has ended its text
};

/// How the next token is drawn and when the run ends.
class SamplingForm : public FoldingForm {
    Q_OBJECT

public:
    explicit SamplingForm(QWidget* parent = nullptr);

    SamplingChoice choice() const;
    void setChoice(const SamplingChoice& choice);
    /// No answer is longer than the context, in tokens; 0: no limit. What was asked for comes back with the room for
    /// it.
    void setContext(std::uint32_t tokens);
    /// "greedy, at most 128" or "temperature 0.80, top-k 40, seed 7, at most 128".
    static QString summary(const SamplingChoice& choice);

public slots:
    void resetToDefaults();

private:
    enum Share { Temperature, TopP, MinP, RepeatPenalty, ShareCount };
    static QStringList parts(const SamplingChoice& choice, bool brief);
    void addShares();
    void addSeed();
    void addEnd();
    void drawSeed(); ///< another random seed
    void refresh(); ///< summary, and which fields have an effect

    std::array<QDoubleSpinBox*, ShareCount> m_shares{};
    QSpinBox* m_topK;
    QLineEdit* m_seed;
    QToolButton* m_newSeed;
    QSpinBox* m_maxTokens;
    int m_askedTokens = 0; ///< also where the context is shorter
    QCheckBox* m_ignoreEnd;
};

} // namespace colibri
