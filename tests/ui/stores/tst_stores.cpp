// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/openstore.h"
#include "stores/runstore.h"
#include "stores/selectionstore.h"

#include <QSignalSpy>
#include <QTest>

#include <array>
#include <thread>

using namespace colibri;
using namespace std::chrono_literals;

namespace {

constexpr RunRecord::Shape shape{.positions = 4096, .layers = 3, .experts = 8, .k = 2};

ModelFactsPtr facts()
{
    auto model = std::make_shared<ModelFacts>();
    model->hasTokenizer = true;
    model->tokenBytes = {"a", "\xE2", "\x82", "\xAC", "<eos>"};
    model->specialToken = {false, false, false, false, true};
    return model;
}

std::uint16_t expertAt(std::uint32_t position, std::uint32_t layer, std::uint32_t rank)
{
    return static_cast<std::uint16_t>((position * 7 + layer * 3 + rank) % shape.experts);
}

void route(RunRecord& record, std::uint32_t position)
{
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
        for (std::uint32_t rank = 0; rank < shape.k; ++rank) {
            record.writeExperts(position, layer)[rank] = expertAt(position, layer, rank);
            record.writeWeights(position, layer)[rank] = 0.5f;
        }
        record.writeMargin(position, layer, 1.f);
    }
    record.publishRouted(position + 1);
}

TimingEvent timing(std::uint32_t position, std::uint32_t tokens, std::uint64_t totalNs, bool prefill)
{
    TimingEvent event;
    event.position = position;
    event.tokens = tokens;
    event.totalNs = totalNs;
    event.prefill = prefill;
    return event;
}

/// What an engine does in a run: a prompt, then one token after the other until no position is left.
void writeRun(RunRecord& record, TimingRing& timings)
{
    const std::array<TokenId, 3> prompt{0, 0, 0};
    record.setPrompt(prompt);
    for (std::uint32_t position = 0; position < prompt.size(); ++position)
        route(record, position);
    timings.tryPush(timing(0, 3, 3000, true));
    for (std::uint32_t position = 3; position < shape.positions; ++position) {
        record.appendToken(position % 5);
        route(record, position);
        timings.tryPush(timing(position, 1, 500, false));
    }
}

RunStore::Clock::time_point soon()
{
    return RunStore::Clock::now() + 4ms;
}

} // namespace

class TestStores : public QObject {
    Q_OBJECT

private slots:
    void runWrittenByAnotherThread();
    void aPassedDeadlineLosesNothing();
    void droppedTimingsAreCounted();
    void statesAndSignals();
    void anotherRunForgetsTheOneBefore();
    void openingWrittenByAnotherThread();
    void aFailedOpeningKeepsTheModel();
    void selectionSignalsChangesOnly();
    void backAndForward();
    void walkingIsOneVisit();
    void aKeptRunStays();
};

void TestStores::runWrittenByAnotherThread()
{
    auto record = std::make_shared<RunRecord>(shape);
    auto timings = std::make_shared<TimingRing>(timingRingCapacity);
    RunStore store;
    int announced = 0;
    int routed = 0;
    connect(&store, &RunStore::tokensAppended, this, [&](int from, int to) {
        QVERIFY(from <= announced && to > announced);
        QCOMPARE(to, store.tokens());
        announced = to;
    });
    connect(&store, &RunStore::routedAdvanced, this, [&](int from, int to) {
        QCOMPARE(from, routed);
        routed = to;
        QVERIFY(routed <= store.tokens());
        for (int position = from; position < to; ++position) {
            const auto experts = store.record()->experts(static_cast<std::uint32_t>(position), 1);
            QCOMPARE(experts[1], expertAt(static_cast<std::uint32_t>(position), 1, 1));
        }
    });
    store.begin({facts(), record, timings, {}, 0, 0});
    std::jthread engine([&] { writeRun(*record, *timings); });
    QTRY_VERIFY(store.catchUp(soon()) && store.routed() == int(shape.positions));
    QCOMPARE(announced, int(shape.positions));
    QCOMPARE(routed, int(shape.positions));
    QCOMPARE(store.promptTokens(), 3);
    std::vector<TokenId> ids{0, 0, 0};
    for (std::uint32_t position = 3; position < shape.positions; ++position)
        ids.push_back(position % 5);
    QCOMPARE(store.text(), decodeTokens(facts(), ids));
    QCOMPARE(store.text(3, 10), decodeTokens(facts(), std::span(ids).subspan(3, 7)));
    QCOMPARE(store.timing(1)->tokens, 3u);
    QCOMPARE(store.timing(100)->position, 100u);
    QCOMPARE(store.timing(int(shape.positions)), nullptr);
    QCOMPARE(store.prefillTokensPerSecond(), 1e6);
    QCOMPARE(store.decodeTokensPerSecond(), 2e6);
    QCOMPARE(store.droppedTimings(), 0u);
}

