// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/run_file.h"
#include "studio.h"
#include "support/generatedmodel.h"
#include "views/activity/taskpanel.h"
#include "views/run/comparebar.h"
#include "views/run/expertgridview.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUrl>

#include <bit>
#include <cstring>

using namespace colibri;

namespace {

constexpr int answerMs = 60000; ///< far beyond what anything here takes

QString tinyFolder()
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
    Studio studio;
};

void picture(QWidget& window, const QString& name)
{
    QDir().mkpath(COLIBRI_PICTURES);
    QTest::qWait(50);
    window.grab().save(QStringLiteral(COLIBRI_PICTURES "/saved-%1.png").arg(name));
}

} // namespace

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
    void aModelThatIsAnotherOne();
    void aModelThatIsGone();
    void aDamagedFile();
    void savingThatFails();
    void theNewestWins();
    void closedDuringTheWork();

private:
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QTemporaryDir m_folder;
    QTemporaryDir m_settings;
};

void TestSavedRuns::initTestCase()
{
    QCoreApplication::setOrganizationName(QStringLiteral("colibri-test"));
    QCoreApplication::setApplicationName(QStringLiteral("colibri-test"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    Shown shown;
    QVERIFY(!shown.action("saveRun")->isEnabled() && shown.action("openRun")->isEnabled());
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(!shown.action("saveRun")->isEnabled());
    QVERIFY(shown.runPrompt(QStringLiteral("the quick brown fox"), 24));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    shown.studio.window().findChild<RunPage*>()->promptPanel().setPrompt(QStringLiteral("changed since"));
    QVERIFY(shown.save(path("first.colibri-run")));
}

void TestSavedRuns::init()
{
    QSettings().clear();
}

void TestSavedRuns::savedAndOpenedAgain()
{
    Shown shown;
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
    QCOMPARE(Settings().savedRunFolder(), m_folder.path());

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
    // The panel asks for the same.
    const RunSpec spec = shown.prompt().spec();
    QCOMPARE(spec.promptText, QStringLiteral("the quick brown fox"));
    QCOMPARE(spec.maxTokens, 30u);
    QCOMPARE(spec.sampling.temperature, 0.75f);
    QCOMPARE(spec.sampling.seed, 12u);
    QCOMPARE(spec.sampling.topK, 30u);
    QVERIFY(spec.engine == engine);
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
    const auto& report = shown.studio.window().findChild<TokenDetails*>()->report();
    QVERIFY(report);
    const auto row = std::size_t(report->position * 2 + report->layer);
    QCOMPARE(report->logitState, LogitState::Held);
    QCOMPARE(report->chosen[0].expert, int(before.experts[row * 2]));
    QCOMPARE(report->chosen[1].weight, before.weights[row * 3 + 1]);
    QVERIFY(std::memcmp(report->logits.data(), &before.logits[row * 6], 6 * sizeof(float)) == 0);
    picture(shown.studio.window(), QStringLiteral("opened"));
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
    shown.studio.window().openModel(path("first.colibri-run")); // as from the command line
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
    picture(shown.studio.window(), QStringLiteral("compared"));
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
    QVERIFY(shown.studio.window().windowTitle().contains(QStringLiteral("qwen3moe-f32"))); // its model took the place
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

void TestSavedRuns::aModelThatIsAnotherOne()
{
    QTemporaryDir folder;
    test::GeneratedShape shape;
    QVERIFY(test::writeHuggingFaceModel(folder.path().toStdString(), shape));
    Shown shown;
    QVERIFY(shown.open(folder.path()));
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    const QString id = QString::fromStdString(shown.run().info().modelId);
    QVERIFY(shown.save(path("old.colibri-run")));
    shown.action("closeModel")->trigger();
    shape.ffn += 3;
    QVERIFY(test::writeHuggingFaceModel(folder.path().toStdString(), shape));
    QVERIFY(shown.drop(path("old.colibri-run")));
    QVERIFY(shown.waitForBox());
    const QString why = shown.box()->informativeText();
    const QString now = QString::fromStdString((*openModel(folder.path().toStdString()))->id());
    QVERIFY(id != now);
    for (const QString& part : {id, now, folder.path(), path("old.colibri-run")})
        QVERIFY2(why.contains(part), qPrintable(why));
    QVERIFY(!shown.box()->isModal());
    QVERIFY2(shown.tasks().contains(now), qPrintable(shown.tasks()));
    QVERIFY(shown.run().file().isEmpty() && shown.run().tokens() == 0);
    picture(*shown.box(), QStringLiteral("another-model"));
    shown.box()->close();
    // The window works on with the model that is there.
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
}

void TestSavedRuns::aModelThatIsGone()
{
    auto folder = std::make_unique<QTemporaryDir>();
    const QString place = folder->path();
    QVERIFY(test::writeHuggingFaceModel(place.toStdString(), {}));
    Shown shown;
    QVERIFY(shown.open(place));
    QVERIFY(shown.runPrompt(QStringLiteral("5, 6 7"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    const QString id = QString::fromStdString(shown.run().info().modelId);
    QVERIFY(shown.save(path("gone.colibri-run")));
    QVERIFY(shown.open(tinyFolder()));
    QTRY_VERIFY(shown.studio.window().windowTitle().contains(QStringLiteral("qwen3moe-f32")));
    folder.reset();
    QVERIFY(shown.drop(path("gone.colibri-run")));
    QVERIFY(shown.waitForBox());
    const QString why = shown.box()->informativeText();
    for (const QString& part : {id, place, path("gone.colibri-run"), tinyFolder()})
        QVERIFY2(why.contains(part), qPrintable(why));
    QVERIFY(shown.run().file().isEmpty());
}

void TestSavedRuns::aDamagedFile()
{
    QFile good(path("first.colibri-run"));
    QVERIFY(good.open(QIODevice::ReadOnly));
    QByteArray bytes = good.readAll();
    bytes[bytes.size() - 100] = char(bytes[bytes.size() - 100] ^ 4);
    QFile bad(path("bad.colibri-run"));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write(bytes) == bytes.size());
    bad.close();
    Shown shown;
    QVERIFY(shown.open(tinyFolder()));
    QVERIFY(shown.runPrompt(QStringLiteral("the quick brown fox"), 9));
    QVERIFY(shown.waitFor(RunStore::State::Finished));
    const QString text = shown.run().text();
    QVERIFY(shown.drop(path("bad.colibri-run")));
    QVERIFY(shown.waitForBox());
    QVERIFY2(shown.box()->informativeText().contains("XXH64"), qPrintable(shown.box()->informativeText()));
    QVERIFY(shown.box()->informativeText().contains(path("bad.colibri-run")));
    QVERIFY2(shown.tasks().contains("XXH64"), qPrintable(shown.tasks()));
    QCOMPARE(shown.run().text(), text); // what was shown stays
    auto* const log = shown.studio.window().findChild<QToolButton*>(QStringLiteral("statusLog"));
    QVERIFY2(log->text().contains("errors: 1"), qPrintable(log->text()));
}

void TestSavedRuns::savingThatFails()
{
    Shown shown;
    QVERIFY(shown.drop(path("first.colibri-run")));
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().tokens() > 20, answerMs);
    const QString target = path("no folder/a.colibri-run");
    shown.action("saveRun")->trigger();
    auto* const dialog = shown.studio.window().findChild<QFileDialog*>(QStringLiteral("saveRunDialog"));
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->text().startsWith("qwen3moe-f32-"));
    emit dialog->fileSelected(target); // the dialog itself refuses folders that are not there
    dialog->close();
    QVERIFY(shown.waitForBox());
    QVERIFY2(shown.box()->informativeText().contains(target), qPrintable(shown.box()->informativeText()));
}

void TestSavedRuns::theNewestWins()
{
    Shown shown;
    QVERIFY(QFile::copy(path("first.colibri-run"), path("second.colibri-run")));
    QVERIFY(shown.open(tinyFolder()));
    for (int i = 0; i < 5; ++i)
        QVERIFY(shown.drop(path("first.colibri-run")));
    QVERIFY(shown.drop(path("second.colibri-run")));
    QTRY_COMPARE_WITH_TIMEOUT(shown.run().file(), path("second.colibri-run"), answerMs);
    QTest::qWait(200);
    QCOMPARE(shown.run().file(), path("second.colibri-run"));
    // An opening of the user's takes the place of the one that a saved run waits for.
    shown.action("closeModel")->trigger();
    QVERIFY(shown.drop(path("first.colibri-run")));
    QVERIFY(shown.open(tinyFolder()));
    QTest::qWait(200);
    QVERIFY(!shown.box());
}

void TestSavedRuns::closedDuringTheWork()
{
    for (const int wait : {0, 1, 5, 20}) {
        auto shown = std::make_unique<Shown>();
        QVERIFY(shown->drop(path("first.colibri-run")));
        QTest::qWait(wait);
        QElapsedTimer clock;
        clock.start();
        QVERIFY(shown->studio.window().close());
        shown.reset();
        QVERIFY2(clock.elapsed() < 2000, qPrintable(QString::number(clock.elapsed())));
    }
}

QTEST_MAIN(TestSavedRuns)
#include "tst_savedruns.moc"
