// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "studio.h"
#include "ui/support/ownsettings.h"
#include "ui/support/pictures.h"
#include "views/activity/taskpanel.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAbstractItemView>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <bit>

/// What the tests of saved runs share: a studio as its user has it, and what a run shows as values.
namespace colibri::test {

inline constexpr int answerMs = 60000; ///< far beyond what anything here takes

inline QString tinyFolder()
{
    return QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
}

enum { Run, Continue, Step, Stop };

/// All that a run shows, by value.
struct Shot {
    QString text;
    std::vector<TokenId> tokens;
    int prompt = 0;
    std::vector<std::uint16_t> experts;
    std::vector<float> weights;
    std::vector<float> logits;
    std::vector<std::uint64_t> timings;
    std::uint64_t arena = 0;
    std::string modelId;
    bool operator==(const Shot&) const = default;
};

inline Shot shotOf(const RunStore& run)
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

/// A studio with a shown window, and the ways to its parts.
struct Shown {
    Shown()
    {
        studio.window().resize(1000, 650);
        studio.window().show();
        studio.window().activateWindow();
        (void)QTest::qWaitForWindowActive(&studio.window());
    }
    const RunStore& run() { return studio.run(); }
    RunPage& page() { return *studio.window().findChild<RunPage*>(); }
    PromptPanel& prompt() { return page().promptPanel(); }
    QAction* action(const char* name) { return studio.window().findChild<QAction*>(QLatin1String(name)); }
    bool enabled(int which) { return page().runActions()[which]->isEnabled(); }
    bool open(const QString& path)
    {
        studio.window().openModel(path);
        return QTest::qWaitFor([&] { return page().isVisible(); }, answerMs);
    }
    bool waitFor(RunStore::State state)
    {
        return QTest::qWaitFor([&] { return run().state() == state; }, answerMs);
    }
    bool waitForSaved(int tokens)
    {
        return QTest::qWaitFor([&] { return !run().file().isEmpty() && run().tokens() == tokens; }, answerMs);
    }
    bool runPrompt(const QString& text, std::uint32_t most)
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
    /// Answers a file dialog by keys.
    bool choose(const char* dialogName, const QString& path)
    {
        auto* const dialog = studio.window().findChild<QFileDialog*>(QLatin1String(dialogName));
        auto* const name = dialog ? dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit")) : nullptr;
        if (!name || !dialog->isVisible())
            return false;
        name->setText(path); // typing would open a list of completions, which takes the keys
        QTest::keyClick(name, Qt::Key_Return);
        return QTest::qWaitFor(
            [&] { return studio.window().findChild<QFileDialog*>(QLatin1String(dialogName)) == nullptr; }, answerMs);
    }
    bool save(const QString& path)
    {
        action("saveRun")->trigger();
        return choose("saveRunDialog", path) && QTest::qWaitFor([&] { return QFile::exists(path); }, answerMs);
    }
    bool drop(const QString& path)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&studio.window(), &enter);
        QDropEvent dropped({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&studio.window(), &dropped);
        return dropped.isAccepted();
    }
    QMessageBox* box() { return studio.window().findChild<QMessageBox*>(QStringLiteral("savedRunError")); }
    bool waitForBox()
    {
        return QTest::qWaitFor([&] { return box() && box()->isVisible(); }, answerMs);
    }
    /// All rows of the list of tasks.
    QString tasks()
    {
        const auto* const model = studio.window().findChild<TaskPanel*>()->findChild<QAbstractItemView*>()->model();
        QString all;
        for (int row = 0; row < model->rowCount(); ++row) {
            for (int column = 0; column < model->columnCount(); ++column)
                all += model->index(row, column).data().toString() + u'|';
            all += u'\n';
        }
        return all;
    }
    QString state()
    {
        for (const QLabel* label : page().findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("State of the run"))
                return label->text();
        return {};
    }
    QString tipOfState()
    {
        for (const QLabel* label : page().findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("State of the run"))
                return label->toolTip();
        return {};
    }
    Studio studio;
};

inline bool picture(QWidget& window, const QString& name)
{
    QTest::qWait(50);
    return savePicture(window, QStringLiteral("saved-") + name);
}

/// Settings of its own and a folder for files, in which "first.colibri-run" is a saved run of the tiny model.
class SavedRunFolder {
public:
    /// To be called first.
    bool make()
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
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString folder() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
    OwnSettings m_settings;
};

} // namespace colibri::test
