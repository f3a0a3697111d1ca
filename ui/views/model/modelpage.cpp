// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model/modelpage.h"

#include "models/modelreport.h"
#include "views/model/controls.h"
#include "views/model/fittedtable.h"
#include "views/model/modelsummary.h"
#include "views/model/tensorpanel.h"
#include "views/problem/problempanel.h"
#include "views/theme/elided.h"
#include "views/theme/emptystate.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QDataStream>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace colibri {
namespace {

enum Page { EmptyPage, TabsPage };
constexpr int ruleLines = 3; ///< that the texts of a rule take at most in a window of the usual size

} // namespace

ModelPage::ModelPage(const OpenStore& open, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_open(open)
    , m_pages(new QStackedWidget(this))
    , m_tabs(new QTabWidget(m_pages))
    , m_summary(new ModelSummary(m_tabs))
    , m_tensors(new TensorPanel(selection, m_tabs))
{
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_summary, tr("&Summary"));
    m_tabs->setTabToolTip(0, tr("What the model is: dimensions, parameters and bytes"));
    m_tabs->addTab(m_tensors, tr("&Tensors"));
    m_tabs->setTabToolTip(1, tr("All tensors: where they lie and how they are stored"));
    m_files = addTable(tr("F&iles"), tr("Files that the tensors lie in"),
        {tr("File"), tr("Size"), tr("Tensors"), tr("Size of tensors")}, 0);
    addRules();
    addMetadata();
    m_pages->addWidget(makeEmpty());
    m_pages->addWidget(makeModel());
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(m_pages);
    setAccessibleName(tr("Model"));
    connect(&open, &OpenStore::modelChanged, this, &ModelPage::refresh);
}

QWidget* ModelPage::makeEmpty()
{
    auto* const page = new EmptyState(
        tr("No model is open. Open one, and its dimensions, tensors, files and rules will be listed here."),
        tr("&Open a model"), tr("Choose a model to open"), m_pages);
    page->button()->setObjectName(QStringLiteral("openFromModelPage"));
    connect(page->button(), &QPushButton::clicked, this, &ModelPage::openRequested);
    return page;
}

QWidget* ModelPage::makeModel()
{
    auto* const page = new QWidget(m_pages);
    m_refusal = new ProblemPanel(QStringLiteral("modelRefusal"), page);
    m_refusal->setHeading(tr("This model cannot be run. What its files hold can be seen below."));
    m_refusal->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    m_refusal->hide();
    connect(m_refusal, &ProblemPanel::retryRequested, this, &ModelPage::retryRequested);
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(m_refusal);
    column->addWidget(m_tabs, 1);
    return page;
}

ModelPage::Table ModelPage::addTable(
    const QString& title, const QString& toolTip, const QStringList& headers, int stretchColumn)
{
    auto* const tab = new QWidget(m_tabs);
    auto* const view = new FittedTable(QString(title).remove(u'&'), tab);
    auto* const rows = new CellTable(headers, CellTable::Form::Table, view);
    view->setModel(rows);
    view->setStretchColumn(stretchColumn);
    view->setTextElideMode(Qt::ElideRight);
    auto* const bar = new QHBoxLayout;
    bar->setSpacing(grid::unit);
    auto* const what = new ElidedLabel(tab);
    what->setText(toolTip);
    bar->addWidget(what, 1);
    for (QAction* const action : view->wholeActions())
        bar->addWidget(toolButton(action, tab));
    auto* const column = new QVBoxLayout(tab);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    column->setSpacing(grid::unit);
    column->addLayout(bar);
    column->addWidget(view, 1);
    m_tabs->setTabToolTip(m_tabs->addTab(tab, title), toolTip);
    return {rows, view};
}

