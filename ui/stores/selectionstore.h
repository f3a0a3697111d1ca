// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace colibri {

/// A place in a run; -1: not chosen.
struct Selection {
    int token = -1; ///< position
    int layer = -1;
    int rank = -1; ///< among the chosen experts of that token and layer
    int expert = -1; ///< id

    bool operator==(const Selection&) const = default;
};

/// The one selection of the window: every view follows it and sets it.
class SelectionStore : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const Selection& selection() const { return m_selection; }
    void select(const Selection& selection);
    void clear() { select({}); }

signals:
    void changed();

private:
    Selection m_selection;
};

} // namespace colibri
