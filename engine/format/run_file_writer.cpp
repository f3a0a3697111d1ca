// SPDX-License-Identifier: Apache-2.0
#include "format/output_document.h"
#include "format/run_file.h"
#include "format/run_header.h"
#include "format/run_timings.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include <xxhash.h>

namespace colibri {
namespace {

constexpr std::size_t bufferBytes = std::size_t{1} << 20;
constexpr std::uint32_t releaseGrain = 1u << 16; ///< positions between two times that a record in a file lets go

/// Router logits [positions][layers][experts] of the newest positions, copied before a run that goes on replaces them.
struct HeldLogits {
    std::uint32_t from = 0;
    std::vector<float> values;
};

HeldLogits copyLogits(const RunRecord& record, std::uint32_t routed)
{
    const RunRecord::Shape& shape = record.shape();
    HeldLogits held{routed, {}};
    if (shape.layers == 0 || shape.experts == 0)
        return held;
    const std::size_t perPosition = std::size_t{shape.layers} * shape.experts;
    const std::uint32_t oldest = routed - std::min(routed, record.logitPositions());
    held.values.resize((routed - oldest) * perPosition);
    // The newest first: the oldest are the first to be replaced.
    for (; held.from > oldest; --held.from) {
        const std::span<float> row =
            std::span(held.values).subspan((held.from - 1 - oldest) * perPosition, perPosition);
        for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
            if (!record.copyRouterLogits(
                    held.from - 1, layer, row.subspan(std::size_t{layer} * shape.experts, shape.experts))) {
                held.values.erase(
                    held.values.begin(), held.values.begin() + std::ptrdiff_t((held.from - oldest) * perPosition));
                return held;
            }
    }
    return held;
}

/// Bytes on their way to the file: gathered, hashed, counted.
class Stream {
public:
    Stream(OutputDocument& file, std::uint64_t total, const RunFileProgress& progress, const std::stop_token& stop)
        : m_file(file)
        , m_total(total)
        , m_progress(progress)
        , m_stop(stop)
    {
        m_buffer.reserve(bufferBytes);
        XXH64_reset(m_hash.get(), 0);
    }

    template <class T>
    Result<void> put(std::span<const T> values)
    {
        auto bytes = std::as_bytes(values);
        while (!bytes.empty()) {
            const std::size_t count = std::min(bytes.size(), bufferBytes - m_buffer.size());
            m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.begin() + std::ptrdiff_t(count));
            bytes = bytes.subspan(count);
            if (m_buffer.size() == bufferBytes)
                if (auto done = flush(); !done)
                    return done;
        }
        return {};
    }
    template <class T>
    Result<void> putValue(const T& value)
    {
        return put(std::span<const T>(&value, 1));
    }
    Result<void> pad()
    {
        static constexpr std::array<std::byte, runAlignment> zeros{};
        const std::uint64_t at = m_done + m_buffer.size();
        return put(std::span(zeros).first((runAlignment - at % runAlignment) % runAlignment));
    }
    Result<void> finish()
    {
        if (auto done = flush(); !done)
            return done;
        if (auto done = putValue(std::uint64_t{XXH64_digest(m_hash.get())}); !done)
            return done;
        return flush();
    }

private:
    struct Free {
        void operator()(XXH64_state_t* state) const { XXH64_freeState(state); }
    };

    Result<void> flush()
    {
        if (m_stop.stop_requested())
            return Error{Errc::Cancelled, "save the run", {}, {}, "stopped"};
        XXH64_update(m_hash.get(), m_buffer.data(), m_buffer.size());
        if (auto done = m_file.write(m_buffer); !done)
            return done;
        m_done += m_buffer.size();
        m_buffer.clear();
        if (m_progress)
            m_progress(m_done, m_total);
        return {};
    }

    OutputDocument& m_file;
    std::uint64_t m_total;
    const RunFileProgress& m_progress;
    const std::stop_token& m_stop;
    std::vector<std::byte> m_buffer;
    std::unique_ptr<XXH64_state_t, Free> m_hash{XXH64_createState()};
    std::uint64_t m_done = 0;
};

/// Writes the sections one after the other.
class Sections {
public:
    Sections(const SavedRun& run, const RunCounts& counts, const HeldLogits& logits, Stream& out)
        : m_run(run)
        , m_record(*run.record)
        , m_counts(counts)
        , m_logits(logits)
        , m_out(out)
    {
    }

    Result<void> write()
    {
        for (const auto section : {&Sections::tokens, &Sections::experts, &Sections::weights, &Sections::margins,
                 &Sections::zeroed, &Sections::logits, &Sections::timings}) {
            if (auto done = m_out.pad(); !done)
                return done;
            if (auto done = (this->*section)(); !done)
                return done;
        }
        return {};
    }

private:
    /// What `row` gives for each published position and layer, then `filler` for the positions behind them.
    template <class T, class Row>
    Result<void> rows(std::uint32_t width, T filler, Row row)
    {
        const std::vector<T> fill(width, filler);
        for (std::uint32_t position = 0; position < m_counts.tokens; ++position) {
            if (position % releaseGrain == 0)
                m_record.release();
            for (std::uint32_t layer = 0; layer < m_counts.layers; ++layer) {
                auto done = position < m_counts.routed ? m_out.put(std::span<const T>(row(position, layer)))
                                                       : m_out.put(std::span<const T>(fill));
                if (!done)
                    return done;
            }
        }
        return {};
    }

