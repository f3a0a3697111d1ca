// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says is true and can be read: words instead of empty axes, whole positions, one tip at a time, pauses
// apart from waits, slow steps named at the edge, the kept run beside the speed.
#include "shownpage.h"

#include "models/latencymodel.h"
#include "views/theme/flatstyle.h"
#include "views/theme/theme.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QToolTip>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr QMargins ring{focusRingWidth, focusRingWidth, focusRingWidth, focusRingWidth}; // of the focus

QLabel& wordsIn(Plot& plot)
{
    return *plot.findChild<QLabel*>("empty");
}

/// Asks for a tool tip at a place, as a pointer that rests there does.
bool tipAt(QWidget& widget, QPoint at)
{
    QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
    QApplication::sendEvent(&widget, &help);
    return QToolTip::isVisible();
}

} // namespace

class TestLatencyReadable : public QObject {
    Q_OBJECT

private slots:
    void wordsWhileThereIsNoStep()
    {
        Shown shown;
        LatencyRun run(shown.store);
        run.prompt(13, 32, 1); // one Step: the first token of the answer comes with the prompt
        run.show();
        QVERIFY(shown.settled());
        Plot* const plots[]{&shown.timeline(), &shown.page.histogram(), &shown.page.side().plot()};
        for (Plot* const plot : plots) {
            QVERIFY(wordsIn(*plot).isVisible() && !wordsIn(*plot).text().isEmpty());
            QCOMPARE(wordsIn(*plot).geometry(), plot->rect().marginsRemoved(ring)); // no axis is seen
        }
        run.decode(4);
        run.show();
        QVERIFY(shown.settled());
        QVERIFY(wordsIn(*plots[0]).isHidden() && wordsIn(*plots[1]).isHidden());
        QVERIFY(wordsIn(*plots[2]).isVisible()); // of one token no speed is known
        run.decode(4);
        run.show();
        QVERIFY(shown.settled());
        for (Plot* const plot : plots)
            QVERIFY(wordsIn(*plot).isHidden());
        shown.named<QComboBox>("What is plotted below")->setCurrentIndex(SidePlot::Faults);
        QVERIFY(wordsIn(*plots[2]).isHidden());
    }

    void legendsKeepAllOfTheirEntries()
    {
        Shown shown;
        LatencyRun run(shown.store);
        Shown::fill(run, 50);
        QVERIFY(shown.settled());
        TimelinePlot plot(shown.store, shown.page.history(), shown.selection);
        plot.setWaiting(true);
        plot.show();
        for (const int width : {1000, 700, 460, 330, 250, 170, 800}) {
            plot.resize(width, 300);
            plot.showHistory();
            plot.replot();
            QList<QRect> seen;
            for (int i = 0; i < plot.legend->elementCount(); ++i) {
                if (!plot.legend->elementAt(i)) // the last row has room left
                    continue;
                const QCPLayoutElement& item = *plot.legend->elementAt(i);
                QVERIFY2(plot.rect().contains(item.outerRect()), qPrintable(QString::number(width)));
                QVERIFY(item.outerRect().width() >= item.minimumOuterSizeHint().width());
                QVERIFY(!item.outerRect().intersects(plot.axisRect()->rect()));
                for (const QRect& other : seen)
                    QVERIFY(!other.intersects(item.outerRect()));
                seen << item.outerRect();
            }
            QCOMPARE(seen.size(), int(stageCount));
            QVERIFY(width < 1000 || plot.legend->rowCount() == 1);
        }
    }

