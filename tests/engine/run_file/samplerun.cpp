// SPDX-License-Identifier: Apache-2.0
#include "samplerun.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <xxhash.h>

namespace colibri::test {
namespace {

float floatOf(std::uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

template <class T>
bool sameBits(std::span<const T> a, std::span<const T> b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

QString at(const char* what, std::uint32_t position, std::uint32_t layer)
{
    return QStringLiteral("%1 of position %2, layer %3").arg(QLatin1String(what)).arg(position).arg(layer);
}

QString recordDifference(const RunRecord& a, const RunRecord& b)
{
    const auto& shape = a.shape();
    if (a.tokens() != b.tokens() || a.promptTokens() != b.promptTokens() || a.routed() != b.routed()
        || a.breakerEvents() != b.breakerEvents() || shape.layers != b.shape().layers
        || shape.experts != b.shape().experts || shape.k != b.shape().k)
        return QStringLiteral("counts");
    for (std::uint32_t position = 0; position < a.tokens(); ++position)
        if (a.token(position) != b.token(position))
            return at("token", position, 0);
    std::vector<float> one(shape.experts);
    std::vector<float> other(shape.experts);
    for (std::uint32_t p = 0; p < a.routed(); ++p)
        for (std::uint32_t l = 0; l < shape.layers; ++l) {
            if (!sameBits(a.experts(p, l), b.experts(p, l)))
                return at("experts", p, l);
            if (!sameBits(a.weights(p, l), b.weights(p, l)))
                return at("weights", p, l);
            if (std::bit_cast<std::uint32_t>(a.margin(p, l)) != std::bit_cast<std::uint32_t>(b.margin(p, l)))
                return at("margin", p, l);
            if (a.zeroed(p, l) != b.zeroed(p, l))
                return at("zeroed", p, l);
            const bool held = a.copyRouterLogits(p, l, one);
            if (held != b.copyRouterLogits(p, l, other)
                || (held && !sameBits(std::span<const float>(one), std::span<const float>(other))))
                return at("router logits", p, l);
        }
    return {};
}

auto fieldsOf(const TimingEvent& e)
{
    return std::tuple(e.startNs, e.totalNs, e.position, e.tokens, e.attentionNs, e.routerNs, e.expertsNs, e.headNs,
        e.samplingNs, e.prefill, e.minorFaults, e.majorFaults, e.cacheMisses, e.branchMisses);
}

auto fieldsOf(const EngineInfo& i)
{
    return std::tuple(
        i.version, i.isa, i.numerics, i.activations, i.kv, i.threads, i.batch, i.context, i.routing, i.modelId);
}

auto fieldsOf(const SamplingOptions& s)
{
    return std::tuple(s.temperature, s.topK, s.topP, s.minP, s.repeatPenalty, s.seed);
}

auto figuresOf(const SavedRun& r)
{
    return std::tuple(r.modelPath, r.promptIsText, r.promptText, r.maxTokens, r.ignoreEndOfText, r.pace, r.reason,
        r.error, r.arenaBytes, r.kvBytes, r.droppedTimings, r.counterNote);
}

} // namespace

void routeUpTo(RunRecord& record, std::uint32_t count)
{
    const auto& shape = record.shape();
    constexpr std::uint32_t margins[]{0x7FC00000, 0xFFC12345, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001};
    for (std::uint32_t p = record.routed(); p < count; ++p)
        for (std::uint32_t l = 0; l < shape.layers; ++l) {
            const std::uint32_t row = p * shape.layers + l;
            for (std::uint32_t r = 0; r < shape.k; ++r) {
                record.writeExperts(p, l)[r] =
                    (row + r) % 3 == 2 ? noExpert : static_cast<std::uint16_t>((row + r) % shape.experts);
                record.writeWeights(p, l)[r] = floatOf(0x3F000000 + row * 16 + r);
            }
            record.writeMargin(p, l, floatOf(row % 2 ? margins[row / 2 % 6] : 0x40000000 + row));
            record.writeZeroed(p, l, row * 0x01010101u);
            std::vector<float> logits(shape.experts);
            for (std::uint32_t e = 0; e < shape.experts; ++e)
                logits[e] = floatOf(0xBF000000 + row * 64 + e);
            record.writeRouterLogits(p, l, logits);
        }
    record.publishRouted(count);
}

std::shared_ptr<RunRecord> sampleRecord(const SampleShape& shape)
{
    auto record = std::make_shared<RunRecord>(RunRecord::Shape{shape.positions, shape.layers, shape.experts, shape.k,
        std::size_t{shape.heldPositions} * shape.layers * shape.experts * sizeof(float)});
    std::vector<TokenId> prompt(shape.prompt);
    for (std::uint32_t i = 0; i < shape.prompt; ++i)
        prompt[i] = 0xFFFFFFFF - i;
    record->setPrompt(prompt);
    for (std::uint32_t i = shape.prompt; i < shape.tokens; ++i)
        record->appendToken(1000 + i);
    record->countBreakerEvent(77);
    routeUpTo(*record, shape.routed);
    return record;
}

SavedRun sampleRun(const SampleShape& shape)
{
    SavedRun run;
    run.info = {"1.2.3", "avx2", Numerics::Scalar, Activations::F32, KvType::F16, 3, 17, 12, RoutingSource::Table,
        "0123456789abcdef"};
    run.modelPath = "/models/\xC3\xA9t\xC3\xA9 \"x\"";
    run.promptText = "Once\nupon \xE6\x98\xA5\t\x01";
    run.maxTokens = 4294967295u;
    run.ignoreEndOfText = true;
    run.sampling = {0.8f, 40, 0.95f, 0.1f, 1.1f, 18446744073709551615ull};
    run.engine = {
        5, 33, 12, KvType::F16, Numerics::Scalar, Activations::F32, Isa::Avx512, RoutingSource::Table, Breaker::Fatal};
    run.pace = 12.5;
    run.reason = StopReason::ContextFull;
    run.error = "a NaN, said layer 3";
    run.arenaBytes = 0x123456789ABCull;
    run.kvBytes = 0x1234567ull;
    run.droppedTimings = 9;
    run.counterNote = "no counters here";
    run.timings = {{11, 1ull << 40, 0, shape.prompt, 2.5f, 3, 4, 5, 6, 1, 7, 8, 9, 10},
        {12, 21, shape.prompt, 1, 1, 2, 3, 4, 0, 0, notCounted, 1, notCounted, 0}};
    run.record = sampleRecord(shape);
    return run;
}

QString difference(const SavedRun& a, const SavedRun& b)
{
    if (fieldsOf(a.info) != fieldsOf(b.info))
        return QStringLiteral("engine");
    if (fieldsOf(a.sampling) != fieldsOf(b.sampling))
        return QStringLiteral("sampling");
    if (a.engine != b.engine)
        return QStringLiteral("options");
    if (figuresOf(a) != figuresOf(b))
        return QStringLiteral("figures");
    if (a.timings.size() != b.timings.size())
        return QStringLiteral("number of timings");
    for (std::size_t i = 0; i < a.timings.size(); ++i)
        if (fieldsOf(a.timings[i]) != fieldsOf(b.timings[i]))
            return QStringLiteral("timing %1").arg(i);
    return recordDifference(*a.record, *b.record);
}

QByteArray withChecksum(QByteArray file)
{
    const auto covered = std::size_t(file.size()) - 8;
    const std::uint64_t checksum = XXH64(file.constData(), covered, 0);
    std::memcpy(file.data() + covered, &checksum, 8);
    return file;
}

std::span<const std::byte> bytesOf(const QByteArray& file)
{
    return std::as_bytes(std::span(file.constData(), std::size_t(file.size())));
}

} // namespace colibri::test
