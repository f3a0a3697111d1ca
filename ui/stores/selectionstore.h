// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <vector>

namespace colibri {

/// What is looked at: a place in a run, a place in the model, or both; -1: not chosen. What the details show is the
/// first of tensor, token, expert and layer that is chosen.
struct Selection {
    int token = -1; ///< position
    int layer = -1;
    int rank = -1; ///< among the chosen experts of that token and layer
    int expert = -1; ///< id
    int tensor = -1; ///< index into ModelFacts::tensors

    bool operator==(const Selection&) const = default;
};

/// The one selection of the window, with the way back: every view follows it and sets it.
class SelectionStore : public QObject {
    Q_OBJECT

public:
    /// Changes that follow each other faster are one step back: walking with the keys is one visit.
    static constexpr int visitMs = 400;
    static constexpr std::size_t visitLimit = 200;

    using QObject::QObject;

    const Selection& selection() const { return m_selection; }
    void select(const Selection& selection);
    void clear() { select({}); }

    bool canGoBack() const { return !m_back.empty(); }
    bool canGoForward() const { return !m_forward.empty(); }
    void goBack();
    void goForward();
    void forget(); ///< another model: what was selected is no more, nor is the way back

signals:
    void changed();
    void historyChanged();

private:
    void show(const Selection& selection);

    Selection m_selection;
    std::vector<Selection> m_back; ///< newest last
    std::vector<Selection> m_forward; ///< nearest last
    QElapsedTimer m_sinceChange;
};

} // namespace colibri
