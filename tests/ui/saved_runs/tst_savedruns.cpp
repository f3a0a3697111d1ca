// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/run_file.h"
#include "shownruns.h"
#include "support/generatedmodel.h"
#include "views/run/comparebar.h"
#include "views/run/expertgridview.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QSettings>
#include <QStatusBar>

#include <cstring>

using namespace colibri;
using namespace colibri::test;

/// Runs that are saved and come back, as a user does it.
class TestSavedRuns : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void savedAndOpenedAgain();
    void anotherRunFollows();
    void comparedWithAKeptRun();
    void savedWhileItRuns();
    void droppedUnderAnotherName();
    void promptsOfIds();

private:
    QString path(const char* name) const { return m_folder.path(name); }
    SavedRunFolder m_folder;
};

void TestSavedRuns::initTestCase()
{
    QVERIFY(m_folder.make());
}

void TestSavedRuns::init()
{
    QSettings().clear();
}

void TestSavedRuns::savedAndOpenedAgain()
{
    Shown shown;
    QVERIFY(!shown.action("saveRun")->isEnabled() && shown.action("openRun")->isEnabled());
    QVERIFY(shown.open(tinyFolder()));
    EngineOptions engine;
    engine.threads = 1;
    engine.batch = 7;
    engine.context = 128;
    engine.kv = KvType::F16;
    engine.numerics = Numerics::Scalar;
    shown.prompt().engine().setOptions(engine);
    QVERIFY(shown.runPrompt(QStringLiteral("the quick brown fox"), 30));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    QTRY_COMPARE(shown.run().routed(), shown.run().tokens() - 1);
    const Shot before = shotOf(shown.run());
    const StopReason reason = shown.run().finishReason();
    // The suffix comes by itself, the folder is remembered.
    shown.action("saveRun")->trigger();
    QVERIFY(shown.choose("saveRunDialog", path("mine")));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("mine.colibri-run")), answerMs);
    QTRY_VERIFY2(shown.tasks().contains("Save the run to"), qPrintable(shown.tasks()));
    QTRY_VERIFY(shown.window().statusBar()->currentMessage().contains("mine.colibri-run"));
    QCOMPARE(Settings().savedRunFolder(), m_folder.folder());

    shown.prompt().setPrompt(QStringLiteral("something else"));
    shown.prompt().sampling().resetToDefaults();
    shown.prompt().engine().resetToDefaults();
    shown.action("closeModel")->trigger();
    QCOMPARE(shown.run().state(), RunStore::State::Idle);
    QVERIFY(!shown.action("saveRun")->isEnabled());

    shown.action("openRun")->trigger();
    QVERIFY(shown.choose("openRunDialog", path("mine.colibri-run")));
    QVERIFY(shown.waitForSaved(int(before.tokens.size())));
    QTRY_VERIFY(shown.page().isVisible());
    QVERIFY(shotOf(shown.run()) == before);
    QVERIFY(!before.timings.empty() && before.logits.size() == before.experts.size() / 2 * 6);
    QCOMPARE(shown.run().state(), RunStore::State::Finished);
    QCOMPARE(shown.run().finishReason(), reason);
    QVERIFY2(shown.state().startsWith("Saved run mine.colibri-run: Finished"), qPrintable(shown.state()));
    // The panel asks for the same, computed as the user has it set; how it was made is said.
    const RunSpec spec = shown.prompt().spec();
    QCOMPARE(spec.promptText, QStringLiteral("the quick brown fox"));
    QCOMPARE(spec.maxTokens, 30u);
    QCOMPARE(spec.sampling.temperature, 0.75f);
    QCOMPARE(spec.sampling.seed, 12u);
    QCOMPARE(spec.sampling.topK, 30u);
    QVERIFY(spec.engine == EngineOptions{});
    QVERIFY(shown.run().spec().engine == engine);
    QCOMPARE(shown.tipOfState(), QStringLiteral("Made with: scalar, f16 cache, threads 1, batch 7, context 128"));
    QCOMPARE(spec.pace, 0.0);
    QVERIFY(shown.enabled(Run) && shown.enabled(Step) && !shown.enabled(Continue) && !shown.enabled(Stop));
    // Its text is there, and a click on its grid selects a decision.
    auto& view = shown.page().textView();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), before.text);
    auto& grid = shown.page().gridView();
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Home, Qt::ControlModifier);
    QTest::keyClick(&grid, Qt::Key_Right);
    QTest::keyClick(&grid, Qt::Key_Down);
    const auto& report = shown.window().findChild<TokenDetails*>()->report();
    QVERIFY(report);
    const auto row = std::size_t(report->position * 2 + report->layer);
    QCOMPARE(report->logitState, LogitState::Held);
    QCOMPARE(report->chosen[0].expert, int(before.experts[row * 2]));
    QCOMPARE(report->chosen[1].weight, before.weights[row * 3 + 1]);
    QVERIFY(std::memcmp(report->logits.data(), &before.logits[row * 6], 6 * sizeof(float)) == 0);
    QVERIFY(picture(shown.window(), QStringLiteral("opened")));
    // Saved again it is the same run.
    QVERIFY(shown.save(path("again.colibri-run")));
    QFile::remove(path("mine.colibri-run"));
    QVERIFY(shown.drop(path("again.colibri-run")));
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().file() == path("again.colibri-run"), answerMs);
    QTRY_COMPARE(shown.run().tokens(), int(before.tokens.size()));
    QVERIFY(shotOf(shown.run()) == before);
}

