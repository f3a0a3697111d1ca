// SPDX-License-Identifier: GPL-3.0-or-later
// How long the views take on very long runs. The bounds are far above what is measured, for slow and sanitized
// machines; the figures are printed.
#include "ui/support/testrun.h"
#include "views/run/expertgridview.h"
#include "views/run/tokentextview.h"

#include <QScrollBar>
#include <QTest>

#include <algorithm>
#include <ctime>

using namespace colibri;
using namespace colibri::test;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr double allowance = 20;
#else
constexpr double allowance = 1;
#endif
constexpr double frameMs = 16;

/// Processor time of this program since it was made: other programs on the machine do not count.
class CpuClock {
public:
    double ms() const { return double(std::clock() - m_start) * 1000 / CLOCKS_PER_SEC; }

private:
    std::clock_t m_start = std::clock();
};

/// Median time of a paint at `steps` places along a scroll bar, in ms.
double paintMs(QAbstractScrollArea& view, QScrollBar& bar, int steps)
{
    QPixmap target(view.viewport()->size());
    std::vector<double> times;
    for (int step = 0; step <= steps; ++step) {
        bar.setValue(static_cast<int>(double(bar.maximum()) * step / steps));
        const CpuClock clock;
        view.viewport()->render(&target, {}, {}, QWidget::RenderFlags());
        times.push_back(clock.ms());
    }
    std::nth_element(times.begin(), times.begin() + steps / 2, times.end());
    return times[std::size_t(steps / 2)];
}

} // namespace

class TestSpeed : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const std::vector<TokenId> words =
            m_run.ids("The hummingbird is small, fast and never still.\nIt drinks nectar");
        m_run.setPrompt(words);
        m_run.repeatUpTo(tokens - 1);
        for (std::uint32_t at = 0; at + words.size() < tokens; ++at)
            m_run.append(words[at % words.size()]);
        m_run.show();
        QCOMPARE(m_store.tokens(), static_cast<int>(tokens));
    }

    void gridPaints()
    {
        ExpertGridView view(m_store, m_selection);
        view.resize(1600, 1000);
        view.show();
        for (int zoom = 0; zoom < zoomLevels; ++zoom) {
            for (const ColorBy by : {ColorBy::Expert, ColorBy::Margin}) {
                view.setColoring({by, 0, 0});
                view.setZoom(zoom);
                const double ms = paintMs(view, *view.horizontalScrollBar(), 20);
                qInfo("grid of 100,000 tokens x 48 layers, 1600x1000, zoom %d, by %s: %.2f ms a paint", zoom,
                    by == ColorBy::Expert ? "expert" : "margin", ms);
                QVERIFY(ms < frameMs * allowance);
            }
        }
    }

    void textPaints()
    {
        TokenTextView view(m_store, m_selection);
        view.resize(1600, 1000);
        view.show();
        const double ms = paintMs(view, *view.verticalScrollBar(), 20);
        qInfo("text of 100,000 tokens, 1600x1000: %.2f ms a paint", ms);
        QVERIFY(ms < frameMs * allowance);
        const CpuClock clock;
        view.resize(900, 1000);
        QCoreApplication::processEvents();
        qInfo("text of 100,000 tokens: %.2f ms to another width", clock.ms());
    }

    void appending()
    {
        RunStore store;
        TestRun run({21000, 4, 8, 2, 1 << 20}, store);
        TokenTextView text(store, m_selection);
        ExpertGridView grid(store, m_selection);
        text.resize(800, 600);
        grid.resize(800, 300);
        text.show();
        grid.show();
        const std::vector<TokenId> words = run.ids("The hummingbird is small, fast and never still.\n");
        run.setPrompt(words);
        const auto appendMs = [&](int count) {
            double ms = 0;
            for (int i = 0; i < count; ++i) {
                run.append(words[std::size_t(i) % words.size()]);
                const CpuClock clock;
                run.show();
                ms += clock.ms();
            }
            return ms;
        };
        const double first = appendMs(10000);
        const double second = appendMs(10000);
        qInfo("10,000 tokens appended one by one: %.1f ms, 10,000 more: %.1f ms", first, second);
        QVERIFY(first < 1000 * allowance);
        QVERIFY(second < 3 * first + 100); // the cost does not grow with what is there
        QVERIFY(text.followsEnd());
        QVERIFY(grid.followsEnd());
        QCOMPARE(grid.geometry().tokens, store.tokens());
    }

private:
    static constexpr std::uint32_t tokens = 100'000;
    RunStore m_store;
    SelectionStore m_selection;
    TestRun m_run{{tokens, 48, 64, 4, 1 << 20}, m_store};
};

QTEST_MAIN(TestSpeed)
#include "tst_speed.moc"
