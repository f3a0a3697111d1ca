// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"
#include "stores/runstore.h"

#include <QObject>

class QStatusBar;

namespace colibri {

class ElidedLabel;

/// Model and memory in the status bar; speeds stand on the pages. Follows the stores.
class StatusLine : public QObject {
    Q_OBJECT

public:
    /// The stores live longer than the bar, which owns this.
    StatusLine(const OpenStore& open, const RunStore& run, QStatusBar* bar);

private:
    void showModel();
    void showMemory();

    const OpenStore& m_open;
    const RunStore& m_run;
    ElidedLabel* m_model;
    ElidedLabel* m_memory;
};

} // namespace colibri
