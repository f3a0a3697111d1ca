// SPDX-License-Identifier: Apache-2.0
#include "sessiontools.h"

#include "memory/fault_guard.h"
#include "support/errorcheck.h"

#include <QFile>
#include <QTest>

#include <cfenv>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

using namespace colibri;
using namespace colibri::test;

/// Runs: stepping, stopping and going on, ends, refusals, the circuit breaker, and files that shrink.
class TestRun : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installFaultGuard(); }
    void stepsAndStopsChangeNothing();
    void recordIsThatOfAnEvaluation();
    void ends();
    void stopInPrefill();
    void refusals_data();
    void refusals();
    void breakerZeroes();
    void breakerFatal();
    void shrinkingFileEndsTheRun();
    void changedFileIsNoticed();
    void timings();
    void foreignRoundingIsRefused();
};

namespace {

RunRequest request(std::uint32_t tokens, float temperature = 0.8f)
{
    RunRequest r;
    r.prompt = someTokens(20, 101);
    r.maxTokens = tokens;
    r.sampling.temperature = temperature;
    r.sampling.seed = 42;
    return r;
}

std::unique_ptr<Session> start(const ModelPtr& model, EngineOptions options = {})
{
    if (options.threads == 0)
        options.threads = 2;
    auto session = Session::create(model, options);
    if (!session)
        qFatal("%s", session.error().message().c_str());
    return std::move(*session);
}

std::vector<TokenId> whole(const ModelPtr& model, const RunRequest& r)
{
    const auto session = start(model);
    if (!session->begin(r, nullptr) || !session->advance(100000, {}))
        return {};
    return {session->generated().begin(), session->generated().end()};
}

} // namespace

void TestRun::stepsAndStopsChangeNothing()
{
    const OpenedModel opened;
    const std::vector<TokenId> expected = whole(opened.model, request(60));
    QCOMPARE(expected.size(), std::size_t{60});
    const auto session = start(opened.model);
    QVERIFY(session->begin(request(60), nullptr));
    std::stop_source stopped;
    stopped.request_stop();
    for (int i = 0; session->generated().size() < 60; ++i) {
        const auto cancelled = session->advance(5, stopped.get_token());
        QVERIFY(cancelled);
        QCOMPARE(*cancelled, StopReason::Cancelled);
        const auto step = session->advance(i % 4, {});
        QVERIFY(step);
    }
    QCOMPARE(std::vector<TokenId>(session->generated().begin(), session->generated().end()), expected);
}

void TestRun::recordIsThatOfAnEvaluation()
{
    const OpenedModel opened;
    const auto session = start(opened.model);
    const auto record = session->makeRecord();
    QVERIFY(session->begin(request(30), record));
    QVERIFY(session->advance(1000, {}));
    QCOMPARE(record->tokens(), 50u);
    QCOMPARE(record->promptTokens(), 20u);
    QCOMPARE(record->routed(), 49u); // the last token went through no layer
    std::vector<TokenId> tokens;
    for (std::uint32_t i = 0; i < 49; ++i)
        tokens.push_back(record->token(i));
    const Evaluation evaluation = evaluate(opened.model, {}, tokens);
    std::vector<std::uint16_t> experts;
    for (std::uint32_t layer = 0; layer < record->shape().layers; ++layer)
        for (std::uint32_t position = 0; position < 49; ++position) {
            experts.insert(
                experts.end(), record->experts(position, layer).begin(), record->experts(position, layer).end());
            QVERIFY(record->margin(position, layer) >= 0.f);
        }
    QCOMPARE(experts, evaluation.experts);
}

void TestRun::ends()
{
    const OpenedModel opened;
    const auto session = start(opened.model);
    QVERIFY(session->begin(request(5), nullptr));
    QCOMPARE(*session->advance(2, {}), StopReason::Paused);
    QCOMPARE(*session->advance(100, {}), StopReason::MaxTokens);
    QCOMPARE(*session->advance(100, {}), StopReason::MaxTokens);
    QVERIFY(session->begin(request(100000), nullptr));
    QCOMPARE(*session->advance(100000, {}), StopReason::ContextFull);
    QCOMPARE(session->generated().size(), std::size_t{256 - 20});
    QVERIFY(session->begin(request(0), nullptr));
    QCOMPARE(*session->advance(10, {}), StopReason::MaxTokens);
    QVERIFY(session->generated().empty());
}

