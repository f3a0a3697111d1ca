// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/exportdialog.h"

#include "views/export/exportform.h"
#include "views/export/exportprogress.h"
#include "views/export/exportreportview.h"
#include "views/theme/theme.h"

#include <QFileInfo>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace colibri {
namespace {

constexpr QSize dialogSize(92 * grid::unit, 76 * grid::unit);
constexpr QSize smallestSize(88 * grid::unit, 50 * grid::unit); ///< as wide as the columns of the sizes need

QPushButton* closeButton(QDialog* dialog)
{
    auto* const button = new QPushButton(ExportDialog::tr("Close"), dialog);
    button->setObjectName(QStringLiteral("closeReport"));
    button->setAccessibleName(ExportDialog::tr("Close"));
    button->setToolTip(ExportDialog::tr("Close; the list of tasks shows the report again (Escape)"));
    button->setAutoDefault(false);
    QObject::connect(button, &QPushButton::clicked, dialog, &QDialog::reject);
    return button;
}

void setUp(QDialog& dialog, const QString& objectName, const QString& title, QWidget* content)
{
    dialog.setObjectName(objectName);
    dialog.setWindowTitle(title);
    dialog.setAttribute(Qt::WA_DeleteOnClose);
    dialog.setModal(false);
    auto* const column = new QVBoxLayout(&dialog);
    column->setContentsMargins({});
    column->addWidget(content);
    dialog.setMinimumSize(smallestSize);
    dialog.resize(dialogSize);
}

} // namespace

ExportDialog::ExportDialog(ExportStore& store, TaskStore& tasks, QWidget* parent)
    : QDialog(parent)
    , m_store(store)
    , m_pages(new QStackedWidget)
    , m_form(new ExportForm(store))
    , m_report(new ExportReportView)
{
    auto* const progress = new ExportProgress(store, tasks);
    m_progress = progress;
    for (QWidget* const page : std::initializer_list<QWidget*>{m_form, m_progress, m_report})
        m_pages->addWidget(page);
    setUp(*this, QStringLiteral("exportDialog"), tr("Export"), m_pages);
    auto* const another = new QPushButton(tr("Export &again..."), this);
    another->setObjectName(QStringLiteral("exportAgain"));
    another->setAccessibleName(tr("Export again"));
    another->setToolTip(tr("Export the open model once more, in another way"));
    another->setAutoDefault(false);
    m_report->addButton(another);
    m_report->addButton(closeButton(this));
    connect(another, &QPushButton::clicked, this, &ExportDialog::formRequested);
    connect(m_form, &ExportForm::exportRequested, this, &ExportDialog::exportRequested);
    connect(m_form, &ExportForm::closeRequested, this, &QDialog::reject);
    connect(progress, &ExportProgress::closeRequested, this, &QDialog::reject);
    connect(m_report, &ExportReportView::openRequested, this, &ExportDialog::openRequested);
    connect(m_report, &ExportReportView::folderRequested, this, &ExportDialog::folderRequested);
    connect(&store, &ExportStore::stateChanged, this, &ExportDialog::showState);
    connect(&store, &ExportStore::planChanged, this, &ExportDialog::showTitle);
    showState();
}

void ExportDialog::showTitle()
{
    const QString source = m_store.busy() || !m_store.plan() ? m_store.source() : m_store.plan()->source;
    const QString name = QFileInfo(source).fileName();
    setWindowTitle(name.isEmpty() ? tr("Export") : tr("Export %1").arg(name));
}

void ExportDialog::showState()
{
    showTitle();
    const bool done = m_store.state() == ExportStore::State::Done;
    m_report->setReport(done ? m_store.report() : nullptr);
    QWidget* const page = done ? m_report : m_store.busy() ? m_progress : static_cast<QWidget*>(m_form);
    if (page == m_pages->currentWidget())
        return;
    m_pages->setCurrentWidget(page);
    page->setFocus();
}

ExportReportDialog::ExportReportDialog(const ExportReportPtr& report, QWidget* parent)
    : QDialog(parent)
{
    auto* const view = new ExportReportView;
    setUp(*this, QStringLiteral("exportReportDialog"), tr("Report of an export"), view);
    view->setReport(report);
    view->addButton(closeButton(this));
    connect(view, &ExportReportView::openRequested, this, &ExportReportDialog::openRequested);
    connect(view, &ExportReportView::folderRequested, this, &ExportReportDialog::folderRequested);
}

} // namespace colibri
