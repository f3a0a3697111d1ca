// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/run_file.h"
#include "measures.h"
#include "scenes.h"
#include "stores/runsnapshot.h"
#include "ui/support/testrun.h"
#include "views/heatmap/heatmap.h"
#include "views/latency/latencypage.h"
#include "views/routing/routingpage.h"
#include "views/run/expertgridview.h"
#include "views/run/runpage.h"
#include "views/run/tokentextview.h"

#include <QFileInfo>
#include <QProcess>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <random>

namespace colibri::bench {
namespace {

constexpr std::uint32_t tokens = 1'000'000;
constexpr std::uint32_t layers = 48;
constexpr double frameBoundMs = 16;
constexpr double memoryBound = 600e6;
constexpr int frames = 300;
constexpr double quietMs = 12; ///< what an idle event loop lets an event wait at most

double sinceMs(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The decisions of the first 2,000 tokens over and over, with a time for each.
void fill(test::TestRun& run)
{
    run.setPrompt(run.ids("The hummingbird is small, fast and never still.\n"));
    const std::vector<TokenId> words = run.ids("It sees colours that we do not. ");
    for (int i = 0; i < 2000; ++i)
        run.append(words[std::size_t(i) % words.size()]);
    run.show();
    std::mt19937 random{5};
    while (run.record().tokens() < tokens) {
        const std::uint32_t from = run.record().tokens();
        const std::uint32_t end = std::min(tokens, from + 50'000);
        run.repeatUpTo(end);
        for (std::uint32_t position = from; position < end; ++position) {
            TimingEvent event;
            event.startNs = std::uint64_t{position} * 4'000'000;
            event.position = position - 1;
            event.tokens = 1;
            event.totalNs = 3'000'000 + random() % 900'000;
            event.expertsNs = 2'100'000;
            event.attentionNs = 700'000;
            run.ring().tryPush(event);
            run.append(words[position % words.size()]);
        }
        run.show();
    }
}

/// Prints the 95th percentile of `frames` frames, of which each begins with `move`.
bool measure(const char* what, QWidget& painted, const std::function<void()>& move)
{
    std::vector<double> times;
    for (int i = 0; i < frames; ++i) {
        const auto start = Clock::now();
        move();
        painted.repaint();
        times.push_back(sinceMs(start));
    }
    const double high = percentile(times, 0.95);
    std::printf("trace, %-28s 95 %% of frames within %.1f ms, median %.1f ms (bound %.0f)\n", what, high,
        percentile(times, 0.5), frameBoundMs);
    std::fflush(stdout);
    return high <= frameBoundMs;
}

bool scroll(const char* what, QAbstractScrollArea& view, QScrollBar& bar, std::mt19937& random)
{
    return measure(what, *view.viewport(), [&] { bar.setValue(int(random() % unsigned(std::max(1, bar.maximum())))); });
}

template <class Page>
bool showUntilQuiet(Page& page, const char* what)
{
    LoopProbe probe;
    const auto start = Clock::now();
    page.resize(1400, 900);
    page.show();
    double quietSince = 0;
    while (quietSince < 500 && sinceMs(start) < 60'000) { // quiet: half a second of short waits
        const std::size_t before = probe.waitsMs().size();
        QTest::qWait(100);
        const auto& waits = probe.waitsMs();
        const bool busy = std::any_of(
            waits.begin() + std::ptrdiff_t(before), waits.end(), [](double wait) { return wait > quietMs; });
        quietSince = busy ? 0 : quietSince + 100;
    }
    std::printf("trace, %s: caught up after %.1f s, events waited at most %.0f ms; resident %.0f MB, peak %.0f MB\n",
        what, sinceMs(start) / 1e3 - 0.5, percentile(probe.waitsMs(), 1), residentBytes() / 1e6,
        peakResidentBytes() / 1e6);
    std::fflush(stdout);
    return true;
}

} // namespace

int traceChild(const QString& path)
{
    RunStore run;
    test::TestRun source({.positions = tokens, .layers = layers, .experts = 64, .k = 2, .logitBudgetBytes = 0}, run);
    fill(source);
    run.finish(StopReason::MaxTokens);
    const auto saved = saveRun(snapshotOf(run), path.toStdString(), {}, {});
    if (!saved)
        std::fprintf(stderr, "%s\n", saved.error().message().c_str());
    return saved ? 0 : 1;
}

bool trace(const QString& program)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("long.colibri-run"));
    if (QProcess::execute(program, {QStringLiteral("--trace-child"), path}) != 0)
        return false;
    std::mt19937 random{9};
    OpenStore open;
    RunStore run;
    RunStore kept;
    SelectionStore selection;
    open.succeed(test::testModel(true));
    const auto start = Clock::now();
    {
        auto saved = loadRun(path.toStdString(), {}, {});
        if (!saved)
            return false;
        RestoredRun restored = restoredFrom(*saved, path);
        restored.start.model = open.model();
        run.restore(std::move(restored.start), restored.reason, std::move(restored.error));
    }
    run.catchUp(RunStore::Clock::time_point::max());
    std::printf("trace: %d tokens x %u layers, top 2 of 64; file %.0f MiB, opened in %.1f s; record %.0f MiB, resident "
                "%.0f MB\n",
        run.tokens(), layers, double(QFileInfo(path).size()) / (1 << 20), sinceMs(start) / 1e3,
        double(run.record()->bytes()) / (1 << 20), residentBytes() / 1e6);
    std::fflush(stdout);
    bool good = true;
    {
        RunPage page(open, run, kept, selection);
        showUntilQuiet(page, "run page");
        good &= scroll("grid, by token", page.gridView(), *page.gridView().horizontalScrollBar(), random);
        good &= scroll("text", page.textView(), *page.textView().verticalScrollBar(), random);
        good &= measure("grid, walked by keys", *page.gridView().viewport(),
            [&] { QTest::keyClick(&page.gridView(), Qt::Key_Right); });
    }
    {
        RoutingPage page(run, kept, selection);
        showUntilQuiet(page, "routing page");
        const auto start = Clock::now();
        good &= QTest::qWaitFor([&page] { return !page.routing().isBehind(); }, 60'000);
        std::printf("trace, routing page: all is counted after %.1f s more; peak %.0f MB\n", sinceMs(start) / 1e3,
            peakResidentBytes() / 1e6);
        good &= measure("heat map, walked by keys", page.map(),
            [&] { selection.select({.layer = int(random() % layers), .expert = int(random() % 64)}); });
    }
    {
        LatencyPage page(run, kept, selection);
        showUntilQuiet(page, "latency page");
    }
    const double peak = peakResidentBytes();
    std::printf("trace: at most %.0f MB resident (bound %.0f)\n", peak / 1e6, memoryBound / 1e6);
    return good && peak <= memoryBound;
}

} // namespace colibri::bench
