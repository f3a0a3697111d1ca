// SPDX-License-Identifier: GPL-3.0-or-later
#include "exports.h"

#include "exportwork.h"
#include "models/exportreport.h"
#include "stores/exportplace.h"
#include "stores/units.h"
#include "views/export/exportdialog.h"
#include "views/export/exportform.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

namespace colibri {
namespace {

const QString logSource = QStringLiteral("export");

} // namespace

Exports::Exports(const Parts& parts, QWidget* window)
    : QObject(window)
    , m_parts(parts)
    , m_window(window)
{
    connect(&parts.open, &OpenStore::modelChanged, this, &Exports::followModel);
}

void Exports::show()
{
    if (!m_dialog) {
        if (!m_parts.engine.model() && !m_parts.store.busy())
            return;
        m_dialog = new ExportDialog(m_parts.store, m_parts.tasks, m_window);
        connect(m_dialog, &ExportDialog::exportRequested, this, &Exports::write);
        connect(m_dialog, &ExportDialog::formRequested, this, &Exports::ask);
        connectReport(m_dialog.data());
        ask();
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

template <class Dialog>
void Exports::connectReport(Dialog* dialog)
{
    connect(dialog, &Dialog::openRequested, this, [this](const QString& path) {
        emit openRequested(path);
        m_window->raise();
        m_window->activateWindow();
    });
    connect(dialog, &Dialog::folderRequested, this,
        [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
}

void Exports::showReport(const ExportReportPtr& report)
{
    auto* const dialog = new ExportReportDialog(report, m_window);
    connectReport(dialog);
    dialog->show();
}

void Exports::ask()
{
    if (!m_parts.engine.model() && !m_parts.store.busy()) {
        m_dialog->close(); // there is nothing to ask for
        return;
    }
    m_parts.store.forget();
    choosePlace();
    plan();
}

void Exports::choosePlace()
{
    const ModelFactsPtr& model = m_parts.open.model();
    if (!model)
        return;
    const QString folder = m_parts.settings.exportFolder();
    m_dialog->form().setPlace(folder, freeExportName(folder, QString::fromStdString(model->path)));
}

void Exports::followModel()
{
    ++m_newestPlan;
    m_parts.store.setPlan({});
    if (!m_dialog)
        return;
    using State = ExportStore::State;
    if (m_parts.engine.model()) {
        choosePlace();
        plan();
    } else if (!m_parts.store.busy() && m_parts.store.state() != State::Done) {
        m_dialog->close(); // there is nothing to ask for
    }
}

void Exports::plan()
{
    const ModelPtr model = m_parts.engine.model();
    if (!model)
        return;
    const int number = ++m_newestPlan;
    m_parts.runner.run<ExportPlanPtr>(
        tr("Work out what an export comes to"), {}, this,
        [model](const TaskLink& link) { return workOutExport(*model, link.stop); },
        [this, number](Result<ExportPlanPtr>& result) {
            if (number != m_newestPlan)
                return QString();
            if (result)
                m_parts.store.setPlan(*result);
            else
                m_parts.store.failPlan(result.error());
            return QString();
        });
}

void Exports::write(const ExportSpec& spec)
{
    const ModelPtr model = m_parts.engine.model();
    if (!model || m_parts.store.busy())
        return;
    m_parts.settings.setExportFolder(QFileInfo(spec.out).absolutePath());
    const auto facts = std::make_shared<ExportReportFacts>();
    facts->source = QString::fromStdString(model->path());
    facts->sourceBytes = sourceBytes(*model);
    facts->out = spec.out;
    facts->dtype = spec.dtype;
    const auto progress = std::make_shared<OpenProgress>();
    const int task = m_parts.runner.run<Written>(
        tr("Export %1 to %2").arg(facts->source, spec.out), QStringLiteral("B"), this,
        [model, spec, progress](const TaskLink& link) -> Result<Written> {
            const auto began = std::chrono::steady_clock::now();
            auto report = writeExport(*model, spec, progress.get(), link.stop);
            if (!report)
                return report.error();
            return Written{
                std::move(*report), std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()};
        },
        [this, facts, model](Result<Written>& result) { return onWritten(facts, model, result); }, progress);
    m_parts.store.write(spec, facts->source, task);
    m_parts.log.add(LogLevel::Info, logSource, tr("exporting %1 to %2").arg(facts->source, facts->out));
}

QString Exports::onWritten(
    const std::shared_ptr<ExportReportFacts>& facts, const ModelPtr& model, Result<Written>& result)
{
    if (!result && result.error().code == Errc::Cancelled) {
        m_parts.log.add(LogLevel::Info, logSource, tr("the export to %1 was cancelled").arg(facts->out));
        m_parts.store.cancel();
        return {};
    }
    if (!result) {
        m_parts.log.add(LogLevel::Error, logSource, QString::fromStdString(result.error().message()));
        m_parts.store.fail(result.error());
        return {};
    }
    addWritten(*facts, result->report, result->seconds);
    if (m_parts.store.spec().checkTokens > 0) {
        compare(facts, model);
    } else {
        facts->agreementNote = tr("The export was not compared with its source.");
        finish(facts, m_parts.store.task());
    }
    return bytesText(facts->bytesWritten);
}

void Exports::compare(const std::shared_ptr<ExportReportFacts>& facts, const ModelPtr& model)
{
    facts->agreementNote = tr("It is being compared with its source.");
    const auto progress = std::make_shared<OpenProgress>();
    const auto most = static_cast<std::uint32_t>(m_parts.store.spec().checkTokens);
    const int task = m_parts.runner.run<Compared>(
        tr("Compare %1 with %2").arg(facts->out, facts->source), tr("tokens"), this,
        [model, most, progress, out = facts->out](const TaskLink& link) -> Result<Compared> {
            const std::vector<TokenId> tokens = defaultTokens(*model, most);
            auto agreement = compareExport(model, out, tokens, progress.get(), link.stop);
            if (!agreement)
                return agreement.error();
            const auto& first = agreement->firstDifference;
            return Compared{*agreement, first ? tokenText(*model, tokens[first->position]) : QString()};
        },
        [this, facts](const Result<Compared>& result) { return onCompared(facts, result); }, progress);
    m_parts.tasks.setShow(m_parts.store.task(), [self = QPointer<Exports>(this), facts] {
        if (self)
            self->showReport(facts);
    });
    m_parts.store.compare(task);
}

QString Exports::onCompared(const std::shared_ptr<ExportReportFacts>& facts, const Result<Compared>& result)
{
    QString note;
    if (result) {
        facts->agreement = agreementFacts(result->agreement, result->token);
        facts->agreementNote.clear();
        note = shortText(*facts->agreement);
    } else if (result.error().code == Errc::Cancelled) {
        facts->agreementNote = tr("The comparison with the source was left out.");
    } else {
        facts->agreementNote =
            tr("The export could not be compared: %1").arg(QString::fromStdString(result.error().message()));
        m_parts.log.add(LogLevel::Error, logSource, facts->agreementNote);
    }
    finish(facts, m_parts.store.task());
    return note;
}

void Exports::finish(const std::shared_ptr<ExportReportFacts>& facts, int task)
{
    const ExportReportPtr report = facts;
    m_parts.tasks.setShow(task, [self = QPointer<Exports>(this), report] {
        if (self)
            self->showReport(report);
    });
    m_parts.log.add(LogLevel::Info, logSource, tr("exported to %1, %2").arg(report->out, shortText(*report)));
    for (const QString& note : report->notes)
        m_parts.log.add(LogLevel::Warning, logSource, note);
    m_parts.store.succeed(report);
}

} // namespace colibri
