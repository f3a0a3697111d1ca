// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/selectionstore.h"

#include <utility>

namespace colibri {

void SelectionStore::select(const Selection& selection)
{
    if (selection == m_selection)
        return;
    const bool sameVisit = m_sinceChange.isValid() && m_sinceChange.elapsed() < visitMs;
    if (!sameVisit && m_selection != Selection{}) {
        m_back.push_back(m_selection);
        if (m_back.size() > visitLimit)
            m_back.erase(m_back.begin());
    }
    m_forward.clear();
    m_sinceChange.start();
    show(selection);
    emit historyChanged();
}

void SelectionStore::goBack()
{
    if (m_back.empty())
        return;
    m_forward.push_back(m_selection);
    const Selection selection = m_back.back();
    m_back.pop_back();
    m_sinceChange.invalidate();
    show(selection);
    emit historyChanged();
}

void SelectionStore::goForward()
{
    if (m_forward.empty())
        return;
    m_back.push_back(m_selection);
    const Selection selection = m_forward.back();
    m_forward.pop_back();
    m_sinceChange.invalidate();
    show(selection);
    emit historyChanged();
}

void SelectionStore::forget()
{
    m_back.clear();
    m_forward.clear();
    m_sinceChange.invalidate();
    show({});
    emit historyChanged();
}

void SelectionStore::show(const Selection& selection)
{
    if (std::exchange(m_selection, selection) != selection)
        emit changed();
}

} // namespace colibri
