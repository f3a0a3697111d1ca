// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/modelfacts.h"
#include "stores/selectionstore.h"

namespace colibri {

/// What is known of a tensor, an expert or a layer.
struct PartReport {
    QString title; ///< empty: nothing is selected, or the model does not have it
    CellRows facts; ///< property, value
    CellRows contents; ///< what a layer or an expert is made of: part, bytes, what it holds
};
/// Of the first of tensor, expert and layer that is chosen.
PartReport partReport(const ModelFacts& model, const Selection& selection);
/// Title, facts and contents as lines of text, with tabs.
QString plainText(const PartReport& report);

} // namespace colibri
