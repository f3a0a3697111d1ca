// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram says which steps it holds, reaches as far as many steps do, and keeps its texts apart in every size.
#include "shownpage.h"

#include "views/theme/theme.h"

#include <QComboBox>
#include <QLabel>

#include <numeric>

using namespace colibri;
using namespace colibri::test;

namespace {

/// The text at the edge, as it is drawn.
const QCPItemText& beyondOf(const HistogramPlot& plot)
{
    for (int i = 0; i < plot.itemCount(); ++i) {
        const auto* const text = qobject_cast<const QCPItemText*>(plot.item(i));
        if (text && text->visible() && text->text().contains(u'\u2192'))
            return *text;
    }
    qFatal("no text at the edge");
}

QRectF placeOf(const QCPItemText& text)
{
    return {text.topLeft->pixelPosition(), text.bottomRight->pixelPosition()};
}

/// Steps around 4 ms, two of 5,000 far beyond them.
void fillWithSlowSteps(RunStore& store)
{
    LatencyRun run(store);
    run.prompt(13, 32, 1);
    for (int i = 0; i < 5000; ++i)
        run.decode(i == 100 || i == 2000 ? 900 : 4 + 0.002 * (i % 50));
    run.show();
}

/// Texts are in their room, and no line or bar lies under those at the edge.
void checkTexts(HistogramPlot& plot)
{
    const QRect axes = plot.axisRect()->rect();
    const QRectF edge = placeOf(beyondOf(plot));
    const double text = edge.left() + beyondOf(plot).padding().left(); // all of it is seen
    QVERIFY2(text >= axes.left(), qPrintable(beyondOf(plot).text()));
    const double highest = *std::ranges::max_element(plot.histogram().percent);
    QVERIFY(plot.yAxis->coordToPixel(highest) >= edge.bottom() - 1);
    int lines = 0;
    for (int i = 0; i < plot.itemCount(); ++i) {
        if (const auto* const line = qobject_cast<const QCPItemLine*>(plot.item(i)); line && line->visible()) {
            QVERIFY(line->end->pixelPosition().y() >= edge.bottom() - 1);
            ++lines;
        }
        const auto* const name = qobject_cast<const QCPItemText*>(plot.item(i));
        if (name && name->visible() && name != &beyondOf(plot))
            QVERIFY(placeOf(*name).top() >= edge.bottom() - 1);
    }
    QVERIFY(lines >= 3);
}

} // namespace

class TestLatencyHistogram : public QObject {
    Q_OBJECT

private slots:
    void textsFitInEverySize()
    {
        Shown shown;
        fillWithSlowSteps(shown.store);
        QVERIFY(shown.settled());
        HistogramPlot plot;
        Distribution steps;
        std::vector<std::uint64_t> ns;
        for (const TimingEvent& event : shown.store.timings()) {
            if (!event.prefill)
                ns.push_back(event.totalNs);
        }
        steps.add(ns);
        plot.resize(700, 300);
        plot.show(steps, {}, 4.05);
        static_cast<QWidget&>(plot).show();
        // The size changes while nothing new is shown, as after a run; what is looked at is what was drawn then.
        for (const QSize size : {QSize(700, 300), QSize(180, 300), QSize(400, 120), QSize(170, 160), QSize(900, 500)}) {
            plot.resize(size);
            QCoreApplication::processEvents();
            checkTexts(plot);
            if (QTest::currentTestFailed()) {
                qWarning() << "in" << size;
                return;
            }
        }
        QVERIFY(!beyondOf(plot).text().contains(u'\n'));
        plot.resize(180, 300);
        QVERIFY(beyondOf(plot).text().contains(u'\n')); // at once, not with the next drawing
        QCoreApplication::processEvents();
        checkTexts(plot);
    }

    void textsFitWhenTheyAreFirstShown()
    {
        Shown shown(false);
        fillWithSlowSteps(shown.store);
        shown.page.resize(620, 500);
        shown.page.show();
        QVERIFY(shown.settled());
        QCoreApplication::processEvents();
        checkTexts(shown.page.histogram());
    }

    void bothSaysWhatTheHistogramHolds()
    {
        Shown shown;
        LatencyRun run(shown.store);
        run.prompt(13, 32, 1);
        run.show();
        shown.named<QComboBox>("Steps shown")->setCurrentIndex(int(ShownPhase::Both));
        QVERIFY(shown.settled());
        const auto* const words = shown.page.histogram().findChild<QLabel*>("empty");
        QVERIFY(words->isVisible());
        QVERIFY2(words->text().startsWith("No step of the answer yet"), qPrintable(words->text()));
        QVERIFY(shown.timeline().findChild<QLabel*>("empty")->isHidden()); // it has the steps of the prompt
    }

    void manySlowStepsAreSeen_data()
    {
        QTest::addColumn<int>("slowPerThousand");
        QTest::addColumn<double>("slowMs");
        QTest::addColumn<bool>("seen");
        QTest::newRow("one step in twelve") << 83 << 8. << true;
        QTest::newRow("one step in thirty") << 33 << 8. << true;
        QTest::newRow("one step in a hundred") << 10 << 8. << false;
        QTest::newRow("many, but far away") << 83 << 400. << false;
    }

    void manySlowStepsAreSeen()
    {
        QFETCH(int, slowPerThousand);
        QFETCH(double, slowMs);
        QFETCH(bool, seen);
        std::vector<std::uint64_t> values;
        for (int i = 0; i < 1000; ++i)
            values.push_back(i < slowPerThousand ? std::uint64_t(slowMs * 1e6) : std::uint64_t(3'980'000 + 40 * i));
        Distribution distribution;
        distribution.add(values);
        const Histogram histogram = histogramOf(distribution, nullptr);
        QCOMPARE(histogram.beyond, std::uint64_t(seen ? 0 : slowPerThousand));
        QCOMPARE(histogram.endNs() > 8'000'000, seen);
        const double inBins = std::accumulate(histogram.percent.begin(), histogram.percent.end(), 0.);
        QVERIFY(std::abs(inBins - (seen ? 100 : 100 - 0.1 * slowPerThousand)) < 1e-9);
    }
};

QTEST_MAIN(TestLatencyHistogram)
#include "tst_histogram.moc"