void TestStores::aPassedDeadlineLosesNothing()
{
    auto record = std::make_shared<RunRecord>(shape);
    auto timings = std::make_shared<TimingRing>(timingRingCapacity);
    writeRun(*record, *timings);
    RunStore store;
    store.begin({facts(), record, timings, {}, 0, 0});
    int ticks = 0;
    while (!store.catchUp(RunStore::Clock::now() + 20us)) {
        QVERIFY(store.routed() <= store.tokens());
        QVERIFY(++ticks < 100000);
    }
    QVERIFY(ticks > 1);
    QCOMPARE(store.tokens(), int(shape.positions));
    QCOMPARE(store.routed(), int(shape.positions));
    QVERIFY(store.timing(int(shape.positions) - 1));
}

void TestStores::droppedTimingsAreCounted()
{
    auto record = std::make_shared<RunRecord>(shape);
    auto timings = std::make_shared<TimingRing>(16);
    writeRun(*record, *timings);
    RunStore store;
    store.begin({facts(), record, timings, {}, 0, 0});
    QVERIFY(store.catchUp(soon() + 1s));
    QCOMPARE(store.droppedTimings(), std::uint64_t(shape.positions - 3 + 1 - 16));
    QCOMPARE(store.timing(17)->position, 17u);
    QCOMPARE(store.timing(18), nullptr);
}

void TestStores::statesAndSignals()
{
    RunStore store;
    QSignalSpy changes(&store, &RunStore::stateChanged);
    QCOMPARE(store.state(), RunStore::State::Idle);
    QVERIFY(store.catchUp(soon()));
    store.setState(RunStore::State::Idle);
    QCOMPARE(changes.count(), 0);
    store.setState(RunStore::State::Running);
    QVERIFY(store.busy());
    store.fail({Errc::Lost, "run", "model.safetensors", {}, "the file shrank"});
    QVERIFY(!store.busy());
    QCOMPARE(store.error()->file, std::string("model.safetensors"));
    store.setState(RunStore::State::Starting);
    QVERIFY(!store.error());
    store.finish(StopReason::EndOfText);
    QCOMPARE(store.finishReason(), StopReason::EndOfText);
    QCOMPARE(changes.count(), 4);
}

void TestStores::anotherRunForgetsTheOneBefore()
{
    auto record = std::make_shared<RunRecord>(shape);
    auto timings = std::make_shared<TimingRing>(timingRingCapacity);
    writeRun(*record, *timings);
    RunStore store;
    store.begin({facts(), record, timings, {}, 0, 0});
    QVERIFY(store.catchUp(soon() + 1s));
    QSignalSpy resets(&store, &RunStore::reset);
    store.begin({facts(), std::make_shared<RunRecord>(shape), std::make_shared<TimingRing>(16), {}, 0, 0});
    QCOMPARE(resets.count(), 1);
    QCOMPARE(store.tokens(), 0);
    QCOMPARE(store.routed(), 0);
    QCOMPARE(store.text(), QString());
    QCOMPARE(store.timing(0), nullptr);
    QCOMPARE(store.decodeTokensPerSecond(), 0.);
    store.clear();
    QCOMPARE(resets.count(), 2);
    QVERIFY(!store.model() && !store.record());
}

void TestStores::openingWrittenByAnotherThread()
{
    auto progress = std::make_shared<OpenProgress>();
    OpenStore store;
    store.begin(QStringLiteral("/models/a"), progress);
    QCOMPARE(store.state(), OpenStore::State::Opening);
    QCOMPARE(store.layers(), 0);
    std::jthread engine([&] {
        progress->setBytesTotal(24 * 1000);
        progress->setDimensions(4, 6);
        for (std::uint32_t at = 0; at < 24; ++at) {
            progress->setState(at / 6, at % 6, at == 23 ? ExpertState::Failed : ExpertState::Mapped);
            progress->addBytes(1000);
        }
    });
    const auto done = [&] {
        store.catchUp();
        if (store.layers() > 0 && store.expertStates().size() != 24)
            qFatal("a map without its experts");
        return store.bytesDone() == 24000;
    };
    QTRY_VERIFY(done());
    engine.join();
    store.succeed(facts());
    QCOMPARE(store.state(), OpenStore::State::Opened);
    QCOMPARE(store.experts(), 6);
    QCOMPARE(store.expertStates()[22], ExpertState::Mapped);
    QCOMPARE(store.expertStates()[23], ExpertState::Failed);
    QCOMPARE(store.bytesTotal(), 24000u);
    QVERIFY(store.bytesPerSecond() > 0);
}

