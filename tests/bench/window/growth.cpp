// SPDX-License-Identifier: GPL-3.0-or-later
#include "measures.h"
#include "scenes.h"
#include "studio.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QAction>
#include <QTest>

#include <cstdio>

namespace colibri::bench {
namespace {

constexpr double bound = 1.05;
constexpr int rounds = 200;
constexpr int tokens = 1'000'000;

bool waitFor(const std::function<bool()>& condition)
{
    return QTest::qWaitFor(condition, 120000);
}

/// Prints the memory after a tenth of `count` rounds and after all of them; whether it stayed within the bound.
bool measure(const char* what, int count, const std::function<bool()>& round)
{
    double early = 0;
    for (int i = 0; i < count; ++i) {
        if (!round())
            return false;
        if (i == count / 10)
            early = residentBytes();
    }
    const double late = residentBytes();
    std::printf("growth, %s: %.1f MiB after a tenth, %.1f MiB at the end, ratio %.3f (bound %.2f)\n", what,
        early / (1 << 20), late / (1 << 20), late / early, bound);
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
    Scene scene;
    scene.studio.window().resize(1200, 800);
    scene.studio.window().show();
    scene.page->promptPanel().setPace(0);
    scene.page->promptPanel().setPrompt(QStringLiteral("the quick brown fox"));
    bool good = scene.open();
    good &= measure("200 runs", rounds, [&] { return scene.run(100); });
    good &= measure("200 opens and closes", rounds, [&] {
        scene.studio.window().findChild<QAction*>(QStringLiteral("closeModel"))->trigger();
        return scene.open() && scene.run(20);
    });
    int made = 0;
    const int each = 2000;
    good &= measure("10^6 tokens", tokens / each, [&] {
        const bool ran = scene.run(each);
        made += scene.studio.run().tokens();
        return ran;
    });
    std::printf("growth: %d tokens in the last part\n", made);
    return good;
}

} // namespace colibri::bench