    void positionsAreWhole()
    {
        Shown shown;
        LatencyRun run(shown.store);
        Shown::fill(run, 37);
        QVERIFY(shown.settled());
        shown.page.side().setChoice(SidePlot::Faults);
        for (Plot* const plot : std::initializer_list<Plot*>{&shown.timeline(), &shown.page.side().plot()}) {
            for (int turn = 0; turn < 12; ++turn) { // a tick stands in the middle of a bar, from far to near
                plot->replot();
                const QVector<double> ticks = plot->xAxis->tickVector();
                const QVector<QString> labels = plot->xAxis->tickVectorLabels();
                QVERIFY(turn > 4 || !ticks.isEmpty());
                for (int i = 0; i < ticks.size(); ++i) {
                    QCOMPARE(ticks[i] - std::floor(ticks[i]), 0.5);
                    QCOMPARE(labels[i].toInt(), int(std::floor(ticks[i])));
                }
                plot->setFocus();
                QTest::keyClick(plot, Qt::Key_Plus);
            }
        }
    }

    void oneTipAtATime()
    {
        Shown shown;
        LatencyRun run(shown.store);
        Shown::fill(run, 50);
        QVERIFY(shown.settled());
        const QPoint bar = shown.pointAt(110.5);
        auto* const readout = shown.timeline().findChild<QLabel*>("readout");
        QVERIFY(tipAt(shown.timeline(), {2, 2})); // beside the axes: the help
        QVERIFY(QToolTip::text().contains("walk the tokens"));
        QTest::mouseMove(&shown.timeline(), bar);
        QTRY_VERIFY(readout->isVisible());
        QTRY_VERIFY(!QToolTip::isVisible());
        QVERIFY(!tipAt(shown.timeline(), bar));
        QTest::mouseMove(&shown.timeline(), {2, 2});
        QTRY_VERIFY(!readout->isVisible());
        QVERIFY(tipAt(shown.timeline(), {2, 2}));
        QToolTip::hideText();
    }

