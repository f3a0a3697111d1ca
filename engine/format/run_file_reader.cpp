// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_layout.h"
#include "format/run_file.h"
#include "format/run_header.h"
#include "format/run_timings.h"
#include "memory/mapped_file.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace colibri {
namespace {

constexpr std::size_t stepBytes = std::size_t{1} << 20; ///< between two looks at the stop token

template <class T>
T valueAt(std::span<const std::byte> bytes, std::uint64_t offset)
{
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

class Reader {
public:
    Reader(std::span<const std::byte> bytes, const std::string& file, const RunFileProgress& progress,
        const std::stop_token& stop)
        : m_bytes(bytes)
        , m_file(file)
        , m_progress(progress)
        , m_stop(stop)
    {
    }

    Result<SavedRun> read()
    {
        for (const auto step : {&Reader::readPreamble, &Reader::readHeader, &Reader::checkSize, &Reader::checkChecksum,
                 &Reader::makeRecord, &Reader::fillRecord, &Reader::readTimings})
            if (auto done = (this->*step)(); !done)
                return done.error();
        m_header.run.record = std::move(m_record);
        return std::move(m_header.run);
    }

private:
    Error fail(Errc code, std::uint64_t offset, std::string why) const
    {
        return {code, "read a saved run", m_file, offset, std::move(why)};
    }
    Error cut(const std::string& what, std::uint64_t needed) const
    {
        return fail(Errc::Truncated, m_bytes.size(),
            "the file has " + std::to_string(m_bytes.size()) + " bytes, " + what + " needs " + std::to_string(needed));
    }

    Result<void> readPreamble()
    {
        const std::size_t there = std::min(m_bytes.size(), runMagic.size());
        if (std::memcmp(m_bytes.data(), runMagic.data(), there) != 0)
            return fail(Errc::Malformed, 0, "does not begin as a saved run does");
        if (m_bytes.size() < runPreambleBytes)
            return cut("its beginning", runPreambleBytes);
        m_headerBytes = valueAt<std::uint64_t>(m_bytes, runMagic.size());
        if (m_headerBytes > maxRunHeaderBytes || (runPreambleBytes + m_headerBytes) % runAlignment != 0)
            return fail(Errc::Malformed, runMagic.size(),
                "the length of the header is " + std::to_string(m_headerBytes) + ", it has to be at most "
                    + std::to_string(maxRunHeaderBytes) + " and to end at a multiple of "
                    + std::to_string(runAlignment));
        m_dataBegin = runPreambleBytes + m_headerBytes;
        if (m_bytes.size() < m_dataBegin + runChecksumBytes)
            return cut("its header", m_dataBegin + runChecksumBytes);
        return {};
    }

    Result<void> readHeader()
    {
        auto header = parseRunHeader({reinterpret_cast<const char*>(m_bytes.data()) + runPreambleBytes, m_headerBytes},
            m_file, runPreambleBytes);
        if (!header)
            return header.error();
        m_header = std::move(*header);
        return {};
    }

    /// The header has ordered sections and found no sum beyond 64 bits; here they end inside of the file.
    Result<void> checkSize()
    {
        const std::uint64_t data = m_bytes.size() - m_dataBegin - runChecksumBytes;
        std::uint64_t end = 0;
        for (std::size_t section = 0; section < RunSectionCount; ++section) {
            const RunSectionPlace& place = m_header.sections[section];
            if (place.offset > data || place.size > data - place.offset)
                return fail(Errc::Truncated, m_bytes.size(),
                    "section " + std::string(runSectionKinds[section].name) + " has " + std::to_string(place.size)
                        + " bytes from " + std::to_string(place.offset) + " on behind the header, the file holds "
                        + std::to_string(data) + " there");
            end = std::max(end, place.offset + place.size);
        }
        if (data != end)
            return fail(Errc::Malformed, m_dataBegin + end + runChecksumBytes,
                std::to_string(data - end) + " bytes stand behind the sections");
        return {};
    }

    Result<void> checkChecksum()
    {
        const auto hashed = m_bytes.first(m_bytes.size() - runChecksumBytes);
        const auto free = [](XXH64_state_t* state) { XXH64_freeState(state); };
        const std::unique_ptr<XXH64_state_t, decltype(free)> hash(XXH64_createState(), free);
        XXH64_reset(hash.get(), 0);
        for (std::size_t at = 0; at < hashed.size(); at += stepBytes) {
            const auto part = hashed.subspan(at, std::min(stepBytes, hashed.size() - at));
            XXH64_update(hash.get(), part.data(), part.size());
            if (auto done = step(part.size()); !done)
                return done;
        }
        const auto stated = valueAt<std::uint64_t>(m_bytes, hashed.size());
        if (const std::uint64_t found = XXH64_digest(hash.get()); found != stated)
            return fail(Errc::Mismatch, hashed.size(),
                "the bytes have XXH64 " + checksumText(found) + ", the file says " + checksumText(stated));
        return {};
    }

    Result<void> makeRecord()
    {
        const RunCounts& counts = m_header.counts;
        const std::size_t logitBytes = m_header.sections[LogitSection].size;
        try {
            m_record = std::make_shared<RunRecord>(
                RunRecord::Shape{counts.tokens, counts.layers, counts.experts, counts.k, logitBytes});
        } catch (const std::bad_alloc&) {
            return fail(Errc::OutOfMemory, 0, "there is no memory for its record");
        }
        const auto ids = section(TokenSection);
        std::vector<TokenId> prompt(counts.promptTokens);
        std::memcpy(prompt.data(), ids.data(), prompt.size() * sizeof(TokenId));
        m_record->setPrompt(prompt);
        for (std::uint32_t position = counts.promptTokens; position < counts.tokens; ++position)
            m_record->appendToken(valueAt<TokenId>(ids, std::uint64_t{position} * sizeof(TokenId)));
        m_record->countBreakerEvent(m_header.breakerEvents);
        return {};
    }

    Result<void> fillRecord()
    {
        const RunCounts& counts = m_header.counts;
        const std::uint64_t rowBytes = counts.layers * (counts.k * 6ull + 8);
        std::uint64_t pending = 0;
        for (std::uint32_t position = 0; position < counts.tokens; ++position) {
            for (std::uint32_t layer = 0; layer < counts.layers; ++layer)
                if (auto done = readRow(position, layer); !done)
                    return done;
            pending += rowBytes;
            if (pending < stepBytes && position + 1 < counts.tokens)
                continue;
            if (auto done = step(std::exchange(pending, 0)); !done)
                return done;
        }
        fillLogits();
        m_record->publishRouted(counts.routed);
        return {};
    }

    Result<void> readRow(std::uint32_t position, std::uint32_t layer)
    {
        const RunCounts& counts = m_header.counts;
        const std::uint64_t row = std::uint64_t{position} * counts.layers + layer;
        const auto experts = section(ExpertSection).subspan(row * counts.k * sizeof(std::uint16_t));
        for (std::uint32_t rank = 0; rank < counts.k; ++rank) {
            const auto expert = valueAt<std::uint16_t>(experts, rank * sizeof(std::uint16_t));
            if (expert >= counts.experts && expert != noExpert)
                return fail(Errc::Malformed, offsetOf(ExpertSection) + (row * counts.k + rank) * sizeof(std::uint16_t),
                    "the expert of position " + std::to_string(position) + ", layer " + std::to_string(layer)
                        + ", rank " + std::to_string(rank) + " is " + std::to_string(expert) + ", there are "
                        + std::to_string(counts.experts));
        }
        if (position >= counts.routed)
            return {};
        const std::span<std::uint16_t> toExperts = m_record->writeExperts(position, layer);
        const std::span<float> toWeights = m_record->writeWeights(position, layer);
        if (counts.k > 0) {
            std::memcpy(toExperts.data(), experts.data(), toExperts.size_bytes());
            std::memcpy(
                toWeights.data(), section(WeightSection).data() + row * toWeights.size_bytes(), toWeights.size_bytes());
        }
        m_record->writeMargin(position, layer, valueAt<float>(section(MarginSection), row * sizeof(float)));
        m_record->writeZeroed(
            position, layer, valueAt<std::uint32_t>(section(ZeroedSection), row * sizeof(std::uint32_t)));
        return {};
    }

    void fillLogits()
    {
        const RunCounts& counts = m_header.counts;
        std::vector<float> logits(counts.logitsFrom < counts.routed ? counts.experts : 0);
        auto from = section(LogitSection);
        for (std::uint32_t position = counts.logitsFrom; position < counts.routed; ++position)
            for (std::uint32_t layer = 0; layer < counts.layers; ++layer) {
                std::memcpy(logits.data(), from.data(), logits.size() * sizeof(float));
                from = from.subspan(logits.size() * sizeof(float));
                m_record->writeRouterLogits(position, layer, logits);
            }
    }

    Result<void> readTimings()
    {
        const auto bytes = section(TimingSection);
        TimingOrder order(m_header.counts.tokens);
        m_header.run.timings.reserve(m_header.counts.timings);
        for (std::uint64_t at = 0; at < bytes.size(); at += runTimingBytes) {
            const TimingEvent event = timingFrom(bytes.subspan(at));
            const std::uint32_t next = order.nextPosition();
            if (!order.takes(event))
                return fail(Errc::Malformed, offsetOf(TimingSection) + at,
                    "timing " + std::to_string(at / runTimingBytes) + " is of " + std::to_string(event.tokens)
                        + " positions from " + std::to_string(event.position) + " on, begins at "
                        + std::to_string(event.startNs) + " ns, prefill " + std::to_string(event.prefill)
                        + ": timings are in the order of time and of positions, from " + std::to_string(next)
                        + " on here, and end with the tokens; prefill is 0 or 1, durations are finite and not "
                          "negative");
            m_header.run.timings.push_back(event);
        }
        return {};
    }

    /// Checking and taking over are half of the work each.
    Result<void> step(std::uint64_t bytes)
    {
        if (m_stop.stop_requested())
            return fail(Errc::Cancelled, 0, "stopped");
        m_done = std::min<std::uint64_t>(m_done + bytes, 2 * m_bytes.size());
        if (m_progress)
            m_progress(m_done / 2, m_bytes.size());
        return {};
    }

    std::uint64_t offsetOf(RunSection which) const { return m_dataBegin + m_header.sections[which].offset; }
    std::span<const std::byte> section(RunSection which) const
    {
        return m_bytes.subspan(offsetOf(which), m_header.sections[which].size);
    }

    std::span<const std::byte> m_bytes;
    const std::string& m_file;
    const RunFileProgress& m_progress;
    const std::stop_token& m_stop;
    std::uint64_t m_headerBytes = 0;
    std::uint64_t m_dataBegin = 0;
    std::uint64_t m_done = 0;
    RunHeader m_header;
    std::shared_ptr<RunRecord> m_record;
};

} // namespace

Result<SavedRun> parseRunFile(std::span<const std::byte> bytes, const std::string& file,
    const RunFileProgress& progress, const std::stop_token& stop)
{
    return Reader(bytes, file, progress, stop).read();
}

Result<SavedRun> readRunFile(const std::string& path, const RunFileProgress& progress, const std::stop_token& stop)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    auto run = parseRunFile((*file)->bytes(), path, progress, stop);
    if ((*file)->lost())
        return Error{Errc::Lost, "read a saved run", path, {}, "the file shrank or its disk failed"};
    return run;
}

bool hasRunMagic(const std::string& path)
{
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    const int handle = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle < 0)
        return false;
    std::array<unsigned char, runMagic.size()> begin{};
    const ssize_t count = read(handle, begin.data(), begin.size());
    close(handle);
    return count == ssize_t(begin.size()) && begin == runMagic;
}

} // namespace colibri
