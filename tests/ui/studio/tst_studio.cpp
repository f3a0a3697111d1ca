// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cli/arrays.h"
#include "memory/fault_guard.h"
#include "support/generatedmodel.h"
#include "ui/session/generatedfolder.h"
#include "ui/support/ownsettings.h"
#include "ui/support/pictures.h"
#include "ui/support/shownstudio.h"
#include "views/run/expertgridview.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QFile>
#include <QInputMethodEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProcess>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace colibri;
using namespace colibri::test;

/// The whole window, as its user works it: clicks and keys, and what the headless program says of the same tokens.
class TestStudio : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void runStopStepRun_data();
    void runStopStepRun();
    void closeDuringRun();
    void closeDuringOpening();
    void errorsAreShown_data();
    void errorsAreShown();
    void fileThatShrinks();

private:
    static QJsonObject program(const QStringList& arguments);

    OwnSettings m_settings;
};

namespace {

constexpr auto typed = "Once upon a time there was a "; // by keys
constexpr auto composed = "春眠"; // by an input method

struct Shown : ShownStudio {
    Shown()
        : ShownStudio({1100, 700})
    {
    }
    TokenDetails& details() { return *window().findChild<TokenDetails*>(); }
    QToolButton* button(int action)
    {
        for (QToolButton* button : page().findChildren<QToolButton*>())
            if (button->defaultAction() == page().runActions()[action])
                return button;
        return nullptr;
    }
    void click(QWidget* widget) { QTest::mouseClick(widget, Qt::LeftButton); }
    template <class T>
    T* named(const char* accessibleName)
    {
        for (T* widget : page().findChildren<T*>())
            if (widget->accessibleName() == accessibleName)
                return widget;
        return nullptr;
    }
    /// All text of the run, through the clipboard.
    QString text()
    {
        QApplication::clipboard()->clear();
        page().textView().setFocus();
        QTest::keyClick(&page().textView(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&page().textView(), Qt::Key_C, Qt::ControlModifier);
        return QApplication::clipboard()->text();
    }
    /// What can be read in the window's labels.
    QString labels()
    {
        QString all;
        for (const QLabel* label : window().findChildren<QLabel*>())
            if (label->isVisible())
                all += label->text() + '\n';
        return all;
    }
};

bool openDemo(Shown& shown)
{
    auto* const demo = shown.window().findChild<QToolButton*>("openDemoButton");
    if (!demo)
        return false;
    shown.click(demo);
    return QTest::qWaitFor([&] { return shown.page().isVisible(); }, 5000);
}

bool picture(Shown& shown, const QString& name)
{
    QTest::qWait(50); // layouts follow their contents with the next events
    return savePicture(shown.window(), name);
}

} // namespace

void TestStudio::initTestCase()
{
    QVERIFY(m_settings.begin());
    installFaultGuard();
}

QJsonObject TestStudio::program(const QStringList& arguments)
{
    QProcess process;
    process.start(COLIBRI_PROGRAM, arguments);
    process.waitForFinished(60000);
    return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
}

void TestStudio::runStopStepRun_data()
{
    QTest::addColumn<QString>("theme");
    QTest::newRow("light") << "themeLight";
    QTest::newRow("dark") << "themeDark";
}

void TestStudio::runStopStepRun()
{
    QFETCH(QString, theme);
    const QString promptText = QString::fromUtf8(typed) + QString::fromUtf8(composed);
    Shown shown;
    shown.window().findChild<QAction*>(theme)->trigger();
    QVERIFY(picture(shown, "start-" + theme));
    QVERIFY(openDemo(shown));
    QVERIFY(picture(shown, "empty-" + theme));

    // Prompt, seed, length and pace, as a user sets them.
    auto* const edit = shown.page().findChild<QPlainTextEdit*>();
    QVERIFY(edit);
    shown.click(edit->viewport());
    QTest::keyClick(edit, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(edit, typed);
    QInputMethodEvent input;
    input.setCommitString(QString::fromUtf8(composed));
    QApplication::sendEvent(edit, &input);
    SamplingForm& sampling = shown.prompt().sampling();
    sampling.setFolded(false);
    SamplingChoice choice;
    choice.sampling.temperature = 0.8f;
    choice.sampling.seed = 11;
    choice.maxTokens = 40;
    sampling.setChoice(choice);
    QCOMPARE(shown.prompt().pace(), 20.0); // what a fresh window has
    QVERIFY(shown.enabled(Run) && !shown.enabled(Stop));

    // Run at pace 20, stop in the middle.
    QElapsedTimer timer;
    timer.start();
    shown.click(shown.button(Run));
    QVERIFY(QTest::qWaitFor([&] { return shown.enabled(Stop); }, 2000));
    QTRY_VERIFY_WITH_TIMEOUT(shown.text().size() > promptText.size() + 20, 8000);
    QVERIFY(picture(shown, "running-" + theme));
    const qint64 elapsed = timer.elapsed();
    shown.click(shown.button(Stop));
    QVERIFY(QTest::qWaitFor([&] { return shown.enabled(Continue); }, 500));
    QVERIFY(!shown.enabled(Stop));
    const QString stopped = shown.text();
    QTest::qWait(150);
    QCOMPARE(shown.text(), stopped); // stopped is stopped
    QVERIFY2(elapsed > 200, "the pace was not kept");

    // One token, then the rest at full speed.
    shown.click(shown.button(Step));
    QTRY_VERIFY_WITH_TIMEOUT(shown.text().size() > stopped.size() && shown.enabled(Continue), 2000);
    auto* const pace = shown.named<QSlider>("Pace in tokens a second");
    QVERIFY(pace);
    pace->setFocus();
    QTest::keyClick(pace, Qt::Key_End);
    QCOMPARE(shown.prompt().pace(), 0.0);
    shown.click(shown.button(Continue));
    QVERIFY(QTest::qWaitFor([&] { return !shown.enabled(Stop) && !shown.enabled(Continue); }, 10000));

    // The same run by the headless program.
    const QJsonObject run =
        program({"run", "demo", "-p", promptText, "-n", "40", "--temperature", "0.8", "--seed", "11", "--json"});
    QCOMPARE(shown.text(), promptText + run["text"].toString());

    // Every token and layer in the grid and its details, against the headless program's logits of the same tokens.
    QJsonArray all = run["prompt_token_ids"].toArray();
    const QJsonArray made = run["token_ids"].toArray();
    QCOMPARE(made.size(), 40);
    for (const QJsonValue& id : made)
        all.append(id);
    QStringList tokens;
    for (const QJsonValue& id : all)
        tokens.append(QString::number(id.toInt()));
    QTemporaryDir out;
    program({"logits", "demo", "--tokens", tokens.join(','), "--out", out.filePath("logits")});
    const std::vector<float> routerLogits = test::readArray<float>(out.filePath("logits/router_logits.f32"));
    const std::vector<float> weights = test::readArray<float>(out.filePath("logits/expert_weights.f32"));
    const std::vector<quint16> experts = test::readArray<quint16>(out.filePath("logits/experts.u16"));
    const std::size_t n = std::size_t(all.size());
    QCOMPARE(routerLogits.size(), 6 * n * 16);

    ExpertGridView& grid = shown.page().gridView();
    grid.setFocus();
    QTest::keyClick(&grid, Qt::Key_Home, Qt::ControlModifier);
    for (std::size_t token = 0; token < n; ++token) {
        QTest::keyClick(&grid, Qt::Key_Home, Qt::ControlModifier);
        QTest::keyClick(&grid, Qt::Key_Home);
        for (std::size_t i = 0; i < token; ++i)
            QTest::keyClick(&grid, Qt::Key_Right);
        for (std::size_t layer = 0; layer < 6; ++layer) {
            const auto& report = shown.details().report();
            QVERIFY(report);
            QCOMPARE(report->position, int(token));
            QCOMPARE(report->layer, int(layer));
            QCOMPARE(report->piece.id, TokenId(all[qsizetype(token)].toInt()));
            if (token + 1 == n) {
                QCOMPARE(report->logitState, LogitState::NotRouted); // the last token went through no layer
            } else {
                QCOMPARE(report->logitState, LogitState::Held);
                for (std::size_t rank = 0; rank < 2; ++rank) {
                    QCOMPARE(report->chosen[rank].expert, int(experts[(layer * n + token) * 2 + rank]));
                    QCOMPARE(report->chosen[rank].weight, weights[(layer * n + token) * 2 + rank]);
                }
                QVERIFY(std::memcmp(report->logits.data(), &routerLogits[(layer * n + token) * 16], 16 * sizeof(float))
                    == 0);
            }
            QTest::keyClick(&grid, Qt::Key_Down);
        }
    }
    QTest::keyClick(&grid, Qt::Key_Left);
    QVERIFY(picture(shown, "finished-" + theme));
    for (const char* const page : {"routing", "latency", "model"}) {
        shown.window().showPage(QLatin1String(page));
        QTest::qWait(200); // pages catch up when they are shown
        QVERIFY(picture(shown, QLatin1String(page) + "-" + theme));
    }
    for (QAction* const action : shown.window().docks().toggles())
        if (!action->isChecked())
            action->trigger();
    QTest::qWait(100);
    QVERIFY(picture(shown, "panels-" + theme));
}

void TestStudio::closeDuringRun()
{
    auto shown = std::make_unique<Shown>();
    QVERIFY(openDemo(*shown));
    shown->page().promptPanel().setPrompt("Once upon a time");
    shown->click(shown->button(Run));
    QVERIFY(QTest::qWaitFor([&] { return shown->enabled(Stop); }, 2000));
    QTest::qWait(100);
    QElapsedTimer timer;
    timer.start();
    QVERIFY(shown->window().close());
    shown.reset();
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
}

void TestStudio::closeDuringOpening()
{
    // 800 MB of weights that are a hole in the file: opening takes a while, the disk nothing.
    QTemporaryDir folder;
    GeneratedModel model;
    model.vocabulary = 100'000;
    model.layers = 1;
    model.experts = 4;
    QVERIFY(writeGeneratedFolder(folder.path(), model) > 800'000'000);

    for (const int wait : {0, 1, 5, 30, 120}) {
        auto shown = std::make_unique<Shown>();
        shown->window().openModel(folder.path());
        QTest::qWait(wait);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(shown->window().close());
        shown.reset();
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    }
}

void TestStudio::errorsAreShown_data()
{
    QTest::addColumn<std::function<QString(QTemporaryDir&)>>("make");
    QTest::addColumn<QStringList>("parts");
    using Make = std::function<QString(QTemporaryDir&)>;
    QTest::newRow("missing") << Make([](QTemporaryDir& d) { return d.filePath("nothing"); }) << QStringList{"nothing"};
    QTest::newRow("no model") << Make([](QTemporaryDir& d) { return d.path(); }) << QStringList{"config.json"};
    QTest::newRow("truncated weights") << Make([](QTemporaryDir& d) {
        test::writeHuggingFaceModel(d.path().toStdString(), {});
        QFile::resize(d.filePath("model.safetensors"), 100);
        return d.path();
    }) << QStringList{"model.safetensors", "header"};
    QTest::newRow("no JSON") << Make([](QTemporaryDir& d) {
        test::writeHuggingFaceModel(d.path().toStdString(), {});
        test::writeFile(d.filePath("config.json").toStdString(), "{\"model_type\": qwen");
        return d.path();
    }) << QStringList{"config.json", "offset"};
}

void TestStudio::errorsAreShown()
{
    QFETCH(std::function<QString(QTemporaryDir&)>, make);
    QFETCH(QStringList, parts);
    QTemporaryDir folder;
    const QString path = make(folder);
    Shown shown;
    shown.window().openModel(path);
    for (const QString& part : parts)
        QTRY_VERIFY2_WITH_TIMEOUT(shown.labels().contains(part), qPrintable(shown.labels()), 3000);
}

void TestStudio::fileThatShrinks()
{
    QTemporaryDir folder;
    test::GeneratedShape shape;
    shape.hidden = 256;
    shape.ffn = 256;
    QVERIFY(test::writeHuggingFaceModel(folder.path().toStdString(), shape));
    Shown shown;
    shown.window().openModel(folder.path());
    QVERIFY(QTest::qWaitFor([&] { return shown.page().isVisible(); }, 5000));
    shown.prompt().setPrompt("1, 2, 3");
    shown.click(shown.button(Run));
    QVERIFY(QTest::qWaitFor([&] { return shown.studio.run().tokens() > 5; }, 5000));
    QVERIFY(QFile::resize(folder.filePath("model.safetensors"), 60000));
    QTRY_VERIFY2_WITH_TIMEOUT(shown.labels().contains("shrank"), qPrintable(shown.labels()), 5000);
    QVERIFY(!shown.enabled(Stop));
}

QTEST_MAIN(TestStudio)
#include "tst_studio.moc"
