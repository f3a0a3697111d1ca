// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/timingexport.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr Quantity countedQuantities[]{
    Quantity::MinorFaults, Quantity::MajorFaults, Quantity::CacheMisses, Quantity::BranchMisses};
constexpr const char* countNames[]{"minor_faults", "major_faults", "cache_misses", "branch_misses"};
constexpr const char* stageNames[]{"attention", "router", "experts", "head", "sampling", "other"};

/// Nanoseconds as microseconds with three decimals: exact, unlike a double.
QByteArray microseconds(std::uint64_t ns)
{
    return QByteArray::number(quint64(ns / 1000)) + '.' + QByteArray::number(quint64(ns % 1000)).rightJustified(3, '0');
}

std::uint64_t sinceFirst(const std::vector<TimingEvent>& events, std::size_t index)
{
    return events[index].startNs - std::min(events[index].startNs, events.front().startNs);
}

void appendCsvRow(QByteArray& out, const std::vector<TimingEvent>& events, std::size_t index, Pauses pauses)
{
    const TimingEvent& event = events[index];
    const auto number = [&out](double ns) { out += ',' + QByteArray::number(qint64(std::llround(ns))); };
    out += QByteArray::number(event.position) + ',' + QByteArray::number(event.tokens);
    out += event.prefill ? ",prefill," : ",decode,";
    out += QByteArray::number(quint64(sinceFirst(events, index))) + ',' + QByteArray::number(quint64(event.totalNs));
    for (const float ns : {event.attentionNs, event.routerNs, event.expertsNs, event.headNs, event.samplingNs})
        number(double(ns));
    const auto gap = index > 0 ? gapBetween(events[index - 1], event, pauses) : std::nullopt;
    out += ',' + (gap ? QByteArray::number(quint64(gap->waitingNs)) : QByteArray());
    out += ',' + (gap ? QByteArray::number(quint64(gap->pausedNs)) : QByteArray());
    for (const Quantity quantity : countedQuantities) {
        const auto count = countOf(event, quantity);
        out += ',' + (count ? QByteArray::number(*count) : QByteArray());
    }
    out += '\n';
}

QByteArray completeEvent(const char* name, const char* category, std::uint64_t beginNs, std::uint64_t lengthNs)
{
    return QByteArray("{\"name\":\"") + name + "\",\"cat\":\"" + category + "\",\"ph\":\"X\",\"ts\":"
        + microseconds(beginNs) + ",\"dur\":" + microseconds(lengthNs) + ",\"pid\":1,\"tid\":1";
}

void appendTraceRow(QByteArray& out, const std::vector<TimingEvent>& events, std::size_t index)
{
    const TimingEvent& event = events[index];
    std::uint64_t at = sinceFirst(events, index);
    const std::uint64_t end = at + event.totalNs;
    const char* const phase = event.prefill ? "prefill" : "decode";
    out += ",\n" + completeEvent(phase, "step", at, event.totalNs) + ",\"args\":{\"position\":"
        + QByteArray::number(event.position) + ",\"tokens\":" + QByteArray::number(event.tokens);
    for (std::size_t i = 0; i < std::size(countedQuantities); ++i) {
        if (const auto count = countOf(event, countedQuantities[i]))
            out += QByteArray(",\"") + countNames[i] + "\":" + QByteArray::number(*count);
    }
    out += "}}";
    const auto stages = stagesOf(event);
    for (std::size_t stage = 0; stage < std::size(stageNames); ++stage) {
        const auto length = std::min(static_cast<std::uint64_t>(std::llround(stages[stage])), end - at);
        if (length > 0)
            out += ",\n" + completeEvent(stageNames[stage], "stage", at, length) + '}';
        at += length;
    }
}

QJsonObject otherData(const EngineInfo& info, const std::string& modelPath, std::uint64_t droppedSteps)
{
    const auto text = [](std::string_view view) { return QString::fromUtf8(view.data(), qsizetype(view.size())); };
    return {{QStringLiteral("version"), text(info.version)}, {QStringLiteral("model"), text(modelPath)},
        {QStringLiteral("model_id"), text(info.modelId)}, {QStringLiteral("isa"), text(info.isa)},
        {QStringLiteral("numerics"), text(name(info.numerics))},
        {QStringLiteral("activations"), text(name(info.activations))}, {QStringLiteral("kv"), text(name(info.kv))},
        {QStringLiteral("threads"), qint64(info.threads)}, {QStringLiteral("batch"), qint64(info.batch)},
        {QStringLiteral("context"), qint64(info.context)}, {QStringLiteral("routing"), text(name(info.routing))},
        {QStringLiteral("steps_not_recorded"), qint64(droppedSteps)},
        {QStringLiteral("stages"), QStringLiteral("sums over all layers, laid end to end within a step")}};
}

} // namespace

TimingFile timingsAsCsv(Pauses pauses)
{
    return {"position,tokens,phase,start_ns,total_ns,attention_ns,router_ns,experts_ns,head_ns,sampling_ns,waiting_ns,"
            "paused_ns,minor_faults,major_faults,cache_misses,branch_misses\n",
        [known = std::vector(pauses.begin(), pauses.end())](QByteArray& out, const std::vector<TimingEvent>& events,
            std::size_t index) { appendCsvRow(out, events, index, known); },
        {}};
}

TimingFile timingsAsTrace(const EngineInfo& info, const std::string& modelPath, std::uint64_t droppedSteps)
{
    const QByteArray head = "{\"traceEvents\":[\n"
                            "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":"
                            "\"colibri\"}},\n"
                            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"steps\"}}";
    const QByteArray tail = "\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":"
        + QJsonDocument(otherData(info, modelPath, droppedSteps)).toJson(QJsonDocument::Compact) + "}\n";
    return {head, appendTraceRow, tail};
}

} // namespace colibri
