// SPDX-License-Identifier: GPL-3.0-or-later
#include "savedruns.h"

#include "actions.h"
#include "api/run_file.h"
#include "stores/units.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace colibri {
namespace {

const QString suffix = QStringLiteral("colibri-run");
const QString logSource = QStringLiteral("saved run");
const QString demoName = QStringLiteral("demo");

std::string fileName(const QString& path)
{
    return QFile::encodeName(path).toStdString();
}

/// Where a record does not fit the model whose id it has; empty: it fits. What the views show relies on this.
QString misfit(const RunRecord& record, const ModelConfig& config)
{
    const RunRecord::Shape& shape = record.shape();
    if (shape.layers != moeLayers(config) || shape.experts != config.numExperts)
        return SavedRuns::tr("it has %1 layers of %2 experts, its model has %3 of %4")
            .arg(shape.layers)
            .arg(shape.experts)
            .arg(moeLayers(config))
            .arg(config.numExperts);
    for (std::uint32_t position = 0; config.vocabSize > 0 && position < record.tokens(); ++position)
        if (record.token(position) >= config.vocabSize)
            return SavedRuns::tr("token %1 is %2, the vocabulary of its model has %3")
                .arg(position)
                .arg(record.token(position))
                .arg(config.vocabSize);
    return {};
}

SavedRunProgress progressOf(const TaskLink& link)
{
    return [link](std::uint64_t done, std::uint64_t total) { link.progress(done, total); };
}

} // namespace

SavedRuns::SavedRuns(const Parts& parts)
    : QObject(&parts.page)
    , m_parts(parts)
{
    makeActions();
    connect(&parts.run, &RunStore::reset, this, &SavedRuns::showAbilities);
    connect(&parts.run, &RunStore::tokensAppended, this, &SavedRuns::showAbilities);
    connect(&parts.open, &OpenStore::stateChanged, this, &SavedRuns::followOpen);
    showAbilities();
}

void SavedRuns::makeActions()
{
    m_save = makeAction(&m_parts.page, QStringLiteral("saveRun"), tr("S&ave this run..."),
        tr("Save this run with all its decisions, to look at it again or elsewhere"), int(Qt::CTRL) | Qt::Key_S);
    m_open = makeAction(&m_parts.page, QStringLiteral("openRun"), tr("&Open a saved run..."),
        tr("Show a run that was saved, with its model"), int(Qt::CTRL) | int(Qt::SHIFT) | Qt::Key_S);
    connect(m_save, &QAction::triggered, this, &SavedRuns::choosePlace);
    connect(m_open, &QAction::triggered, this, &SavedRuns::chooseFile);
}

void SavedRuns::showAbilities()
{
    m_save->setEnabled(m_parts.run.tokens() > 0);
}

