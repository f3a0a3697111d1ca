// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/partdetails.h"

#include "views/model/controls.h"
#include "views/model/fittedtable.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>

namespace colibri {
namespace {

enum Page { HintPage, ReportPage };

} // namespace

PartDetails::PartDetails(const OpenStore& open, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_open(open)
    , m_selection(selection)
    , m_pages(new QStackedWidget(this))
    , m_hint(new QLabel(m_pages))
    , m_facts({tr("Property"), tr("Value")}, CellTable::Form::Properties)
    , m_contents({tr("Part"), tr("Size"), tr("Holds")})
{
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setMargin(grid::wide);
    m_pages->addWidget(m_hint);
    m_pages->addWidget(makeReport());
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(m_pages);
    setMinimumWidth(24 * grid::unit);
    setAccessibleName(tr("Details of the selected part of the model"));
    connect(&open, &OpenStore::modelChanged, this, &PartDetails::refresh);
    connect(&selection, &SelectionStore::changed, this, &PartDetails::refresh);
    refresh();
}

QWidget* PartDetails::makeReport()
{
    auto* const page = new QWidget(m_pages);
    m_title = new QLabel(page);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // what is too long is cut, nothing moves
    m_title->setAccessibleName(tr("Selected part"));
    QFont font = m_title->font();
    font.setBold(true);
    m_title->setFont(font);
    auto* const copy = new QAction(tr("&Copy"), this);
    copy->setObjectName(QStringLiteral("copyDetails"));
    copy->setToolTip(tr("Copy all details as text"));
    connect(copy, &QAction::triggered, this, &PartDetails::copyText);
    auto* const head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(toolButton(copy, page));
    m_factsView = new FittedTable(tr("Details"), page);
    m_factsView->setModel(&m_facts);
    m_factsView->horizontalHeader()->hide();
    m_factsView->setStretchColumn(1);
    m_factsView->setShowsAllRows();
    m_contentsView = new FittedTable(tr("Contents"), page);
    m_contentsView->setModel(&m_contents);
    m_contentsView->setStretchColumn(0, 12 * grid::unit); // names are cut before numbers are
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    column->setSpacing(grid::unit);
    column->addLayout(head);
    column->addWidget(m_factsView);
    column->addWidget(m_contentsView, 1);
    column->addStretch();
    return page;
}

void PartDetails::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void PartDetails::refresh()
{
    if (!isVisible())
        return;
    const ModelFactsPtr& model = m_open.model();
    m_report = model ? partReport(*model, m_selection.selection()) : PartReport{};
    m_pages->setCurrentIndex(m_report.title.isEmpty() ? HintPage : ReportPage);
    m_hint->setText(model ? tr("Choose a layer, an expert or a tensor to see where it lies and how large it is.")
                          : tr("Once a model is open, the part you choose is described here: its tensors, types, sizes "
                               "and places in the files."));
    m_title->setText(m_report.title);
    m_title->setToolTip(plainTip(m_report.title));
    m_facts.setRows(m_report.facts);
    m_contents.setRows(m_report.contents);
    m_factsView->fitColumns();
    m_contentsView->fitColumns();
    m_contentsView->setVisible(!m_report.contents.empty());
}

void PartDetails::copyText() const
{
    if (!m_report.title.isEmpty())
        QApplication::clipboard()->setText(plainText(m_report));
}

} // namespace colibri
