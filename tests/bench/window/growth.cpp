// SPDX-License-Identifier: GPL-3.0-or-later
#include "measures.h"
#include "scenes.h"
#include "studio.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAction>
#include <QTest>

#include <cstdio>
#include <malloc.h>

namespace colibri::bench {
namespace {

constexpr double bound = 1.05;
constexpr int warmUp = 100;
constexpr int rounds = 200;
constexpr int tokens = 1'000'000;

bool waitFor(const std::function<bool()>& condition)
{
    return QTest::qWaitFor(condition, 120000);
}

/// What the program holds of the heap's memory.
double heapBytes()
{
    const struct mallinfo2 info = mallinfo2();
    return double(info.uordblks) + double(info.hblkhd);
}

/// Prints the memory before and after rounds that make `amount` of something, and whether it stayed within the bound.
/// `warmUp` rounds go first: caches and the heap's arenas fill within less than a hundred runs, and stay. Memory that
/// the heap holds free is given back first, else it counts or not by chance.
bool measure(const char* what, int amount, const std::function<int()>& round)
{
    for (int i = 0; i < warmUp; ++i)
        round();
    malloc_trim(0);
    const double early = residentBytes();
    const double earlyHeap = heapBytes();
    int made = 0;
    while (made < amount) {
        const int more = round();
        if (more <= 0)
            return false;
        made += more;
    }
    malloc_trim(0);
    const double late = residentBytes();
    std::printf("growth, %d %s: %.1f MiB, then %.1f MiB, ratio %.3f (bound %.2f); allocated %.2f MiB, then %.2f MiB\n",
        made, what, early / (1 << 20), late / (1 << 20), late / early, bound, earlyHeap / (1 << 20),
        heapBytes() / (1 << 20));
    std::fflush(stdout);
    return late <= bound * early;
}

struct Scene {
    Studio studio;
    RunPage* page = studio.window().findChild<RunPage*>();

    bool open()
    {
        studio.window().openModel(QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32"));
        return waitFor([this] { return page->isVisible() && studio.run().state() == RunStore::State::Idle; });
    }
    bool run(int count)
    {
        SamplingChoice choice;
        choice.sampling.temperature = 1;
        choice.sampling.repeatPenalty = 1.2f;
        choice.maxTokens = static_cast<std::uint32_t>(count);
        choice.ignoreEndOfText = true;
        page->promptPanel().sampling().setChoice(choice);
        page->runActions()[0]->trigger();
        return waitFor([this] { return !studio.run().busy(); }) && studio.run().state() == RunStore::State::Finished;
    }
};

} // namespace

bool growth()
{
    // One arena: of another one malloc_trim() leaves the free memory at its end, where at times a run's times lay (4
    // MiB).
    mallopt(M_ARENA_MAX, 1);
    Scene scene;
    scene.studio.window().resize(1200, 800);
    scene.studio.window().show();
    scene.page->promptPanel().setPace(0);
    scene.page->promptPanel().setPrompt(QStringLiteral("the quick brown fox"));
    bool good = scene.open();
    good &= measure("runs", rounds, [&] { return int(scene.run(100)); });
    good &= measure("opens and closes", rounds, [&] {
        scene.studio.window().findChild<QAction*>(QStringLiteral("closeModel"))->trigger();
        return int(scene.open() && scene.run(20));
    });
    // As many as the model's context holds each time.
    good &= measure("tokens", tokens, [&] { return scene.run(tokens) ? scene.studio.run().tokens() : 0; });
    return good;
}

} // namespace colibri::bench
