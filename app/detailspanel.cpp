// SPDX-License-Identifier: GPL-3.0-or-later
#include "detailspanel.h"

#include "views/model/partdetails.h"
#include "views/run/tokendetails.h"

namespace colibri {
namespace {

bool isPart(const Selection& selection)
{
    return selection.tensor >= 0 || (selection.token < 0 && (selection.expert >= 0 || selection.layer >= 0));
}

} // namespace

DetailsPanel::DetailsPanel(const OpenStore& open, const RunStore& run, SelectionStore& selection, QWidget* parent)
    : QStackedWidget(parent)
    , m_selection(selection)
    , m_token(new TokenDetails(run, selection, this))
    , m_part(new PartDetails(open, selection, this))
{
    addWidget(m_token);
    addWidget(m_part);
    connect(&selection, &SelectionStore::changed, this, &DetailsPanel::follow);
}

void DetailsPanel::setPartsSeen(bool seen)
{
    m_partsSeen = seen;
    follow();
}

void DetailsPanel::follow()
{
    const Selection& selection = m_selection.selection();
    const bool nothing = selection.token < 0 && !isPart(selection);
    setCurrentWidget((nothing && m_partsSeen) || isPart(selection) ? m_part : m_token);
}

} // namespace colibri
