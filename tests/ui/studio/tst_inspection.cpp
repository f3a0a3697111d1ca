// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/fault_guard.h"
#include "studio.h"
#include "support/generatedmodel.h"
#include "ui/support/ownsettings.h"
#include "ui/support/pictures.h"
#include "views/export/exportdialog.h"
#include "views/model/modelpage.h"
#include "views/model/modeltree.h"
#include "views/model/tensorpanel.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri;

namespace {

constexpr int answerMs = 60000;
const QString data = QStringLiteral(COLIBRI_TEST_DATA);

/// A studio with a shown window, and the ways to its parts.
struct Shown {
    Shown()
    {
        studio.window().resize(1000, 650);
        studio.window().show();
        studio.window().activateWindow();
        (void)QTest::qWaitForWindowActive(&studio.window());
    }
    MainWindow& window() { return studio.window(); }
    template <class T>
    T* part(const char* name)
    {
        return window().findChild<T*>(QLatin1String(name));
    }
    RunPage& run() { return *window().findChild<RunPage*>(); }
    ModelPage& model() { return *window().findChild<ModelPage*>(); }
    QAction* runAction() { return run().runActions().first(); }
    QString text(const char* label) { return part<QLabel>(label)->text(); }
    bool sees(const char* name)
    {
        auto* const widget = part<QWidget>(name);
        return widget && widget->isVisible();
    }
    void click(const char* button) { QTest::mouseClick(part<QPushButton>(button), Qt::LeftButton); }
    static void clickTab(const QTabWidget& tabs, int index)
    {
        QTest::mouseClick(tabs.tabBar(), Qt::LeftButton, {}, tabs.tabBar()->tabRect(index).center());
    }
    void goTo(int page) { clickTab(*part<QTabWidget>("pages"), page); }
    QTableView& tensors() { return *model().tensors().findChild<QTableView*>(); }
    bool open(const QString& path)
    {
        window().openModel(path);
        return QTest::qWaitFor([&] { return model().isVisible() || run().isVisible() || sees("errorWhy"); }, answerMs);
    }
    Studio studio;
};
enum { RunPageAt, RoutingPageAt, LatencyPageAt, ModelPageAt };

bool picture(Shown& shown, const char* name)
{
    QTest::qWait(50); // layouts follow their contents with the next events
    return test::savePicture(shown.window(), QStringLiteral("inspection-") + QLatin1String(name));
}

} // namespace

/// Models that cannot be run, as a user looks at them.
class TestInspection : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void unknownArchitecture();
    void truncatedFileAndAgain();
    void missingExpert();
    void nothingRunsIt();
    void aRunnableModelAfterwards();
    void errorPage();
    void relativePaths();
    void chosenFiles_data();
    void chosenFiles();

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }

    test::OwnSettings m_settings;
    QTemporaryDir m_folder;
};

void TestInspection::initTestCase()
{
    QVERIFY(m_folder.isValid() && m_settings.begin());
    installFaultGuard();
    QFile model(data + "/gguf/model.gguf");
    QVERIFY(model.open(QIODevice::ReadOnly));
    const QByteArray whole = model.readAll();
    QByteArray other = whole;
    other.replace(other.indexOf("qwen3moe"), 8, "qwen9moe");
    QVERIFY(test::writeFile(path("other.gguf").toStdString(), other.toStdString()));
    QVERIFY(test::writeFile(path("cut.gguf").toStdString(), whole.left(200000).toStdString()));
}

void TestInspection::unknownArchitecture()
{
    Shown shown;
    QVERIFY(shown.open(path("other.gguf")));
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(shown.sees("modelRefusalTitle") && shown.sees("modelRefusalWhy"));
    QVERIFY(shown.text("modelRefusalWhy").contains("\"qwen9moe\" is not known"));
    QVERIFY(shown.text("modelRefusalWhere").startsWith(path("other.gguf") + " at offset "));
    QVERIFY(shown.window().windowTitle().contains("other.gguf, cannot be run"));
    QVERIFY(shown.text("statusModel").contains("cannot be run"));
    shown.click("copyModelRefusal");
    QVERIFY(QApplication::clipboard()->text().contains("other.gguf at offset"));
    QVERIFY(picture(shown, "model"));

    Shown::clickTab(shown.model().tabs(), 1);
    QCOMPARE(shown.tensors().model()->rowCount(), 27);
    QVERIFY(!shown.model().tabs().isTabEnabled(3)); // no rules are known
    Shown::clickTab(shown.model().tabs(), 4);
    const auto* const metadata = shown.model().tabs().currentWidget()->findChild<QTableView*>()->model();
    QVERIFY(metadata->rowCount() > 10);
    QTest::keyClick(&shown.window(), Qt::Key_1, Qt::AltModifier);
    auto* const tree = shown.window().findChild<ModelTree*>();
    QTRY_VERIFY(tree->isVisible());
    QVERIFY(tree->findChild<QAbstractItemView*>()->model()->rowCount() > 0);
    Shown::clickTab(shown.model().tabs(), 0);

    shown.goTo(RunPageAt);
    QTRY_VERIFY(shown.run().isVisible());
    QVERIFY(shown.sees("runRefusalWhy") && !shown.run().promptPanel().findChild<QPlainTextEdit*>()->isVisible());
    QVERIFY(shown.text("runRefusalWhy").contains("\"qwen9moe\" is not known"));
    for (const QAction* const action : shown.run().runActions())
        QVERIFY(!action->isEnabled());
    QVERIFY(shown.runAction()->toolTip().contains("\"qwen9moe\" is not known"));
    shown.click("copyRunRefusal");
    QVERIFY(QApplication::clipboard()->text().contains("qwen9moe"));
    QVERIFY(picture(shown, "run"));
    for (QPushButton* const button : shown.run().findChildren<QPushButton*>())
        if (button->text().contains("Model page"))
            QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(shown.model().isVisible());
}