void TestStores::aFailedOpeningKeepsTheModel()
{
    OpenStore store;
    QSignalSpy models(&store, &OpenStore::modelChanged);
    store.begin(QStringLiteral("/models/a"), std::make_shared<OpenProgress>());
    store.succeed(facts());
    store.begin(QStringLiteral("/models/b"), std::make_shared<OpenProgress>());
    QCOMPARE(store.expertStates().size(), 0u);
    store.fail({Errc::NotFound, "open the model", "/models/b", {}, "no such folder"});
    QVERIFY(store.model());
    QCOMPARE(store.error()->file, std::string("/models/b"));
    store.begin(QStringLiteral("/models/c"), std::make_shared<OpenProgress>());
    QVERIFY(!store.error());
    store.cancel();
    QVERIFY(store.model());
    QCOMPARE(models.count(), 1);
    store.close();
    QVERIFY(!store.model());
    QCOMPARE(store.state(), OpenStore::State::Idle);
    QCOMPARE(models.count(), 2);
}

void TestStores::selectionSignalsChangesOnly()
{
    SelectionStore store;
    QSignalSpy changes(&store, &SelectionStore::changed);
    store.select({.token = 3, .layer = 1, .rank = 0, .expert = 5});
    store.select({.token = 3, .layer = 1, .rank = 0, .expert = 5});
    QCOMPARE(changes.count(), 1);
    QCOMPARE(store.selection().expert, 5);
    store.clear();
    QCOMPARE(changes.count(), 2);
    QCOMPARE(store.selection(), Selection{});
}

void TestStores::backAndForward()
{
    SelectionStore store;
    const auto visit = [&store](int token) {
        store.select({.token = token});
        QTest::qWait(SelectionStore::visitMs + 50);
    };
    visit(1);
    QVERIFY(!store.canGoBack()); // nothing was selected before
    visit(2);
    visit(3);
    store.goBack();
    QCOMPARE(store.selection().token, 2);
    store.goBack();
    QCOMPARE(store.selection().token, 1);
    store.goBack();
    QCOMPARE(store.selection().token, 1);
    store.goForward();
    QCOMPARE(store.selection().token, 2);
    visit(9); // what was ahead is gone
    QVERIFY(!store.canGoForward());
    store.goBack();
    QCOMPARE(store.selection().token, 2);
    QSignalSpy changes(&store, &SelectionStore::changed);
    store.forget();
    QCOMPARE(changes.size(), 1);
    QVERIFY(!store.canGoBack() && !store.canGoForward());
    QCOMPARE(store.selection(), Selection{});
}

void TestStores::walkingIsOneVisit()
{
    SelectionStore store;
    store.select({.token = 1});
    QTest::qWait(SelectionStore::visitMs + 50);
    for (int token = 2; token < 50; ++token)
        store.select({.token = token});
    store.goBack();
    QCOMPARE(store.selection().token, 1);
    store.goForward();
    QCOMPARE(store.selection().token, 49);
}

void TestStores::aKeptRunStays()
{
    const auto record = std::make_shared<RunRecord>(shape);
    const auto timings = std::make_shared<TimingRing>(timingRingCapacity);
    RunStore store;
    RunStart start;
    start.model = facts();
    start.record = record;
    start.timings = timings;
    start.spec.maxTokens = 77;
    store.begin(start);
    writeRun(*record, *timings);
    while (!store.catchUp(RunStore::Clock::time_point::max())) { }
    store.finish(StopReason::ContextFull);
    RunStore kept;
    QSignalSpy resets(&kept, &RunStore::reset);
    kept.keep(store);
    QCOMPARE(resets.size(), 1);
    store.begin({facts(), std::make_shared<RunRecord>(shape), std::make_shared<TimingRing>(16), {}, 0, 0});
    QCOMPARE(store.tokens(), 0);
    QCOMPARE(kept.tokens(), int(record->tokens()));
    QCOMPARE(kept.routed(), int(record->routed()));
    QCOMPARE(kept.record(), record);
    QCOMPARE(kept.spec().maxTokens, 77u);
    QCOMPARE(kept.state(), RunStore::State::Finished);
    QCOMPARE(kept.finishReason(), StopReason::ContextFull);
    QVERIFY(!kept.timings().empty() && kept.timing(5));
    QVERIFY(kept.catchUp(RunStore::Clock::time_point::max())); // has nothing to follow
}

QTEST_GUILESS_MAIN(TestStores)
#include "tst_stores.moc"
