// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/selectionstore.h"

namespace colibri {

void SelectionStore::select(const Selection& selection)
{
    if (selection == m_selection)
        return;
    m_selection = selection;
    emit changed();
}

} // namespace colibri
