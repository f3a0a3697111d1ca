// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/exportreportview.h"

#include "models/exportreport.h"
#include "models/parttext.h"
#include "views/export/exportpage.h"
#include "views/export/notelabel.h"
#include "views/model/fittedtable.h"
#include "views/theme/scrolled.h"
#include "views/theme/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace colibri {
namespace {

QPushButton* button(const char* objectName, const QString& text, const QString& toolTip, QWidget* parent)
{
    auto* const made = new QPushButton(text, parent);
    made->setObjectName(QLatin1String(objectName));
    made->setAccessibleName(QString(text).remove(u'&'));
    made->setToolTip(toolTip);
    made->setAutoDefault(false);
    return made;
}

QWidget* sectionBlock(const ExportSection& section, QWidget* parent)
{
    auto* const block = new QWidget(parent);
    auto* const heading = new QLabel(section.title, block);
    QFont font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    auto* const view = new FittedTable(section.title, block);
    auto* const rows = new CellTable(
        {ExportReportView::tr("Property"), ExportReportView::tr("Value")}, CellTable::Form::Properties, view);
    rows->setRows(section.rows);
    view->setModel(rows);
    view->setStretchColumn(1);
    view->setShowsAllRows();
    view->horizontalHeader()->hide();
    view->fitColumns({QStringLiteral("Router logits differ by")});
    auto* const column = new QVBoxLayout(block);
    column->setContentsMargins({});
    column->setSpacing(grid::half);
    column->addWidget(heading);
    column->addWidget(view);
    return block;
}

} // namespace

ExportReportView::ExportReportView(QWidget* parent)
    : QWidget(parent)
    , m_title(pageTitle(tr("Exported"), this))
    , m_verdict(new NoteLabel(QStringLiteral("exportVerdict"), this))
    , m_notes(new NoteLabel(QStringLiteral("exportNotes")))
    , m_sections(new QWidget)
{
    auto* const content = new QWidget;
    auto* const inner = new QVBoxLayout(content);
    inner->setContentsMargins({});
    inner->setSpacing(grid::unit);
    (new QVBoxLayout(m_sections))->setContentsMargins({});
    m_sections->layout()->setSpacing(grid::unit);
    inner->addWidget(m_sections);
    inner->addWidget(m_notes);
    inner->addStretch();
    auto* const area = scrolled(content, tr("Report of the export"));
    auto* const column = pageColumn(this);
    column->addWidget(m_title);
    column->addWidget(m_verdict);
    column->addWidget(area, 1);
    column->addWidget(makeButtons());
}

QWidget* ExportReportView::makeButtons()
{
    auto* const row = new QWidget(this);
    m_buttons = new QHBoxLayout(row);
    m_buttons->setContentsMargins({});
    m_buttons->setSpacing(grid::unit);
    auto* const open = button(
        "openExport", tr("&Open the export"), tr("Open the export in this window, in the place of its source"), row);
    auto* const folder =
        button("showExportFolder", tr("Show &folder"), tr("Show the export with the program for folders"), row);
    auto* const copy = button("copyExportReport", tr("&Copy"), tr("Copy the report as text"), row);
    connect(open, &QPushButton::clicked, this, [this] { emit openRequested(m_report->out); });
    connect(folder, &QPushButton::clicked, this, [this] { emit folderRequested(m_report->out); });
    connect(copy, &QPushButton::clicked, this, &ExportReportView::copyText);
    for (QPushButton* const each : {open, folder, copy})
        m_buttons->addWidget(each);
    m_buttons->addStretch();
    setFocusProxy(open);
    return row;
}

void ExportReportView::addButton(QPushButton* button)
{
    m_buttons->addWidget(button);
}

void ExportReportView::setReport(const ExportReportPtr& report)
{
    m_report = report;
    qDeleteAll(m_sections->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
    for (const ExportSection& section : report ? exportSections(*report) : std::vector<ExportSection>())
        m_sections->layout()->addWidget(sectionBlock(section, m_sections));
    m_notes->setNote(NoteLabel::Kind::Warning, report ? report->notes.join(u'\n') : QString());
    m_notes->setVisible(report && !report->notes.isEmpty());
    showVerdict();
}

void ExportReportView::showVerdict()
{
    using Kind = NoteLabel::Kind;
    if (!m_report || !m_report->agreement) {
        m_verdict->setNote(Kind::Muted, m_report ? m_report->agreementNote : QString());
        return;
    }
    const ExportAgreementFacts& agreement = *m_report->agreement;
    const std::uint64_t others = agreement.decisions - agreement.sameExperts;
    if (others > 0)
        m_verdict->setNote(Kind::Warning,
            tr("%1 of %2 routing decisions differ from the source.")
                .arg(groupedText(others), groupedText(agreement.decisions)));
    else if (agreement.maxLogitDifference > 0 || agreement.maxRouterLogitDifference > 0)
        m_verdict->setNote(Kind::Good,
            tr("All %1 routing decisions are those of the source, values differ a little.")
                .arg(groupedText(agreement.decisions)));
    else
        m_verdict->setNote(Kind::Good,
            tr("The export computes what its source does: all %1 routing decisions and all logits are the same.")
                .arg(groupedText(agreement.decisions)));
}

void ExportReportView::copyText() const
{
    if (m_report)
        QGuiApplication::clipboard()->setText(plainText(*m_report));
}

} // namespace colibri