void TestInspection::truncatedFileAndAgain()
{
    QFile::remove(path("later.gguf"));
    QVERIFY(QFile::copy(path("cut.gguf"), path("later.gguf")));
    Shown shown;
    QVERIFY(shown.open(path("later.gguf")));
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(shown.text("modelRefusalWhy").contains("bytes early"));
    QVERIFY(shown.text("modelRefusalWhere").contains(" (0x"));
    Shown::clickTab(shown.model().tabs(), 1);
    const QAbstractItemModel& tensors = *shown.tensors().model();
    QCOMPARE(tensors.rowCount(), 27);
    const int last = tensors.columnCount() - 1;
    QCOMPARE(tensors.headerData(last, Qt::Horizontal).toString(), QStringLiteral("Missing"));
    int missing = 0;
    int cut = 0;
    for (int row = 0; row < tensors.rowCount(); ++row) {
        const QString text = tensors.index(row, last).data().toString();
        missing += text == QLatin1String("all");
        cut += text.contains(" of ");
        QCOMPARE(tensors.index(row, 0).data().toString().startsWith(QChar(0x26a0)), !text.isEmpty());
    }
    QVERIFY(missing > 3 && cut <= 1);
    QVERIFY(picture(shown, "tensors"));
    Shown::clickTab(shown.model().tabs(), 3);
    QVERIFY(shown.model().tabs().currentWidget()->findChild<QTableView*>()->model()->rowCount() > 10); // rules

    QVERIFY(QFile::remove(path("later.gguf")) && QFile::copy(data + "/gguf/model.gguf", path("later.gguf")));
    shown.click("retryModelRefusal");
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().isVisible(), answerMs);
    QVERIFY(!shown.window().windowTitle().contains("cannot be run"));
    QVERIFY(shown.run().promptPanel().findChild<QPlainTextEdit*>()->isVisible() && !shown.sees("runRefusalWhy"));
    shown.goTo(ModelPageAt);
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(!shown.sees("modelRefusalTitle"));
    QCOMPARE(tensors.columnCount(), last);
}

void TestInspection::missingExpert()
{
    const QString folder = path("shards");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(QFile::copy(data + "/qwen3moe-f32/config.json", folder + "/config.json"));
    QVERIFY(test::writeFile((folder + "/model.safetensors.index.json").toStdString(),
        R"({"weight_map":{"model.layers.0.mlp.experts.0.up_proj.weight":"a.safetensors"}})"));
    Shown shown;
    QVERIFY(shown.open(folder));
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(shown.text("modelRefusalWhere").endsWith("/a.safetensors"));
    Shown::clickTab(shown.model().tabs(), 1);
    const QAbstractItemModel& tensors = *shown.tensors().model();
    QCOMPARE(tensors.rowCount(), 1);
    for (int column : {3, 5, 6, 7, 8})
        QCOMPARE(tensors.index(0, column).data().toString(), QStringLiteral("unknown"));
    Shown::clickTab(shown.model().tabs(), 2);
    const auto* const files = shown.model().tabs().currentWidget()->findChild<QTableView*>()->model();
    QCOMPARE(files->index(0, 1).data().toString(), QStringLiteral("missing"));
}

void TestInspection::nothingRunsIt()
{
    Shown shown;
    QVERIFY(shown.open(path("cut.gguf")));
    QTRY_VERIFY(shown.model().isVisible());
    shown.goTo(RunPageAt);
    shown.run().promptPanel().setPrompt("1, 2, 3");
    QVERIFY(!shown.runAction()->isEnabled());
    QTest::keyClick(&shown.window(), Qt::Key_Return, Qt::ControlModifier);
    QTest::keyClick(&shown.window(), Qt::Key_F10);
    QTest::keyClick(&shown.window(), Qt::Key_F5);
    QVERIFY(!shown.part<QAction>("exportModel")->isEnabled());
    QTest::keyClick(&shown.window(), Qt::Key_E, Qt::ControlModifier);
    emit shown.window().exportRequested();
    QTest::qWait(100);
    QVERIFY(!shown.window().findChild<ExportDialog*>());
    QCOMPARE(shown.studio.run().state(), RunStore::State::Idle);
    QCOMPARE(shown.studio.run().tokens(), 0);
}

