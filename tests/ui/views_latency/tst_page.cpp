// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownpage.h"

#include "models/timingexport.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QJsonDocument>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

/// The page around its plots: what it says, compares, copies, writes and remembers.
class TestLatencyPage : public QObject {
    Q_OBJECT

private slots:
    void emptySaysWhatWouldFillIt();
    void keptRunIsCompared();
    void sidePlots();
    void exports();
    void exportThatCannotBe();
    void tableCopies();
    void layoutComesBack();
    void everythingHasNameAndTooltip();
};

void TestLatencyPage::emptySaysWhatWouldFillIt()
{
    Shown shown;
    auto* const go = shown.page.findChild<QPushButton*>("goToRun");
    QVERIFY(go && go->isVisible());
    QSignalSpy asked(&shown.page, &LatencyPage::runPageRequested);
    QTest::mouseClick(go, Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    for (const QAction* action : shown.page.exportActions())
        QVERIFY(!action->isEnabled());
    LatencyRun run(shown.store);
    Shown::fill(run, 3);
    QVERIFY(shown.settled());
    QVERIFY(!go->isVisible() && shown.timeline().isVisible());
    for (const QAction* action : shown.page.exportActions())
        QVERIFY(action->isEnabled());
    shown.store.clear();
    QTRY_VERIFY(go->isVisible());
}

void TestLatencyPage::keptRunIsCompared()
{
    Shown shown;
    {
        LatencyRun run(shown.store);
        Shown::fill(run, 150);
    }
    const auto keptColumnsHidden = [&] {
        const TableView& table = shown.page.table();
        return table.isColumnHidden(LatencyModel::Kept) && table.isColumnHidden(LatencyModel::Ratio);
    };
    QVERIFY(keptColumnsHidden());
    shown.kept.keep(shown.store);
    LatencyRun run(shown.store);
    run.prompt(100, 32, 1);
    for (int i = 0; i < 120; ++i)
        run.decode(6);
    run.show();
    QVERIFY(shown.settled());
    const QAbstractItemModel& table = *shown.page.table().model();
    QCOMPARE(table.index(0, LatencyModel::Kept).data(Qt::EditRole).toDouble(), 4.);
    QCOMPARE(table.index(0, LatencyModel::Ratio).data(Qt::EditRole).toDouble(), 1.5);
    const auto texts = shown.timeline().findChildren<QCPItemText*>();
    QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QCPItemText* text) {
        return text->visible() && text->text() == QStringLiteral("kept run P50 4.00 ms");
    }));
    shown.page.histogram().findChild<QAction*>("copyValues")->trigger();
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    double keptPercent = 0;
    for (int line = 1; line + 1 < lines.size(); ++line)
        keptPercent += lines[line].split(u',')[3].toDouble();
    QVERIFY(std::abs(keptPercent - 100) < 1e-6);
    QVERIFY(!keptColumnsHidden());
    shown.kept.clear();
    QVERIFY(shown.settled());
    QVERIFY(table.index(0, LatencyModel::Ratio).data(Qt::EditRole).toString().isEmpty());
}

void TestLatencyPage::sidePlots()
{
    Shown shown;
    LatencyRun run(shown.store, 20'000, "cache misses and branch misses are not counted: a test");
    Shown::fill(run, 100);
    run.faults = 40;
    run.decode(4);
    run.show();
    QVERIFY(shown.settled());
    SidePlot& side = shown.page.side();
    QCPGraph* const graph = side.plot().graph(0);
    double fastest = 0;
    for (int i = 0; i < graph->dataCount(); ++i)
        fastest = std::max(fastest, std::isnan(graph->data()->at(i)->value) ? 0 : graph->data()->at(i)->value);
    QVERIFY(std::abs(fastest - 250) < 15); // 4 ms a token
    auto* const choice = shown.named<QComboBox>("What is plotted below");
    choice->setFocus();
    QTest::keyClick(choice, Qt::Key_Down);
    QCOMPARE(side.choice(), SidePlot::Faults);
    QCOMPARE(graph->data()->at(0)->value, 2.);
    QCOMPARE(graph->data()->at(graph->dataCount() - 1)->value, 40.);
    QTest::keyClick(choice, Qt::Key_Down);
    QVERIFY(!side.plot().isVisible());
    QCOMPARE(side.reason(), QStringLiteral("Here cache misses and branch misses are not counted: a test."));
    QVERIFY(shown.named<QLabel>("Notes on the figures")->text().contains("not counted: a test"));
    run.misses = 1234;
    run.decode(4);
    run.show();
    QVERIFY(shown.settled());
    QVERIFY(side.plot().isVisible());
    QCOMPARE(graph->data()->at(graph->dataCount() - 1)->value, 1234.);
}

void TestLatencyPage::exports()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 5000);
    QVERIFY(shown.settled());
    QTemporaryDir folder;
    QSignalSpy saved(&shown.page, &LatencyPage::timingsSaved);
    const QString table = folder.filePath("a.csv");
    shown.page.exportActions()[0]->trigger();
    auto* const dialog = shown.page.findChild<QFileDialog*>("saveDialog");
    QVERIFY(dialog);
    dialog->close();
    shown.page.saveTimings(table, timingsAsCsv(shown.store.pauses()));
    QTRY_COMPARE(saved.size(), 1);
    QFile file(table);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), 5005);
    const QString trace = folder.filePath("a.json");
    shown.page.saveTimings(trace, timingsAsTrace(shown.store.info(), "m", 0));
    QTRY_COMPARE(saved.size(), 2);
    QFile json(trace);
    QVERIFY(json.open(QIODevice::ReadOnly));
    const QJsonDocument document = QJsonDocument::fromJson(json.readAll());
    QVERIFY(document.isObject());
    // While a file is written the run may be replaced by another one.
    shown.page.saveTimings(trace, timingsAsTrace(shown.store.info(), "m", 0));
    shown.store.clear();
    QTRY_COMPARE(saved.size(), 3);
}

