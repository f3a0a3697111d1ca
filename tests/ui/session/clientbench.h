// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/engineclient.h"

#include <QElapsedTimer>
#include <QTest>

#include <memory>

namespace colibri::test {

inline constexpr int answerMs = 60000; ///< far beyond what anything here takes, for sanitizers on busy machines

inline QString tinyFolder()
{
    return QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
}

/// What the window holds, without the window.
struct Bench {
    OpenStore open;
    RunStore run;
    std::unique_ptr<EngineClient> client = std::make_unique<EngineClient>(open, run);

    bool openAndWait(const QString& path, const OpenOptions& options = {})
    {
        client->open(path, options);
        return QTest::qWaitFor([this] { return open.state() != OpenStore::State::Opening; }, answerMs)
            && open.state() == OpenStore::State::Opened;
    }
    bool waitFor(RunStore::State state)
    {
        return QTest::qWaitFor([&] { return run.state() == state; }, answerMs);
    }
    bool waitForTokens(int count)
    {
        return QTest::qWaitFor([&] { return run.tokens() >= count; }, answerMs);
    }
    /// How long it takes until everything has ended.
    qint64 closeMs()
    {
        QElapsedTimer clock;
        clock.start();
        client.reset();
        return clock.elapsed();
    }
};

inline RunSpec spec(std::uint32_t maxTokens, double pace = 0)
{
    RunSpec wanted;
    wanted.promptText = QStringLiteral("the quick brown fox");
    wanted.maxTokens = maxTokens;
    wanted.ignoreEndOfText = true;
    wanted.engine.threads = 1;
    wanted.pace = pace;
    return wanted;
}

} // namespace colibri::test
