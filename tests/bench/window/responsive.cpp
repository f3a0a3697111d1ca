// SPDX-License-Identifier: GPL-3.0-or-later
#include "measures.h"
#include "scenes.h"
#include "studio.h"
#include "views/run/expertgridview.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"
#include "views/run/tokentextview.h"

#include <QAction>
#include <QDockWidget>
#include <QTabWidget>
#include <QTest>

#include <cstdio>

namespace colibri::bench {
namespace {

constexpr double blockBoundMs = 50;
constexpr double leastPaintsS = 25; ///< the pump ticks 30 times a second
constexpr int watchMs = 6000;

/// Keeps the demo decoding at full speed for `ms` and returns for how many of them it ran: the context of the demo is
/// full after a moment, and nothing is to be painted between two runs.
double decode(Studio& studio, RunPage& page, int ms)
{
    QElapsedTimer clock;
    clock.start();
    double ran = 0;
    while (clock.elapsed() < ms) {
        if (!studio.run().busy())
            page.runActions()[0]->trigger();
        const auto before = Clock::now();
        QTest::qWait(5);
        if (studio.run().busy())
            ran += std::chrono::duration<double, std::milli>(Clock::now() - before).count();
    }
    return ran;
}

} // namespace

bool responsive()
{
    Studio studio;
    MainWindow& window = studio.window();
    window.resize(1400, 900);
    window.show();
    window.openModel(QStringLiteral("demo"));
    auto* const page = window.findChild<RunPage*>();
    if (!QTest::qWaitFor([&] { return page->isVisible(); }, 10000))
        return false;
    for (QDockWidget* const dock : window.findChildren<QDockWidget*>())
        dock->show();
    SamplingChoice choice;
    choice.sampling.temperature = 0.8f;
    choice.maxTokens = 4000;
    choice.ignoreEndOfText = true;
    page->promptPanel().sampling().setChoice(choice);
    page->promptPanel().setPace(0);
    page->promptPanel().setPrompt(QStringLiteral("Once upon a time"));
    auto* const pages = window.findChild<QTabWidget*>(QStringLiteral("pages"));
    bool good = true;
    for (int i = 0; i < pages->count(); ++i) {
        pages->setCurrentIndex(i);
        const PaintCount text(page->textView().viewport());
        const PaintCount cells(page->gridView().viewport());
        LoopProbe probe;
        const double ranMs = decode(studio, *page, watchMs);
        const double worst = percentile(probe.waitsMs(), 1);
        const double textS = text.count() * 1e3 / ranMs;
        std::printf(
            "responsive, page %-8s: events wait at most %.1f ms (bound %.0f), 99 %% below %.1f ms; paints a second: "
            "text %.1f, grid %.1f; %.0f tok/s\n",
            qPrintable(pages->tabText(i)), worst, blockBoundMs, percentile(probe.waitsMs(), 0.99), textS,
            cells.count() * 1e3 / ranMs, studio.run().decodeTokensPerSecond());
        std::fflush(stdout);
        good &= worst <= blockBoundMs && (i > 0 || textS >= leastPaintsS);
    }
    return good;
}

} // namespace colibri::bench