void TestRun::stopInPrefill()
{
    const OpenedModel opened;
    EngineOptions options;
    options.batch = 4;
    const auto session = start(opened.model, options);
    const auto record = session->makeRecord();
    RunRequest r = request(3, 0.f);
    r.prompt = someTokens(200, 101);
    std::stop_source stop;
    QVERIFY(session->begin(r, record));
    std::thread stopper([&] {
        while (record->routed() < 8)
            std::this_thread::yield();
        stop.request_stop();
    });
    const auto reason = session->advance(3, stop.get_token());
    stopper.join();
    QVERIFY(reason);
    if (*reason == StopReason::Cancelled)
        QVERIFY(session->generated().empty());
    QVERIFY(session->advance(3, {}));
    const std::vector<TokenId> made(session->generated().begin(), session->generated().end());
    const auto other = start(opened.model);
    QVERIFY(other->begin(r, nullptr));
    QVERIFY(other->advance(3, {}));
    QCOMPARE(made, std::vector<TokenId>(other->generated().begin(), other->generated().end()));
}

void TestRun::refusals_data()
{
    QTest::addColumn<std::function<void(RunRequest&, EngineOptions&)>>("change");
    QTest::addColumn<QList<QByteArray>>("parts");
    using Change = std::function<void(RunRequest&, EngineOptions&)>;
    const auto row = [](const char* name, Change change, QList<QByteArray> parts) {
        QTest::newRow(name) << change << parts;
    };
    row("no tokens", [](RunRequest& r, EngineOptions&) { r.prompt.clear(); }, {"at least one"});
    row("token out of range", [](RunRequest& r, EngineOptions&) { r.prompt[3] = 101; },
        {"token 101", "position 3", "vocabulary has 101"});
    row("prompt longer than the context", [](RunRequest& r, EngineOptions&) { r.prompt = someTokens(257, 101); },
        {"257", "256"});
    row("temperature", [](RunRequest& r, EngineOptions&) { r.sampling.temperature = -1.f; }, {"temperature"});
    row("top-p", [](RunRequest& r, EngineOptions&) { r.sampling.topP = 0.f; }, {"top-p"});
    row("min-p", [](RunRequest& r, EngineOptions&) { r.sampling.minP = 2.f; }, {"min-p"});
    row("repeat penalty", [](RunRequest& r, EngineOptions&) { r.sampling.repeatPenalty = std::nanf(""); },
        {"repeat-penalty"});
    row("context above the model's", [](RunRequest&, EngineOptions& o) { o.context = 257; }, {"context is 257", "256"});
    row("batch of nothing", [](RunRequest&, EngineOptions& o) { o.batch = 0; }, {"batch is 0"});
    row("threads", [](RunRequest&, EngineOptions& o) { o.threads = 100000; }, {"threads is 100000"});
    row("no table", [](RunRequest&, EngineOptions& o) { o.routing = RoutingSource::Table; }, {"routing is table"});
}

void TestRun::refusals()
{
    QFETCH(std::function<void(RunRequest&, EngineOptions&)>, change);
    QFETCH(QList<QByteArray>, parts);
    const OpenedModel opened;
    RunRequest r = request(5);
    EngineOptions options;
    change(r, options);
    const auto session = Session::create(opened.model, options);
    const Result<void> begun = session ? (*session)->begin(r, nullptr) : Result<void>(session.error());
    QVERIFY(!begun);
    for (const QByteArray& part : parts)
        QVERIFY2(QByteArray::fromStdString(begun.error().message()).contains(part), begun.error().message().c_str());
    if (session)
        QVERIFY(!(*session)->advance(1, {})); // nothing was started
}

namespace {

float plantNan(const std::string& tensor, std::uint64_t element, float value)
{
    return tensor == "model.layers.1.mlp.experts.2.down_proj.weight" && element == 77
        ? std::numeric_limits<float>::quiet_NaN()
        : value;
}

} // namespace