    Result<void> tokens()
    {
        for (std::uint32_t position = 0; position < m_counts.tokens; ++position)
            if (auto done = m_out.putValue(m_record.token(position)); !done)
                return done;
        return {};
    }
    Result<void> experts()
    {
        return rows(m_counts.k, noExpert, [&](auto position, auto layer) { return m_record.experts(position, layer); });
    }
    Result<void> weights()
    {
        return rows(m_counts.k, 0.f, [&](auto position, auto layer) { return m_record.weights(position, layer); });
    }
    Result<void> margins()
    {
        float margin = 0;
        return rows(1, std::numeric_limits<float>::quiet_NaN(), [&](auto position, auto layer) {
            margin = m_record.margin(position, layer);
            return std::span<const float>(&margin, 1);
        });
    }
    Result<void> zeroed()
    {
        std::uint32_t ranks = 0;
        return rows(1, std::uint32_t{0}, [&](auto position, auto layer) {
            ranks = m_record.zeroed(position, layer);
            return std::span<const std::uint32_t>(&ranks, 1);
        });
    }
    Result<void> logits() { return m_out.put(std::span<const float>(m_logits.values)); }
    Result<void> timings()
    {
        TimingOrder order(m_counts.tokens);
        for (const TimingEvent& event : m_run.timings)
            if (order.takes(event))
                if (auto done = m_out.put(std::span<const std::byte>(timingBytes(event))); !done)
                    return done;
        return {};
    }
    const SavedRun& m_run;
    const RunRecord& m_record;
    const RunCounts& m_counts;
    const HeldLogits& m_logits;
    Stream& m_out;
};

/// What is published now; the record may grow on.
RunCounts countsOf(const SavedRun& run)
{
    const RunRecord& record = *run.record;
    RunCounts counts;
    counts.routed = record.routed(); // first: never more than the tokens read after it
    counts.tokens = record.tokens();
    counts.promptTokens = record.promptTokens();
    counts.layers = record.shape().layers;
    counts.experts = record.shape().experts;
    counts.k = record.shape().k;
    TimingOrder order(counts.tokens);
    counts.timings = static_cast<std::uint32_t>(
        std::ranges::count_if(run.timings, [&](const TimingEvent& event) { return order.takes(event); }));
    return counts;
}

Error refused(const std::string& path, std::string why)
{
    return {Errc::OutOfRange, "save the run", path, {}, std::move(why)};
}

/// Places the sections one behind the other. Empty: too large.
std::optional<std::uint64_t> place(RunHeader& header)
{
    const auto bytes = runSectionBytes(header.counts);
    if (!bytes)
        return std::nullopt;
    std::uint64_t end = 0;
    for (std::size_t section = 0; section < RunSectionCount; ++section) {
        end = (end + runAlignment - 1) / runAlignment * runAlignment;
        header.sections[section] = {end, (*bytes)[section]};
        end += (*bytes)[section];
    }
    return end;
}

} // namespace

Result<void> writeRunFile(
    const SavedRun& run, const std::string& path, const RunFileProgress& progress, std::stop_token stop)
{
    if (!run.record || run.record->tokens() == 0)
        return refused(path, "it has no token yet");
    RunHeader header{run, countsOf(run), run.record->breakerEvents(), {}};
    RunCounts& counts = header.counts;
    if (counts.tokens > maxRunTokens || counts.layers > maxRunLayers || counts.experts > maxRunExperts
        || counts.k > counts.experts)
        return refused(path, "its record is larger than a file may hold");
    header.run.droppedTimings += run.timings.size() - counts.timings;
    const HeldLogits logits = copyLogits(*run.record, counts.routed);
    counts.logitsFrom = logits.from;
    const auto dataBytes = place(header);
    const std::string text = runHeaderText(header);
    if (!dataBytes || text.size() > maxRunHeaderBytes)
        return refused(path, "its prompt is longer than a file may hold");
    auto file = OutputDocument::create(path);
    if (!file)
        return file.error();
    Stream out(*file, runPreambleBytes + text.size() + *dataBytes + runChecksumBytes, progress, stop);
    Result<void> done = out.putValue(runMagic);
    if (done)
        done = out.putValue(std::uint64_t{text.size()});
    if (done)
        done = out.put(std::span<const char>(text));
    if (done)
        done = Sections(run, counts, logits, out).write();
    if (done)
        done = out.finish();
    if (done)
        done = file->publish();
    return done;
}

} // namespace colibri
