// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/inspect.h"
#include "memory/fault_guard.h"
#include "support/generatedmodel.h"
#include "ui/support/ownsettings.h"
#include "ui/support/pictures.h"
#include "ui/support/shownstudio.h"
#include "views/export/exportdialog.h"
#include "views/model/modelpage.h"
#include "views/model/modeltree.h"
#include "views/model/tensorpanel.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

namespace {

const QString data = QStringLiteral(COLIBRI_TEST_DATA);
constexpr std::uint64_t cutBytes = 200000; ///< what is left of "cut.gguf"

struct Shown : ShownStudio {
    ModelPage& model() { return *window().findChild<ModelPage*>(); }
    QAction* runAction() { return page().runActions()[Run]; }
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
    void goTo(int which) { clickTab(*part<QTabWidget>("pages"), which); }
    QTableView& tensors() { return *model().tensors().findChild<QTableView*>(); }
    bool waitForAnswer() ///< to the newest opening, during which no page is seen
    {
        return QTest::qWaitFor([&] { return model().isVisible() || page().isVisible() || sees("errorWhy"); }, answerMs);
    }
    bool open(const QString& path)
    {
        window().openModel(path);
        return waitForAnswer();
    }
};
enum { RunPageAt, RoutingPageAt, LatencyPageAt, ModelPageAt };

bool picture(Shown& shown, const char* name)
{
    QTest::qWait(50); // layouts follow their contents with the next events
    return savePicture(shown.window(), QStringLiteral("inspection-") + QLatin1String(name));
}

} // namespace

/// Models that cannot be run, as a user looks at them.
class TestInspection : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void unknownArchitecture();
    void truncatedFileAndAgain();
    void missingShard();
    void nothingRunsIt();
    void aRunnableModelAfterwards();
    void errorPage();
    void relativePaths();
    void chosenFiles_data();
    void chosenFiles();

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }

    OwnSettings m_settings;
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
    QVERIFY(writeFile(path("other.gguf").toStdString(), other.toStdString()));
    QVERIFY(writeFile(path("cut.gguf").toStdString(), whole.left(qsizetype(cutBytes)).toStdString()));
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
    QTRY_VERIFY(shown.page().isVisible());
    QVERIFY(shown.sees("runRefusalWhy") && !shown.prompt().findChild<QPlainTextEdit*>()->isVisible());
    QVERIFY(shown.text("runRefusalWhy").contains("\"qwen9moe\" is not known"));
    for (const QAction* const action : shown.page().runActions())
        QVERIFY(!action->isEnabled());
    QVERIFY(shown.runAction()->toolTip().contains("\"qwen9moe\" is not known"));
    shown.click("copyRunRefusal");
    QVERIFY(QApplication::clipboard()->text().contains("qwen9moe"));
    QVERIFY(picture(shown, "run"));
    for (QPushButton* const button : shown.page().findChildren<QPushButton*>())
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
    const auto whole = inspectModel(data.toStdString() + "/gguf/model.gguf");
    QVERIFY(whole);
    int beyond = 0;
    int across = 0;
    for (const TensorInfo& tensor : whole->tensors) {
        beyond += tensor.offset >= cutBytes;
        across += tensor.offset < cutBytes && tensor.offset + tensor.size > cutBytes;
    }
    QVERIFY(beyond > 3 && across == 1);
    int missing = 0;
    int cut = 0;
    for (int row = 0; row < tensors.rowCount(); ++row) {
        const QString text = tensors.index(row, last).data().toString();
        missing += text == QLatin1String("all");
        cut += text.contains(" of ");
        QCOMPARE(tensors.index(row, 0).data().toString().startsWith(QChar(0x26a0)), !text.isEmpty());
    }
    QCOMPARE(missing, beyond);
    QCOMPARE(cut, across);
    QVERIFY(picture(shown, "tensors"));
    Shown::clickTab(shown.model().tabs(), 3);
    QVERIFY(shown.model().tabs().currentWidget()->findChild<QTableView*>()->model()->rowCount() > 10); // rules

    QVERIFY(QFile::remove(path("later.gguf")) && QFile::copy(data + "/gguf/model.gguf", path("later.gguf")));
    shown.click("retryModelRefusal");
    QTRY_VERIFY_WITH_TIMEOUT(shown.page().isVisible(), answerMs);
    QVERIFY(!shown.window().windowTitle().contains("cannot be run"));
    QVERIFY(shown.prompt().findChild<QPlainTextEdit*>()->isVisible() && !shown.sees("runRefusalWhy"));
    shown.goTo(ModelPageAt);
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(!shown.sees("modelRefusalTitle"));
    QCOMPARE(tensors.columnCount(), last);
}

void TestInspection::missingShard()
{
    const QString folder = path("shards");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(QFile::copy(data + "/qwen3moe-f32/config.json", folder + "/config.json"));
    QVERIFY(writeFile((folder + "/model.safetensors.index.json").toStdString(),
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
    shown.prompt().setPrompt("1, 2, 3");
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
    QTRY_VERIFY_WITH_TIMEOUT(shown.page().isVisible(), answerMs);
    shown.prompt().setPrompt("the quick brown fox");
    shown.prompt().setPace(0);
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
    QVERIFY(writeFile(file.toStdString(), model.read(2000).toStdString()));
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
    QTRY_VERIFY_WITH_TIMEOUT(shown.page().isVisible(), answerMs);
}

void TestInspection::relativePaths()
{
    const auto back = qScopeGuard([before = QDir::currentPath()] { QDir::setCurrent(before); });
    QVERIFY(QDir::setCurrent(m_folder.path()));
    Shown shown;
    QVERIFY(shown.open("./nothing.gguf"));
    QTRY_VERIFY(shown.sees("errorWhere"));
    QCOMPARE(shown.text("errorWhere"), QDir::currentPath() + "/nothing.gguf");
    QCOMPARE(shown.text("openingPath"), QDir::currentPath() + "/nothing.gguf");
    QVERIFY(shown.open("other.gguf"));
    QTRY_VERIFY(shown.model().isVisible());
    QVERIFY(shown.window().windowTitle().startsWith(QDir::currentPath() + "/other.gguf"));
}

void TestInspection::chosenFiles_data()
{
    QTest::addColumn<QString>("chosen");
    QTest::addColumn<QString>("title");
    const QString raw = path("raw");
    QVERIFY(QDir().mkpath(raw));
    for (int expert = 0; expert < 2; ++expert)
        QVERIFY(writeFile(
            QStringLiteral("%1/expert_%2.bin").arg(raw).arg(expert).toStdString(), std::string((8 * 8 + 8) * 2, '\1')));
    QVERIFY(writeFile((raw + "/config.json").toStdString(), R"({"hidden_size":8,"output_size":8})"));
    QVERIFY(writeFile((raw + "/router_table.bin").toStdString(), std::string(20, '\0')));
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
    QVERIFY(shown.choose("modelDialog", chosen));
    QVERIFY(shown.waitForAnswer());
    QVERIFY2(!shown.sees("errorWhy"), qPrintable(shown.text("errorWhy")));
    QVERIFY2(shown.window().windowTitle().startsWith(title), qPrintable(shown.window().windowTitle()));
}

QTEST_MAIN(TestInspection)
#include "tst_inspection.moc"
