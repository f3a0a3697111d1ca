// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownpage.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QWheelEvent>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

/// The times of the steps: what is plotted of them, how the plot is walked through, and what is chosen for it.
class TestTimeline : public QObject {
    Q_OBJECT

private slots:
    void clicksSelectAndSelectionIsMarked();
    void keysWalkAndPan();
    void theWheelShowsFewerTokens();
    void aSpikeIsNeverLost();
    void targetAndShareOverIt();
    void phases();
    void waitingIsAStage();
    void titlesAreWholeWhereThereIsRoom();
};

void TestTimeline::clicksSelectAndSelectionIsMarked()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 50);
    QVERIFY(shown.settled());
    shown.selection.select({-1, 2, 1, 3, 5});
    QTest::mouseClick(&shown.timeline(), Qt::LeftButton, {}, shown.pointAt(120.5));
    QCOMPARE(shown.selection.selection(), (Selection{120, 2, -1, -1, -1}));
    auto* const band = shown.timeline().findChild<QCPItemRect*>();
    QVERIFY(band && band->visible());
    QCOMPARE(band->topLeft->coords().x(), 120.);
    shown.selection.select({131, 0, -1, -1, -1});
    QCOMPARE(band->topLeft->coords().x(), 131.);
    QCOMPARE(shown.named<QLabel>("Time of the selected token")->text(), QStringLiteral("Token 131: 4.00 ms"));
    shown.selection.clear();
    QVERIFY(!band->visible());
    QCOMPARE(shown.named<QLabel>("Time of the selected token")->text(), QString());
    shown.named<QComboBox>("Steps shown")->setCurrentIndex(2);
    QTest::mouseClick(&shown.timeline(), Qt::LeftButton, {}, shown.pointAt(40.5)); // inside a step of the prompt
    QCOMPARE(shown.selection.selection().token, 40);
}

void TestTimeline::keysWalkAndPan()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 50);
    QVERIFY(shown.settled());
    TimelinePlot& timeline = shown.timeline();
    QTest::keyClick(&timeline, Qt::Key_Right);
    QCOMPARE(shown.selection.selection().token, 100);
    QTest::keyClick(&timeline, Qt::Key_Left);
    QCOMPARE(shown.selection.selection().token, 100); // the first of the answer
    QTest::keyClick(&timeline, Qt::Key_Right);
    QTest::keyClick(&timeline, Qt::Key_Right);
    QCOMPARE(shown.selection.selection().token, 102);
    QVERIFY(!timeline.isZoomed());
    const QCPRange before = timeline.xAxis->range();
    QTest::keyClick(&timeline, Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(timeline.xAxis->range().lower > before.lower);
    QCOMPARE(shown.selection.selection().token, 102);
    QTest::keyClick(&timeline, Qt::Key_Home);
    QCOMPARE(timeline.xAxis->range(), before);
    for (int i = 0; i < 6; ++i)
        QTest::keyClick(&timeline, Qt::Key_Plus);
    shown.selection.select({149, -1, -1, -1, -1}); // far from what is shown
    QVERIFY(timeline.xAxis->range().contains(149));
}

void TestTimeline::theWheelShowsFewerTokens()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 3000);
    QVERIFY(shown.settled());
    TimelinePlot& timeline = shown.timeline();
    timeline.replot();
    QVERIFY(timeline.folds()[5].steps > 1);
    QVERIFY(int(timeline.folds().size()) <= timeline.axisRect()->width());
    const QPoint middle = timeline.axisRect()->rect().center();
    for (int i = 0; i < 16; ++i) {
        QWheelEvent event(
            middle, timeline.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&timeline, &event);
    }
    timeline.replot();
    QVERIFY(timeline.isZoomed());
    for (const StepFold& fold : timeline.folds())
        QCOMPARE(fold.steps, std::size_t{1});
    const QCPRange range = timeline.xAxis->range();
    QVERIFY(std::abs(double(timeline.folds().size()) - range.size()) <= 2);
    QTest::mouseDClick(&timeline, Qt::LeftButton, {}, middle);
    QVERIFY(!timeline.isZoomed());
}

void TestTimeline::aSpikeIsNeverLost()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 4000);
    run.decode(50);
    for (int i = 0; i < 4000; ++i)
        run.decode(4);
    run.show();
    QVERIFY(shown.settled());
    shown.timeline().replot();
    float top = 0;
    for (const StageBar& bar : shown.timeline().bars())
        top = std::max(top, bar.edges.back());
    QCOMPARE(top, 50.F);
    QVERIFY(shown.timeline().yAxis->range().upper >= 50);
    QTest::mouseClick(&shown.timeline(), Qt::LeftButton, {}, shown.pointAt(4120));
    QCOMPARE(shown.selection.selection().token, 4100);
}