void TestLatencyPage::exportThatCannotBe()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 5);
    QVERIFY(shown.settled());
    shown.page.saveTimings("/nowhere/at/all.csv", timingsAsCsv(shown.store.pauses()));
    auto* const box = shown.page.findChild<QMessageBox*>();
    QVERIFY(box && box->text().contains("/nowhere/at/all.csv"));
    box->close();
}

void TestLatencyPage::tableCopies()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 150);
    QVERIFY(shown.settled());
    TableView& table = shown.page.table();
    table.setFocus();
    table.selectRow(int(Quantity::Experts));
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().startsWith("Experts\tms/tok\t2.00\t2.00\t2.00\t2.00\t"));
    table.findChild<QAction*>("copyTable")->trigger();
    const QString all = QApplication::clipboard()->text();
    QVERIFY(all.startsWith("Quantity,Unit,Mean,P50,"));
    QCOMPARE(all.count(u'\n'), 14);
    const QStringList step = all.section(u'\n', 1, 1).split(u',');
    QCOMPARE(step[LatencyModel::P99].toDouble(), 4.);
    QCOMPARE(step[LatencyModel::P999], QString());
}

void TestLatencyPage::layoutComesBack()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 20);
    QVERIFY(shown.settled());
    shown.named<QDoubleSpinBox>("Target time of a token")->setValue(12.5);
    shown.named<QComboBox>("Steps shown")->setCurrentIndex(2);
    shown.page.side().setChoice(SidePlot::Faults);
    const QByteArray layout = shown.page.saveLayout();
    Shown other;
    QVERIFY(other.page.restoreLayout(layout));
    QCOMPARE(other.page.bar().choice().targetMs, std::optional(12.5));
    QCOMPARE(other.timeline().phase(), ShownPhase::Both);
    QCOMPARE(other.page.side().choice(), SidePlot::Faults);
    QVERIFY(!other.page.restoreLayout(layout.left(layout.size() - 3)));
    QVERIFY(!other.page.restoreLayout("nonsense"));
}

void TestLatencyPage::everythingHasNameAndTooltip()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 150);
    QVERIFY(shown.settled());
    QList<QWidget*> controls{
        &shown.timeline(), &shown.page.histogram(), &shown.page.table(), &shown.page.side().plot()};
    for (QWidget* const control : shown.page.findChildren<QWidget*>()) {
        if (qobject_cast<QAbstractButton*>(control) || qobject_cast<QComboBox*>(control)
            || qobject_cast<QDoubleSpinBox*>(control))
            controls << control;
    }
    for (QWidget* const control : controls) {
        if (!control->isVisible() || control->objectName().startsWith("qt_")
            || control->parent()->inherits("QTableView"))
            continue;
        const auto* const button = qobject_cast<QAbstractButton*>(control);
        const QString name = control->accessibleName().isEmpty() && button ? button->text() : control->accessibleName();
        QVERIFY2(!name.isEmpty(), control->metaObject()->className());
        QVERIFY2(!control->toolTip().isEmpty(), qPrintable(name));
        QVERIFY2(control->focusPolicy() & Qt::TabFocus, qPrintable(name));
    }
    for (QWidget* const child : shown.page.findChildren<QWidget*>()) {
        if (auto* const label = qobject_cast<QLabel*>(child);
            label && label->isVisible() && label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored)
            QVERIFY2(label->width() >= label->minimumSizeHint().width(), qPrintable(label->text()));
    }
    QVERIFY(shown.page.minimumSizeHint().width() <= 1000 && shown.page.minimumSizeHint().height() <= 650);
}

QTEST_MAIN(TestLatencyPage)
#include "tst_page.moc"
