// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownruns.h"

#include "ui/support/pictures.h"
#include "views/activity/taskpanel.h"

#include <QAbstractItemView>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QUrl>

#include <bit>

namespace colibri::test {

Shot shotOf(const RunStore& run)
{
    Shot shot{run.text(), {}, run.promptTokens(), {}, {}, {}, {}, run.arenaBytes(), run.info().modelId};
    for (int position = 0; position < run.tokens(); ++position)
        shot.tokens.push_back(run.piece(position).id);
    const RunRecord& record = *run.record();
    std::vector<float> logits(record.shape().experts);
    for (std::uint32_t position = 0; position < std::uint32_t(run.routed()); ++position)
        for (std::uint32_t layer = 0; layer < record.shape().layers; ++layer) {
            const auto experts = record.experts(position, layer);
            const auto weights = record.weights(position, layer);
            shot.experts.insert(shot.experts.end(), experts.begin(), experts.end());
            shot.weights.insert(shot.weights.end(), weights.begin(), weights.end());
            shot.weights.push_back(record.margin(position, layer));
            if (record.copyRouterLogits(position, layer, logits))
                shot.logits.insert(shot.logits.end(), logits.begin(), logits.end());
        }
    for (const TimingEvent& event : run.timings())
        shot.timings.insert(shot.timings.end(),
            {event.startNs, event.position, event.tokens, event.totalNs,
                std::bit_cast<std::uint32_t>(event.attentionNs), std::bit_cast<std::uint32_t>(event.expertsNs),
                event.minorFaults, event.cacheMisses});
    return shot;
}

bool Shown::open(const QString& path)
{
    window().openModel(path);
    return QTest::qWaitFor([&] { return page().isVisible(); }, answerMs);
}

bool Shown::waitForSaved(int tokens)
{
    return QTest::qWaitFor([&] { return !run().file().isEmpty() && run().tokens() == tokens; }, answerMs);
}

bool Shown::runPrompt(const QString& text, std::uint32_t most)
{
    prompt().setPrompt(text);
    SamplingChoice choice;
    choice.sampling.temperature = 0.75f;
    choice.sampling.seed = 12;
    choice.sampling.topK = 30;
    choice.maxTokens = most;
    prompt().sampling().setChoice(choice);
    prompt().setPace(0);
    page().runActions()[Run]->trigger();
    return QTest::qWaitFor([&] { return run().state() != RunStore::State::Starting; }, answerMs);
}

bool Shown::save(const QString& path)
{
    action("saveRun")->trigger();
    return choose("saveRunDialog", path) && QTest::qWaitFor([&] { return QFile::exists(path); }, answerMs);
}

bool Shown::drop(const QString& path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window(), &enter);
    QDropEvent dropped({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window(), &dropped);
    return dropped.isAccepted();
}

bool Shown::waitForBox()
{
    return QTest::qWaitFor([&] { return box() && box()->isVisible(); }, answerMs);
}

QString Shown::tasks()
{
    const auto* const model = window().findChild<TaskPanel*>()->findChild<QAbstractItemView*>()->model();
    QString all;
    for (int row = 0; row < model->rowCount(); ++row) {
        for (int column = 0; column < model->columnCount(); ++column)
            all += model->index(row, column).data().toString() + u'|';
        all += u'\n';
    }
    return all;
}

const QLabel& Shown::stateLabel()
{
    for (const QLabel* const label : page().findChildren<QLabel*>())
        if (label->accessibleName() == QLatin1String("State of the run"))
            return *label;
    qFatal("the state of the run is missing");
}

QString Shown::state()
{
    return stateLabel().text();
}

QString Shown::tipOfState()
{
    return stateLabel().toolTip();
}

bool picture(QWidget& window, const QString& name)
{
    QTest::qWait(50); // layouts follow their contents with the next events
    return savePicture(window, QStringLiteral("saved-") + name);
}

bool SavedRunFolder::make()
{
    if (!m_settings.begin())
        return false;
    Shown shown;
    if (!shown.open(tinyFolder()) || !shown.runPrompt(QStringLiteral("the quick brown fox"), 24)
        || !shown.waitFor(RunStore::State::Finished))
        return false;
    shown.prompt().setPrompt(QStringLiteral("changed since"));
    return shown.save(path("first.colibri-run"));
}

} // namespace colibri::test
