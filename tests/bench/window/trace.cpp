// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/run_file.h"
#include "measures.h"
#include "scenes.h"
#include "stores/runsnapshot.h"
#include "ui/support/testmodel.h"
#include "ui/support/testrun.h"
#include "views/heatmap/heatmap.h"
#include "views/latency/latencypage.h"
#include "views/latency/timelineplot.h"
#include "views/model/fittedtable.h"
#include "views/model/tensorpanel.h"
#include "views/routing/expertpanel.h"
#include "views/routing/routingpage.h"
#include "views/run/expertgridview.h"
#include "views/run/runpage.h"
#include "views/run/tokentextview.h"
#include "views/table/tableview.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
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
constexpr std::uint32_t experts = 64;
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

/// Frames of which each begins with the order of another column.
bool sort(const char* what, TableView& table, std::mt19937& random)
{
    return measure(what, *table.viewport(), [&] {
        table.sortByColumn(int(random() % unsigned(table.model()->columnCount())), Qt::SortOrder(random() % 2));
    });
}

/// A model of the size of the trace: sorted, filtered letter by letter, scrolled.
bool measureTensors(std::mt19937& random)
{
    SelectionStore selection;
    TensorPanel panel(selection);
    panel.setModel(test::makeModel({layers, experts, 2048, 1024, 50'000}));
    panel.resize(1400, 900);
    panel.show();
    QTest::qWait(100);
    std::printf("trace, tensors of a model of %u x %u experts: %d\n", layers, experts, panel.tensors().total());
    FittedTable& table = panel.table();
    QWidget& seen = *table.viewport();
    bool good = sort("tensors, sorted", table, random);
    const QString words = QStringLiteral("layers.4 down_proj experts.7");
    int letters = 0;
    good &= measure(
        "tensors, filtered", seen, [&] { panel.filter().setText(words.left(letters++ % int(words.size() + 1))); });
    panel.filter().clear();
    good &= scroll("tensors, scrolled", table, *table.verticalScrollBar(), random);
    return good;
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
    test::TestRun source(
        {.positions = tokens, .layers = layers, .experts = experts, .k = 2, .logitBudgetBytes = 0}, run);
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
        const auto shown = Clock::now();
        good &= QTest::qWaitFor([&page] { return !page.routing().isBehind(); }, 60'000);
        std::printf("trace, routing page: all is counted after %.1f s more; peak %.0f MB\n", sinceMs(shown) / 1e3,
            peakResidentBytes() / 1e6);
        good &= measure("heat map, walked by keys", page.map(),
            [&] { selection.select({.layer = int(random() % layers), .expert = int(random() % experts)}); });
        good &= QTest::qWaitFor([&page] { return !page.routing().isBehind(); }, 60'000);
        auto& tokensShown = *page.bar().findChildren<QComboBox*>().front();
        good &= measure("heat map, prompt or answer", page.map(),
            [&] { tokensShown.setCurrentIndex((tokensShown.currentIndex() + 1) % tokensShown.count()); });
        good &= sort("layers, sorted", page.figures(), random);
        TableView& served = page.expertPanel().tokens();
        good &= QTest::qWaitFor([&page] { return !page.routing().isBehind(); }, 60'000);
        std::printf("trace, tokens of an expert in the table: %d\n", served.model()->rowCount());
        good &= sort("tokens of an expert, sorted", served, random);
        good &= scroll("tokens of an expert, scrolled", served, *served.verticalScrollBar(), random);
    }
    {
        LatencyPage page(run, kept, selection);
        showUntilQuiet(page, "latency page");
        good &= measure("timeline, zoomed", page.timeline(), [&] {
            const double from = double(random() % (tokens - 1000));
            page.timeline().xAxis->setRange(from, from + 1000 + double(random() % 100'000));
            page.timeline().replot();
        });
    }
    good &= measureTensors(random);
    const double peak = peakResidentBytes();
    std::printf("trace: at most %.0f MB resident (bound %.0f)\n", peak / 1e6, memoryBound / 1e6);
    return good && peak <= memoryBound;
}

} // namespace colibri::bench
