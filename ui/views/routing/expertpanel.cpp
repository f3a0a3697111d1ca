// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/routing/expertpanel.h"

#include "views/routing/numbertable.h"
#include "views/routing/routingmaps.h"
#include "views/run/tokenglyphs.h"
#include "views/run/tokenreport.h"
#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace colibri {

ExpertPanel::ExpertPanel(const RoutingStore& routing, QWidget* parent)
    : QWidget(parent)
    , m_routing(routing)
    , m_tokensModel([this](int position) { return text(position); })
    , m_textsModel([this](int position) { return text(position); })
    , m_summary(new QLabel(this))
    , m_empty(new QLabel(this))
    , m_tokens(new TableView(tr("Tokens that the expert served"), this))
    , m_texts(new TableView(tr("Tokens that the expert served most often"), this))
    , m_parts(new QSplitter(Qt::Horizontal, this))
    , m_pages(new QStackedWidget(this))
{
    const QString wide(12, u'0');
    setUpTable(*m_tokens, m_tokensModel, ServedTokensModel::SortRole, {"0000000", wide, "0.000", "00.0000"});
    setUpTable(*m_texts, m_textsModel, Qt::EditRole, {wide, "000000", "0000000", "100.0%"});
    m_parts->addWidget(m_tokens);
    m_parts->addWidget(m_texts);
    m_parts->setChildrenCollapsible(false);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setMargin(grid::wide);
    m_empty->setText(tr("Choose an expert in the map above: the tokens that it served will be listed here."));
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_parts);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_summary);
    column->addWidget(m_pages, 1);
    connect(m_tokens, &QTableView::clicked, this, &ExpertPanel::choose);
    connect(m_tokens, &QTableView::activated, this, &ExpertPanel::choose);
    catchUp();
}

void ExpertPanel::setUpTable(TableView& table, QAbstractItemModel& rows, int sortRole, const QStringList& samples)
{
    auto* const sorted = new QSortFilterProxyModel(&table);
    sorted->setSourceModel(&rows);
    sorted->setSortRole(sortRole);
    table.setModel(sorted);
    table.makeSortable();
    setNumberColumns(table, samples);
}

void ExpertPanel::choose(const QModelIndex& index)
{
    const auto& sorted = *qobject_cast<const QSortFilterProxyModel*>(m_tokens->model());
    const ServedToken& served = m_tokensModel.token(sorted.mapToSource(index).row());
    emit tokenChosen(served.position, served.rank);
}

QString ExpertPanel::text(int position) const
{
    const RunStore& run = m_routing.run();
    if (position < 0 || position >= run.tokens())
        return {};
    return shownOrBytes(run.piece(position));
}

void ExpertPanel::clear()
{
    m_tokensModel.clear();
    m_textsModel.clear();
    m_layer = m_expert = -1;
}

void ExpertPanel::catchUp()
{
    const ExpertProfile& profile = m_routing.profile();
    if (profile.layer() != m_layer || profile.expert() != m_expert || m_routing.profileStretch() != m_stretch)
        clear();
    m_layer = profile.layer();
    m_expert = profile.expert();
    m_stretch = m_routing.profileStretch();
    m_pages->setCurrentIndex(m_expert >= 0 ? 1 : 0);
    m_summary->setText(summary());
    m_summary->setToolTip(m_summary->text());
    QScrollBar* const bar = m_tokens->verticalScrollBar();
    const bool sorted = m_tokens->horizontalHeader()->sortIndicatorSection() >= 0;
    const bool atEnd = !sorted && bar->value() == bar->maximum();
    m_tokensModel.catchUp(profile);
    m_textsModel.catchUp(profile);
    if (atEnd)
        m_tokens->scrollToBottom();
}

QString ExpertPanel::summary() const
{
    const ExpertProfile& profile = m_routing.profile();
    if (profile.expert() < 0)
        return tr("No expert is chosen");
    if (profile.total() == 0)
        return tr("Expert %1 of layer %2 served none of %3 tokens")
            .arg(profile.expert())
            .arg(profile.layer())
            .arg(countText(double(profile.positions())));
    const double share = double(profile.total()) / double(profile.positions());
    const QString all = tr("Expert %1 of layer %2 served %3 of %4 tokens (%5%), mean weight %6")
                            .arg(profile.expert())
                            .arg(profile.layer())
                            .arg(countText(double(profile.total())), countText(double(profile.positions())))
                            .arg(100 * share, 0, 'f', 1)
                            .arg(weightText(static_cast<float>(profile.meanWeight())));
    return profile.total() > ExpertProfile::keptTokens
        ? tr("%1; the newest %2 are listed").arg(all, countText(double(ExpertProfile::keptTokens)))
        : all;
}

} // namespace colibri