    void pausesAreNoWaiting()
    {
        Shown shown;
        LatencyRun run(shown.store);
        Shown::fill(run, 2);
        const auto pause = [&] {
            shown.store.setState(RunStore::State::Paused);
            shown.store.setState(RunStore::State::Running);
        };
        for (int i = 0; i < 30; ++i) {
            if (i == 10 || i == 20)
                pause();
            run.decode(4, i == 10 ? 16'000 : i == 20 ? 300 : 46); // paced, but for a pause and a Step
            run.show();
        }
        run.decode(4, 9'000); // as in a saved run, of which pauses are not known
        run.show();
        QVERIFY(shown.settled());
        const LatencyStats& stats = shown.page.history().stats();
        QCOMPARE(stats.of(Phase::Decode, Quantity::Waiting).largest(), std::uint64_t{46'000'000});
        QCOMPARE(stats.stageNs(Phase::Decode, Stage::Waiting), 28 * 46e6);
        QCOMPARE(stats.pauses(), std::uint64_t{3});
        QCOMPARE(stats.pausedNs(), std::uint64_t{25'300'000'000});
        QVERIFY(shown.named<QLabel>("Notes on the figures")->text().contains("25.3 s"));
        const int first = 100 + 2;
        shown.selection.select({first + 10, -1, -1, -1, -1});
        auto* const selected = shown.named<QLabel>("Time of the selected token");
        QVERIFY(selected->toolTip().contains("Paused") && selected->toolTip().contains("16000 ms"));
        QVERIFY(!selected->toolTip().contains("Waiting"));
        shown.selection.select({first + 11, -1, -1, -1, -1});
        QVERIFY(selected->toolTip().contains("Waiting") && !selected->toolTip().contains("Paused"));
        const MaxFold& bars = shown.page.history().stepsWithWaiting();
        QCOMPARE(bars[bars.largest(0, bars.size())], 50.F);
        RunStore kept;
        kept.keep(shown.store);
        QCOMPARE(kept.pauses(), shown.store.pauses());
        LatencyRun next(shown.store);
        QVERIFY(shown.store.pauses().empty());
    }

    void oneSlowStepDoesNotPressTheOthersTogether()
    {
        Shown shown;
        const auto fill = [](RunStore& store, bool slow) {
            LatencyRun run(store);
            run.prompt(13, 32, 1);
            for (int i = 0; i < 60; ++i) // fewer than P99 needs
                run.decode(slow && i == 30 ? 6 : 0.3 + 0.002 * (i % 20));
            run.show();
        };
        fill(shown.kept, true);
        fill(shown.store, false);
        shown.page.hide();
        shown.page.show();
        QVERIFY(shown.settled());
        const Histogram& histogram = shown.page.histogram().histogram();
        QVERIFY(histogram.endNs() < 1'000'000);
        const auto filled = std::ranges::count_if(histogram.percent, [](double percent) { return percent > 0; });
        QVERIFY2(filled >= 8, qPrintable(QString::number(filled)));
        QStringList texts;
        shown.page.histogram().replot();
        const int room = shown.page.histogram().axisRect()->width();
        for (int i = 0; i < shown.page.histogram().itemCount(); ++i) {
            const auto* const text = qobject_cast<QCPItemText*>(shown.page.histogram().item(i));
            if (!text || !text->visible())
                continue;
            for (const QString& line : text->text().split('\n'))
                QVERIFY(shown.page.histogram().fontMetrics().horizontalAdvance(line) < room);
            texts << text->text().replace('\n', QLatin1String(", "));
        }
        QVERIFY2(
            texts.contains(QStringLiteral("kept run: 1 slower, up to 6.00 ms \u2192")), qPrintable(texts.join('|')));
    }

    void theSpeedOfTheKeptRunIsBeside()
    {
        Shown shown;
        {
            LatencyRun run(shown.kept);
            Shown::fill(run, 400);
        }
        LatencyRun run(shown.store);
        run.prompt(100, 32, 1);
        for (int i = 0; i < 100; ++i)
            run.decode(4, 6);
        run.show();
        QVERIFY(shown.settled());
        Plot& plot = shown.page.side().plot();
        const auto speed = [&](int graph) {
            double fastest = 0;
            for (const QCPGraphData& point : *plot.graph(graph)->data())
                fastest = std::max(fastest, std::isnan(point.value) ? 0 : point.value);
            return fastest;
        };
        const auto entries = [&] {
            QStringList names;
            for (int i = 0; i < plot.legend->itemCount(); ++i)
                names << static_cast<QCPPlottableLegendItem*>(plot.legend->item(i))->plottable()->name();
            return names;
        };
        QVERIFY(std::abs(speed(0) - 100) < 1);
        QVERIFY(std::abs(speed(2) - 250) < 1);
        QCOMPARE(entries(), (QStringList{"decode", "kept run: decode"}));
        QVERIFY(plot.graph(0)->pen().style() != plot.graph(2)->pen().style());
        QVERIFY(plot.xAxis->range().upper >= 1.7 - 0.11); // all of the kept run, 1.6 s of which are tokens
        QVERIFY(plot.yAxis->range().upper >= 250);
        plot.replot();
        QTest::mouseMove(&plot, {int(plot.xAxis->coordToPixel(0.5)), plot.axisRect()->rect().center().y()});
        auto* const readout = plot.findChild<QLabel*>("readout");
        QTRY_VERIFY(readout->isVisible());
        QVERIFY2(readout->text().contains("100 tok/s") && readout->text().contains("kept run: 250 tok/s"),
            qPrintable(readout->text()));
        shown.named<QComboBox>("What is plotted below")->setCurrentIndex(SidePlot::Faults);
        QVERIFY(plot.graph(2)->data()->isEmpty());
        QCOMPARE(entries(), (QStringList{"minor", "major"}));
        shown.named<QComboBox>("What is plotted below")->setCurrentIndex(SidePlot::Speed);
        shown.kept.clear();
        QVERIFY(shown.settled());
        QTRY_COMPARE(entries(), QStringList{"decode"});
    }
};

QTEST_MAIN(TestLatencyReadable)
#include "tst_readable.moc"