void TestInspection::aRunnableModelAfterwards()
{
    Shown shown;
    QVERIFY(shown.open(path("cut.gguf")));
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(shown.open(data + "/qwen3moe-f32"));
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().isVisible(), answerMs);
    shown.run().promptPanel().setPrompt("the quick brown fox");
    shown.run().promptPanel().setPace(0);
    QVERIFY(shown.runAction()->isEnabled() && !shown.runAction()->toolTip().contains("cannot be run"));
    shown.runAction()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(shown.studio.run().tokens() > 4, answerMs);
    shown.window().openModel(path("cut.gguf"));
    QTRY_VERIFY_WITH_TIMEOUT(shown.model().isVisible(), answerMs);
    QCOMPARE(shown.studio.run().tokens(), 0);
    QVERIFY(!shown.runAction()->isEnabled());
}

void TestInspection::errorPage()
{
    const QString file = path("head.gguf");
    QFile model(data + "/gguf/model.gguf");
    QVERIFY(model.open(QIODevice::ReadOnly));
    QVERIFY(test::writeFile(file.toStdString(), model.read(2000).toStdString()));
    Shown shown;
    QVERIFY(shown.open(file));
    QTRY_VERIFY(shown.sees("errorWhy"));
    const QString where = shown.text("errorWhere");
    const QRegularExpression form(QRegularExpression::escape(file) + " at offset [0-9,]+ bytes \\(0x[0-9a-f]+\\)");
    QVERIFY2(form.match(where).hasMatch(), qPrintable(where));
    QVERIFY(picture(shown, "error"));
    QFile::remove(file);
    shown.click("retryError");
    QTRY_VERIFY_WITH_TIMEOUT(shown.text("errorWhy").contains("no such file"), answerMs);
    QVERIFY(QFile::copy(data + "/gguf/model.gguf", file));
    shown.click("retryError");
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().isVisible(), answerMs);
}

void TestInspection::relativePaths()
{
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(m_folder.path()));
    Shown shown;
    QVERIFY(shown.open("./nothing.gguf"));
    QTRY_VERIFY(shown.sees("errorWhere"));
    QCOMPARE(shown.text("errorWhere"), QDir::currentPath() + "/nothing.gguf");
    QCOMPARE(shown.text("openingPath"), QDir::currentPath() + "/nothing.gguf");
    QVERIFY(shown.open("other.gguf"));
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(shown.window().windowTitle().startsWith(QDir::currentPath() + "/other.gguf"));
    QVERIFY(QDir::setCurrent(before));
}

void TestInspection::chosenFiles_data()
{
    QTest::addColumn<QString>("chosen");
    QTest::addColumn<QString>("title");
    const QString raw = path("raw");
    QVERIFY(QDir().mkpath(raw));
    for (int expert = 0; expert < 2; ++expert)
        QVERIFY(test::writeFile(
            QStringLiteral("%1/expert_%2.bin").arg(raw).arg(expert).toStdString(), std::string((8 * 8 + 8) * 2, '\1')));
    QVERIFY(test::writeFile((raw + "/config.json").toStdString(), R"({"hidden_size":8,"output_size":8})"));
    QVERIFY(test::writeFile((raw + "/router_table.bin").toStdString(), std::string(20, '\0')));
    QTest::newRow("an expert of a raw export") << raw + "/expert_0.bin" << raw;
    QTest::newRow("the table of a raw export") << raw + "/router_table.bin" << raw;
    QTest::newRow("the folder of a raw export") << raw << raw;
    QTest::newRow("a file of weights") << data + "/qwen3moe-f32/model.safetensors" << data + "/qwen3moe-f32";
    QTest::newRow("a GGUF file") << path("other.gguf") << path("other.gguf");
}

void TestInspection::chosenFiles()
{
    QFETCH(const QString, chosen);
    QFETCH(const QString, title);
    Shown shown;
    shown.part<QAction>("openModel")->trigger();
    auto* const dialog = shown.part<QFileDialog>("modelDialog");
    QVERIFY(dialog && dialog->isVisible());
    bool shows = QFileInfo(chosen).isDir();
    for (const QString& pattern :
        QRegularExpression("\\((.*)\\)").match(dialog->nameFilters().first()).captured(1).split(' '))
        shows |= QDir::match(pattern, QFileInfo(chosen).fileName());
    QVERIFY(shows);
    auto* const name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    name->setText(chosen);
    QTest::keyClick(name, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(shown.run().isVisible() || shown.model().isVisible() || shown.sees("errorWhy"), answerMs);
    QVERIFY2(!shown.sees("errorWhy"), qPrintable(shown.text("errorWhy")));
    QVERIFY2(shown.window().windowTitle().startsWith(title), qPrintable(shown.window().windowTitle()));
}

QTEST_MAIN(TestInspection)
#include "tst_inspection.moc"