void TestTimeline::targetAndShareOverIt()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 150);
    for (int i = 0; i < 50; ++i)
        run.decode(7);
    run.show();
    QVERIFY(shown.settled());
    auto* const target = shown.named<QDoubleSpinBox>("Target time of a token");
    auto* const over = shown.named<QLabel>("Steps over the target");
    QCOMPARE(over->text(), QString());
    QVERIFY(!shown.page.bar().choice().targetMs);
    target->setFocus();
    target->selectAll();
    QTest::keyClicks(target, "5");
    QTest::keyClick(target, Qt::Key_Return);
    QCOMPARE(shown.page.bar().choice().targetMs, std::optional(5.));
    QCOMPARE(over->text(), QStringLiteral("25.0 % over (50)"));
    const auto texts = shown.timeline().findChildren<QCPItemText*>();
    QVERIFY(std::any_of(texts.begin(), texts.end(),
        [](const QCPItemText* text) { return text->visible() && text->text() == QStringLiteral("target 5.00 ms"); }));
    const auto lines = shown.timeline().findChildren<QCPItemLine*>();
    QVERIFY(std::any_of(lines.begin(), lines.end(), [](const QCPItemLine* line) {
        return line->visible() && line->start->coords().y() == 5. && line->pen().style() == Qt::DashLine;
    }));
    target->setValue(7); // a step of exactly the target is not over it
    QCOMPARE(over->text(), QStringLiteral("0.0 % over (0)"));
    target->setValue(0);
    QCOMPARE(over->text(), QString());
}

void TestTimeline::phases()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 150);
    QVERIFY(shown.settled());
    shown.timeline().replot();
    QCOMPARE(shown.timeline().folds().size(), std::size_t{150});
    QCOMPARE(shown.page.histogram().percentileLines(), 3); // P99.9 needs 1,000 steps
    auto* const phase = shown.named<QComboBox>("Steps shown");
    phase->setFocus();
    QTest::keyClick(phase, Qt::Key_Down);
    shown.timeline().replot();
    QCOMPARE(shown.timeline().folds().size(), std::size_t{4});
    QCOMPARE(shown.timeline().bars()[3].from, 96.);
    QCOMPARE(shown.timeline().bars()[3].edges.back(), 1.F); // a token
    QCOMPARE(shown.page.histogram().percentileLines(), 1);
    QCOMPARE(shown.page.table().model()->index(0, LatencyModel::Largest).data(Qt::EditRole).toDouble(), 1.);
    QTest::keyClick(phase, Qt::Key_Down);
    shown.timeline().replot();
    QCOMPARE(shown.timeline().folds().size(), std::size_t{154});
    QCOMPARE(shown.page.table().model()->index(0, LatencyModel::Largest).data(Qt::EditRole).toDouble(), 4.);
}

void TestTimeline::waitingIsAStage()
{
    Shown shown;
    LatencyRun run(shown.store);
    run.prompt(10, 32, 1);
    for (int i = 0; i < 20; ++i)
        run.decode(4, 46);
    run.show();
    QVERIFY(shown.settled());
    shown.timeline().replot();
    QCOMPARE(shown.timeline().bars()[3].edges.back(), 4.F);
    for (QCheckBox* const box : shown.page.findChildren<QCheckBox*>())
        QTest::mouseClick(box, Qt::LeftButton, {}, {8, box->height() / 2});
    shown.timeline().replot();
    QCOMPARE(shown.timeline().bars()[3].edges.back(), 50.F);
    QVERIFY(shown.timeline().yAxis->range().upper >= 50);
    QCOMPARE(shown.timeline().legend->itemCount(), int(stageCount));
    QCOMPARE(
        shown.page.table().model()->index(int(Quantity::Waiting), LatencyModel::Mean).data(Qt::EditRole).toDouble(),
        46.);
}

void TestTimeline::titlesAreWholeWhereThereIsRoom()
{
    Shown shown;
    LatencyRun run(shown.store);
    Shown::fill(run, 50);
    QVERIFY(shown.settled());
    shown.timeline().replot();
    const QFontMetrics metrics(shown.timeline().font());
    QVERIFY(metrics.horizontalAdvance(QStringLiteral("Time a token (ms)")) < shown.timeline().axisRect()->height());
    QCOMPARE(shown.timeline().xAxis->label(), QStringLiteral("Position"));
    QCOMPARE(shown.timeline().yAxis->label(), QStringLiteral("Time a token (ms)"));
}

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
