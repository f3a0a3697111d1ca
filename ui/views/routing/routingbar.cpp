// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/routingbar.h"

#include "views/theme/elided.h"
#include "views/theme/flowlayout.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

namespace colibri {
namespace {

constexpr int leastNoteWidth = 12 * grid::unit; ///< with less, the note has a line of its own

} // namespace

RoutingBar::RoutingBar(QWidget* parent)
    : QWidget(parent)
{
    auto* const flow = new FlowLayout(this);
    flow->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    flow->setSpacing(grid::unit);
    m_stretch = addChoice(tr("&Tokens:"), tr("Which tokens are counted"), {tr("All"), tr("Prompt"), tr("Answer")});
    m_measure = addChoice(
        tr("&Show:"), tr("What is shown of each expert"), {tr("Load"), tr("Share of weight"), tr("Zeroed outputs")});
    m_comparison = addChoice(tr("Com&pare:"), tr("What the shares of the experts are compared with"),
        {tr("Nothing"), tr("This run minus kept run"), tr("Answer minus prompt")});
    m_note = new ElidedLabel(this);
    m_note->setFont(monospaceFont());
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_note->setMinimumWidth(leastNoteWidth);
    flow->addWidget(m_note);
    connect(m_comparison, &QComboBox::currentIndexChanged, this,
        [this] { m_stretch->setEnabled(choice().comparison != Comparison::PromptAndAnswer); });
    for (QComboBox* const box : {m_stretch, m_measure, m_comparison})
        connect(box, &QComboBox::currentIndexChanged, this, &RoutingBar::choiceChanged);
}

QComboBox* RoutingBar::addChoice(const QString& label, const QString& tip, const QStringList& items)
{
    auto* const group = new QWidget(this);
    auto* const row = new QHBoxLayout(group);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::unit);
    auto* const caption = new QLabel(label, group);
    auto* const box = new QComboBox(group);
    box->addItems(items);
    box->setToolTip(tip);
    box->setAccessibleName(tip);
    caption->setBuddy(box);
    row->addWidget(caption);
    row->addWidget(box);
    layout()->addWidget(group);
    return box;
}

RoutingChoice RoutingBar::choice() const
{
    return {static_cast<Stretch>(m_stretch->currentIndex()), static_cast<RoutingMeasure>(m_measure->currentIndex()),
        static_cast<Comparison>(m_comparison->currentIndex())};
}

void RoutingBar::setNote(const QString& note)
{
    m_note->setText(note);
}

} // namespace colibri