QFileDialog* SavedRuns::makeDialog(const QString& name, const QString& title)
{
    auto* const dialog = new QFileDialog(m_parts.page.window(), title);
    dialog->setObjectName(name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setNameFilters({tr("Saved runs (*.%1)").arg(suffix), tr("All files (*)")});
    dialog->setDirectory(m_parts.settings.savedRunFolder());
    return dialog;
}

void SavedRuns::choosePlace()
{
    QFileDialog* const dialog = makeDialog(QStringLiteral("saveRunDialog"), tr("Save this run"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(suggestedName());
    connect(dialog, &QFileDialog::fileSelected, this, &SavedRuns::save);
    dialog->open();
}

void SavedRuns::chooseFile()
{
    QFileDialog* const dialog = makeDialog(QStringLiteral("openRunDialog"), tr("Open a saved run"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &SavedRuns::load);
    dialog->open();
}

void SavedRuns::remember(const QString& path)
{
    m_parts.settings.setSavedRunFolder(QFileInfo(path).absolutePath());
}

/// The model's name and the time.
QString SavedRuns::suggestedName() const
{
    const ModelFactsPtr& model = m_parts.run.model();
    const QString name = model ? QFileInfo(QString::fromStdString(model->path)).fileName() : QString();
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmm"));
    return QStringLiteral("%1-%2.%3").arg(name.isEmpty() ? tr("run") : name, time, suffix);
}

void SavedRuns::save(const QString& path)
{
    if (m_parts.run.tokens() == 0)
        return;
    remember(path);
    const auto run = std::make_shared<SavedRun>(snapshotOf(m_parts.run));
    if (const QString model = QString::fromStdString(run->modelPath); model != demoName)
        run->modelPath = QDir::cleanPath(QDir::current().absoluteFilePath(model)).toStdString();
    const auto work = [run, file = fileName(path)](
                          const TaskLink& link) { return saveRun(*run, file, progressOf(link), link.stop); };
    m_parts.runner.run<void>(tr("Save the run to %1").arg(path), QStringLiteral("B"), this, work,
        [this, path](const Result<void>& result) { return onSaved(path, result); });
}

QString SavedRuns::onSaved(const QString& path, const Result<void>& result)
{
    if (!result) {
        if (result.error().code == Errc::Cancelled)
            m_parts.log.add(LogLevel::Info, logSource, tr("saving %1 was cancelled").arg(path));
        else
            fail(tr("The run could not be saved"), QString::fromStdString(result.error().message()));
        return {};
    }
    const QString note = bytesText(std::uint64_t(QFileInfo(path).size()));
    m_parts.log.add(LogLevel::Info, logSource, tr("saved to %1, %2").arg(path, note));
    emit saved(tr("Saved %1, %2").arg(QFileInfo(path).fileName(), note));
    return note;
}

void SavedRuns::load(const QString& path)
{
    remember(path);
    m_waiting.reset();
    const int number = ++m_newest;
    const auto work = [path](const TaskLink& link) -> Result<Loaded> {
        const auto saved = loadRun(fileName(path), progressOf(link), link.stop);
        if (!saved)
            return saved.error();
        return Loaded{path, QString::fromStdString(saved->modelPath), saved->info.modelId, restoredFrom(*saved, path)};
    };
    m_parts.runner.run<Loaded>(tr("Open the saved run %1").arg(path), QStringLiteral("B"), this, work,
        [this, number, path](Result<Loaded>& result) {
            if (number == m_newest)
                return onLoaded(result);
            return tr("another one was opened after it");
        });
}

QString SavedRuns::onLoaded(Result<Loaded>& result)
{
    if (!result) {
        if (result.error().code == Errc::Cancelled)
            m_parts.log.add(LogLevel::Info, logSource, tr("opening a saved run was cancelled"));
        else
            fail(tr("The saved run could not be opened"), QString::fromStdString(result.error().message()));
        return {};
    }
    Loaded loaded = std::move(result.value());
    const ModelFactsPtr& model = m_parts.open.model();
    const bool opening = m_parts.open.state() == OpenStore::State::Opening;
    const QString note = tr("%1 tokens").arg(loaded.run.start.record->tokens());
    if (model && model->id == loaded.modelId && !opening) {
        show(std::move(loaded));
        return note;
    }
    const QString modelPath = loaded.modelPath;
    m_waiting.reset(); // the opening that this takes the place of is not its own
    m_parts.engine.open(modelPath);
    m_waiting = std::move(loaded);
    return tr("%1, opens its model %2").arg(note, modelPath);
}

void SavedRuns::followOpen()
{
    using State = OpenStore::State;
    const State state = m_parts.open.state();
    if (!m_waiting)
        return;
    const Loaded loaded = *std::exchange(m_waiting, {});
    if (state == State::Opened && m_parts.open.model()->id == loaded.modelId) {
        show(loaded);
    } else if (state == State::Opened && m_parts.open.model()->refused) {
        failLoaded(loaded,
            tr("it is a run of model %1, which was at %2 and cannot be run there: %3")
                .arg(QString::fromStdString(loaded.modelId), loaded.modelPath,
                    QString::fromStdString(m_parts.open.model()->refused->message())));
    } else if (state == State::Opened) {
        const ModelFacts& model = *m_parts.open.model();
        failLoaded(loaded,
            tr("it is a run of model %1, which was at %2; the model that is there now (%3) is %4")
                .arg(QString::fromStdString(loaded.modelId), loaded.modelPath, QString::fromStdString(model.path),
                    QString::fromStdString(model.id)));
    } else if (state == State::Failed) {
        const ModelFactsPtr& model = m_parts.open.model();
        const QString instead = model ? tr("; the model that is open is %1 (%2)")
                                            .arg(QString::fromStdString(model->id), QString::fromStdString(model->path))
                                      : QString();
        failLoaded(loaded,
            tr("it is a run of model %1, which was at %2 and cannot be opened there: %3%4")
                .arg(QString::fromStdString(loaded.modelId), loaded.modelPath,
                    QString::fromStdString(m_parts.open.error()->message()), instead));
    } else {
        m_parts.log.add(LogLevel::Info, logSource, tr("%1 was not shown, its model was not opened").arg(loaded.path));
    }
}

void SavedRuns::show(Loaded loaded)
{
    if (const QString why = misfit(*loaded.run.start.record, m_parts.open.model()->config); !why.isEmpty()) {
        failLoaded(loaded, why);
        return;
    }
    RunSpec asked = loaded.run.start.spec;
    asked.engine = m_parts.page.promptPanel().engine().options(); // the user's, of this machine
    m_parts.page.promptPanel().setSpec(asked);
    const QString madeWith = EngineForm::summary(loaded.run.start.spec.engine);
    m_parts.engine.restore(std::move(loaded.run.start), loaded.run.reason, std::move(loaded.run.error));
    m_parts.log.add(LogLevel::Info, logSource, tr("shows %1, made with: %2").arg(loaded.path, madeWith));
    emit shown();
}

void SavedRuns::fail(const QString& what, const QString& why)
{
    m_parts.log.add(LogLevel::Error, logSource, why);
    auto* const box =
        new QMessageBox(QMessageBox::Warning, tr("Colibri"), what, QMessageBox::Ok, m_parts.page.window());
    box->setObjectName(QStringLiteral("savedRunError"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(why);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->setWindowModality(Qt::NonModal);
    box->show();
}

void SavedRuns::failLoaded(const Loaded& loaded, const QString& why)
{
    const int task = m_parts.tasks.begin(tr("Show the saved run %1").arg(loaded.path), {}, {});
    m_parts.tasks.setState(task, Task::State::Failed, why);
    fail(tr("The saved run could not be opened"), loaded.path + QStringLiteral(": ") + why);
}

} // namespace colibri
