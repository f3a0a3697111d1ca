// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"

#include <QWidget>

#include <array>

class QHBoxLayout;
class QLabel;

namespace colibri {

class ElidedLabel;

/// The live figures of a run as texts; a figure that is not known yet is a dash, one that has nothing to report is
/// empty.
struct FigureTexts {
    QString state; ///< in a sentence; the error when the run failed
    QString madeWith; ///< engine options of a saved run; empty: it was made here
    bool failed = false;
    QString tokens; ///< "16 + 34"
    QString prefill; ///< "812 tok/s"
    QString decode;
    QString last; ///< time of the newest step of one token
    QString gap; ///< timing events that were dropped
    QString breaker; ///< values that were not finite
};
FigureTexts figuresOf(const RunStore& run);

/// One line of figures, each of a fixed width so that nothing jumps. Where it is narrow, the last ones are left out.
class RunFigures : public QWidget {
    Q_OBJECT

public:
    /// The store outlives the widget.
    explicit RunFigures(const RunStore& run, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum Figure { Tokens, Prefill, Decode, Last, FigureCount };
    void addFigures(QHBoxLayout& line);
    void refresh();
    void tint(); ///< once for each scheme: styles cache by palette, and one made at each refresh fills that cache

    const RunStore& m_run;
    ElidedLabel* m_state;
    std::array<QLabel*, FigureCount> m_figures{};
    QLabel* m_gap;
    QLabel* m_breaker;
};

} // namespace colibri
