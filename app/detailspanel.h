// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"

#include <QStackedWidget>

namespace colibri {

/// The details of what is selected: of a token of the run, or of a part of the model. While nothing is selected it says
/// what could be, where the page that is seen shows such things.
class DetailsPanel : public QStackedWidget {
    Q_OBJECT

public:
    /// The stores live longer than the panel.
    DetailsPanel(const OpenStore& open, const RunStore& run, SelectionStore& selection, QWidget* parent = nullptr);

    void setPartsSeen(bool seen); ///< the page shows parts of the model, no tokens

private:
    void follow();

    const SelectionStore& m_selection;
    QWidget* m_token;
    QWidget* m_part;
    bool m_partsSeen = false;
};

} // namespace colibri