void TestSavedRuns::anotherRunFollows()
{
    Shown shown;
    shown.window().openModel(path("first.colibri-run")); // as from the command line
    QTRY_VERIFY_WITH_TIMEOUT(!shown.run().file().isEmpty() && shown.run().tokens() > 20, answerMs);
    QTRY_VERIFY(shown.run().timings().size() > 1);
    const Shot saved = shotOf(shown.run());
    QVERIFY(shown.page().isVisible());
    shown.page().runActions()[Run]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(
        shown.run().file().isEmpty() && shown.run().state() == RunStore::State::Finished, answerMs);
    const Shot own = shotOf(shown.run());
    QCOMPARE(own.text, saved.text); // the same request and the same seed
    QVERIFY(own.tokens == saved.tokens && own.experts == saved.experts && own.weights.size() == saved.weights.size());
    QVERIFY(std::memcmp(own.weights.data(), saved.weights.data(), own.weights.size() * sizeof(float)) == 0);
    QVERIFY(own.timings != saved.timings);
    QVERIFY2(shown.tasks().contains("Run, token limit 24"), qPrintable(shown.tasks()));
    // A step after a saved run begins one, which can go on.
    QVERIFY(shown.drop(path("first.colibri-run")));
    QVERIFY(shown.waitForSaved(int(saved.tokens.size())));
    shown.page().runActions()[Step]->trigger();
    QVERIFY(shown.waitFor(RunStore::State::Paused));
    QVERIFY(shown.run().file().isEmpty() && shown.enabled(Continue));
    QCOMPARE(shown.run().tokens(), saved.prompt + 1);
}

void TestSavedRuns::comparedWithAKeptRun()
{
    Shown shown;
    QVERIFY(shown.drop(path("first.colibri-run")));
    QTRY_VERIFY_WITH_TIMEOUT(!shown.run().file().isEmpty() && shown.run().tokens() > 20, answerMs);
    shown.action("keepRun")->trigger();
    QVERIFY(shown.page().keptView().isVisible());
    auto& kept = shown.page().keptView();
    const QString text = shown.run().text();
    QVERIFY(shown.runPrompt(QStringLiteral("the quick brown dog"), 20));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    kept.setFocus();
    QTest::keyClick(&kept, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&kept, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), text);
    QVERIFY(shown.run().text() != text);
    // And the other way round: a saved run beside one that was made here.
    shown.action("keepRun")->trigger();
    QVERIFY(shown.drop(path("first.colibri-run")));
    QTRY_COMPARE_WITH_TIMEOUT(shown.run().text(), text, answerMs);
    QVERIFY(kept.isVisible()); // the model is the same, the kept run stays
    QVERIFY(picture(shown.window(), QStringLiteral("compared")));
}