void ModelPage::addRules()
{
    m_rules = addTable(tr("R&ules"), rulesToolTip(), {tr("Rule"), tr("Value"), tr("From"), tr("What it decides")}, 3);
    m_rules.view->setStretchColumn(3, 24 * grid::unit);
    m_rules.view->setYieldingColumn(2, 12 * grid::unit);
    QWidget* const tab = m_rules.view->parentWidget();
    m_rule = new QLabel(tab);
    m_rule->setObjectName(QStringLiteral("ruleText"));
    m_rule->setAccessibleName(tr("The chosen rule"));
    m_rule->setTextFormat(Qt::PlainText);
    m_rule->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_rule->setWordWrap(true);
    m_rule->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_rule->setFixedHeight(ruleLines * m_rule->fontMetrics().lineSpacing());
    tab->layout()->addWidget(m_rule);
    connect(m_rules.view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ModelPage::showRule);
    showRule();
}

void ModelPage::showRule()
{
    const QModelIndex current = m_rules.view->currentIndex();
    if (!current.isValid()) {
        m_rule->setText(tr("Choose a rule to read all of its texts here."));
        return;
    }
    const auto text = [&](int column) { return current.siblingAtColumn(column).data().toString(); };
    const QString rule = tr("%1 = %2, %3").arg(text(0), text(1), text(2));
    m_rule->setText(text(3).isEmpty() ? rule : rule + u'\n' + text(3));
}

void ModelPage::addMetadata()
{
    m_metadata = addTable(tr("Meta&data"), tr("What the files of the model say about it, key by key"),
        {tr("Key"), tr("Value"), tr("Type"), tr("File"), tr("Offset")}, 1);
    m_metadata.view->setStretchColumn(1, 24 * grid::unit); // long lists are cut before the columns behind them are
    QWidget* const tab = m_tabs->widget(m_tabs->count() - 1);
    m_metadataFilter = filterLine(tr("Filter metadata"),
        tr("Shows what has all of these words in its key or value (Ctrl+F; Escape clears)"), tab);
    static_cast<QVBoxLayout*>(tab->layout())->insertWidget(1, m_metadataFilter);
    connect(m_metadataFilter, &QLineEdit::textChanged, this, &ModelPage::showMetadata);
}

void ModelPage::showMetadata()
{
    m_metadata.rows->setRows(m_shown ? metadataRows(*m_shown, m_metadataFilter->text()) : CellRows{});
}

void ModelPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void ModelPage::refresh()
{
    if (m_shown == m_open.model() || (m_open.model() && !isVisible()))
        return;
    m_shown = m_open.model();
    const bool refused = m_shown && m_shown->refused;
    m_refusal->setVisible(refused);
    showRulesTab(!m_shown || m_shown->understood);
    if (refused)
        m_refusal->setError(*m_shown->refused);
    m_summary->setModel(m_shown);
    m_tensors->setModel(m_shown);
    m_files.rows->setRows(m_shown ? fileRows(*m_shown) : CellRows{});
    m_rules.rows->setRows(m_shown ? ruleRows(*m_shown) : CellRows{});
    showRule();
    showMetadata();
    m_metadata.view->fitColumns();
    m_files.view->fitColumns();
    m_rules.view->fitColumns();
    m_pages->setCurrentIndex(m_shown ? TabsPage : EmptyPage);
}

void ModelPage::showRulesTab(bool known)
{
    const int tab = m_tabs->indexOf(m_rules.view->parentWidget());
    m_tabs->setTabEnabled(tab, known);
    m_tabs->setTabToolTip(tab,
        known ? rulesToolTip() : tr("The configuration could not be understood; what the files say is under Metadata"));
}

QString ModelPage::rulesToolTip()
{
    return tr("Dimensions and rules, and who said so");
}

QByteArray ModelPage::saveLayout() const
{
    QByteArray layout;
    QDataStream(&layout, QIODevice::WriteOnly) << qint32(m_tabs->currentIndex());
    return layout;
}

bool ModelPage::restoreLayout(const QByteArray& layout)
{
    qint32 tab = -1;
    QDataStream stream(layout);
    stream >> tab;
    if (stream.status() != QDataStream::Ok || tab < 0 || tab >= m_tabs->count())
        return false;
    m_tabs->setCurrentIndex(tab);
    return true;
}

} // namespace colibri
