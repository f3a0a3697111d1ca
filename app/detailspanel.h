// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"

#include <QStackedWidget>

namespace colibri {

/// The details of what is selected: of a token of the run, or of a part of the model.
class DetailsPanel : public QStackedWidget {
    Q_OBJECT

public:
    /// The stores live longer than the panel.
    DetailsPanel(const OpenStore& open, const RunStore& run, SelectionStore& selection, QWidget* parent = nullptr);

private:
    void follow();

    const SelectionStore& m_selection;
    QWidget* m_token;
    QWidget* m_part;
};

} // namespace colibri