void TestRun::breakerZeroes()
{
    const OpenedModel broken({}, plantNan);
    // Zeroing the whole expert is what the breaker makes of one bad weight.
    const OpenedModel zeroed({}, [](const std::string& tensor, std::uint64_t, float value) {
        return tensor == "model.layers.1.mlp.experts.2.down_proj.weight" ? 0.f : value;
    });
    const std::vector<TokenId> tokens = someTokens(60, 101);
    const Evaluation result = evaluate(broken.model, {}, tokens);
    const Evaluation expected = evaluate(zeroed.model, {}, tokens);
    QCOMPARE(result.error, std::string());
    QCOMPARE(result.logits, expected.logits);
    std::uint64_t served = 0;
    const std::size_t perLayer = 60 * 3;
    for (std::size_t i = perLayer; i < 2 * perLayer; ++i)
        served += result.experts[i] == 2;
    QVERIFY(served > 0);
    QCOMPARE(result.breakerEvents, served);
    QCOMPARE(expected.breakerEvents, std::uint64_t{0});

    const auto session = start(broken.model);
    const auto record = session->makeRecord();
    QVERIFY(session->begin(request(50), record));
    QCOMPARE(*session->advance(1000, {}), StopReason::MaxTokens);
    std::uint64_t marked = 0;
    for (std::uint32_t position = 0; position < record->routed(); ++position)
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            const bool bad = record->zeroed(position, 1) & (1u << rank);
            QCOMPARE(bad, record->experts(position, 1)[rank] == 2);
            marked += bad;
        }
    QCOMPARE(record->breakerEvents(), marked);
}

void TestRun::breakerFatal()
{
    const OpenedModel broken({}, plantNan);
    EngineOptions options;
    options.breaker = Breaker::Fatal;
    const Evaluation result = evaluate(broken.model, options, someTokens(60, 101));
    QVERIFY2(result.error.find("layer 1 expert 2") != std::string::npos, result.error.c_str());
}

void TestRun::shrinkingFileEndsTheRun()
{
    GeneratedShape large;
    large.hidden = 256;
    large.ffn = 256;
    large.experts = 16;
    const OpenedModel opened(large);
    const auto session = start(opened.model);
    QVERIFY(session->begin(request(100), nullptr));
    QCOMPARE(*session->advance(2, {}), StopReason::Paused);
    QVERIFY(QFile::resize(opened.folder.filePath("model.safetensors"), 100000));
    const auto ended = session->advance(100, {});
    QCOMPARE(complaint(ended, Errc::Lost, {"model.safetensors", "shrank"}), QString());
    QVERIFY(!session->advance(1, {}));
    QVERIFY(!opened.model->checkMappings());
}

void TestRun::changedFileIsNoticed()
{
    const OpenedModel opened;
    const auto session = start(opened.model);
    QVERIFY(session->begin(request(1), nullptr));
    QFile file(opened.folder.filePath("model.safetensors"));
    QVERIFY(file.open(QIODevice::ReadWrite | QIODevice::Append));
    QVERIFY(file.putChar('x'));
    file.close();
    QCOMPARE(complaint(session->begin(request(1), nullptr), Errc::Lost, {"model.safetensors", "changed"}), QString());
}

void TestRun::timings()
{
    const OpenedModel opened;
    EngineOptions options;
    options.batch = 8;
    const auto session = start(opened.model, options);
    const auto ring = std::make_shared<TimingRing>(timingRingCapacity);
    QVERIFY(session->begin(request(10), session->makeRecord(), ring));
    QVERIFY(session->advance(100, {}));
    std::uint32_t position = 0;
    TimingEvent event;
    while (ring->tryPop(event)) {
        QCOMPARE(event.position, position);
        QCOMPARE(event.prefill, position < 20 ? 1u : 0u);
        const double stages = double(event.attentionNs) + double(event.routerNs) + double(event.expertsNs)
            + double(event.headNs) + double(event.samplingNs);
        QVERIFY(stages <= double(event.totalNs) * (1 + 6e-8));
        QVERIFY(event.attentionNs > 0 && event.expertsNs > 0);
        QVERIFY(event.minorFaults != notCounted && event.majorFaults != notCounted);
        if (session->counterNote().empty())
            QVERIFY(event.cacheMisses != notCounted && event.branchMisses != notCounted);
        position += event.tokens;
    }
    QCOMPARE(position, 29u);
    QCOMPARE(session->timings().prefillTokens, 20u);
    QCOMPARE(session->timings().decodeTokens, 9u);
    QVERIFY(session->timings().firstTokenS >= session->timings().prefillS * 0.99);
    QCOMPARE(ring->dropped(), std::uint64_t{0});
}

void TestRun::foreignRoundingIsRefused()
{
    const OpenedModel opened;
    const auto session = start(opened.model);
    std::fesetround(FE_UPWARD);
    const auto begun = session->begin(request(1), nullptr);
    std::fesetround(FE_TONEAREST);
    QCOMPARE(complaint(begun, Errc::Mismatch, {"rounding"}), QString());
    QVERIFY(session->begin(request(1), nullptr));
}

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