void TestSavedRuns::savedWhileItRuns()
{
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    shown.prompt().setPrompt(QStringLiteral("the quick brown fox"));
    SamplingChoice choice;
    choice.maxTokens = 60;
    shown.prompt().sampling().setChoice(choice);
    shown.prompt().setPace(20);
    shown.page().runActions()[Run]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().tokens() - shown.run().promptTokens() >= 3, answerMs);
    QVERIFY(shown.save(path("half.colibri-run")));
    QVERIFY(shown.run().busy()); // saving does not stop it
    const auto saved = loadRun(path("half.colibri-run").toStdString(), {}, {});
    QVERIFY(saved && saved->reason == StopReason::Paused);
    const auto tokens = int(saved->record->tokens());
    QVERIFY(tokens < shown.run().promptTokens() + 60 && saved->record->routed() > 0);
    // A run under way is stopped by the one that is opened, and says no more.
    QVERIFY(shown.drop(path("half.colibri-run")));
    QVERIFY(shown.waitForSaved(tokens));
    QTest::qWait(200);
    QCOMPARE(shown.run().tokens(), tokens);
    QCOMPARE(shown.run().state(), RunStore::State::Finished);
    QVERIFY(!shown.enabled(Continue) && shown.enabled(Run));
    QVERIFY2(shown.state().contains("before its end"), qPrintable(shown.state()));
    for (int position = 0; position < tokens; ++position)
        QCOMPARE(shown.run().piece(position).id, saved->record->token(std::uint32_t(position)));
}

void TestSavedRuns::droppedUnderAnotherName()
{
    QVERIFY(QFile::copy(path("first.colibri-run"), path("notes.txt")));
    QTemporaryDir other;
    QVERIFY(test::writeHuggingFaceModel(other.path().toStdString(), {}));
    Shown shown;
    QVERIFY(shown.open(other.path()));
    QVERIFY(shown.drop(path("notes.txt")));
    QTRY_VERIFY_WITH_TIMEOUT(!shown.run().file().isEmpty(), answerMs);
    QVERIFY(shown.window().windowTitle().contains(QStringLiteral("qwen3moe-f32"))); // its model took the place
    QCOMPARE(shown.prompt().spec().promptText, QStringLiteral("the quick brown fox"));
    // The name alone makes no saved run.
    QVERIFY(QFile::copy(tinyFolder() + QStringLiteral("/config.json"), path("fake.colibri-run")));
    QVERIFY(shown.drop(path("fake.colibri-run")));
    QTRY_VERIFY_WITH_TIMEOUT(!shown.page().isVisible(), answerMs);
    QVERIFY(!shown.box());
}

void TestSavedRuns::promptsOfIds()
{
    QTemporaryDir model;
    QVERIFY(test::writeHuggingFaceModel(model.path().toStdString(), {}));
    Shown shown;
    QVERIFY(shown.open(model.path()));
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    QTRY_COMPARE(shown.run().routed(), shown.run().tokens() - 1);
    const Shot before = shotOf(shown.run());
    QVERIFY(shown.save(path("ids.colibri-run")));
    shown.action("closeModel")->trigger();
    QVERIFY(shown.drop(path("ids.colibri-run")));
    QVERIFY(shown.waitForSaved(int(before.tokens.size())));
    QVERIFY(shotOf(shown.run()) == before);
    QCOMPARE(shown.prompt().spec().promptIds, (std::vector<TokenId>{5, 6, 7}));
}

QTEST_MAIN(TestSavedRuns)
#include "tst_savedruns.moc"
