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
constexpr std::uint64_t releaseBytes = std::uint64_t{64} << 20; ///< of the file that are in memory at a time

template <class T>
T valueAt(std::span<const std::byte> bytes, std::uint64_t offset)
{
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

class Reader {
public:
    Reader(std::span<const std::byte> bytes, std::shared_ptr<const RecordFile> owner, const std::string& file,
        const RunFileProgress& progress, const std::stop_token& stop)
        : m_bytes(bytes)
        , m_owner(std::move(owner))
        , m_file(file)
        , m_progress(progress)
        , m_stop(stop)
    {
    }

    Result<SavedRun> read()
    {
        for (const auto step : {&Reader::readPreamble, &Reader::readHeader, &Reader::checkSize, &Reader::checkChecksum,
                 &Reader::makeRecord, &Reader::readTimings})
            if (auto done = (this->*step)(); !done)
                return done.error();
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
        return step(runChecksumBytes);
    }

    /// Expert ids are checked and taken over, so that no change of the file can make one of them a wild index; the
    /// numbers beside them stay where they are.
    Result<void> makeRecord()
    {
        const RunCounts& counts = m_header.counts;
        RunRecord::Stored stored;
        try {
            stored.tokens.resize(counts.tokens);
            stored.experts.resize(std::size_t{counts.tokens} * counts.layers * counts.k);
        } catch (const std::bad_alloc&) {
            return fail(Errc::OutOfMemory, 0, "there is no memory for its record");
        }
        std::memcpy(stored.tokens.data(), section(TokenSection).data(), section(TokenSection).size());
        if (auto done = takeExperts(stored.experts); !done)
            return done;
        stored.weights = valuesOf<float>(WeightSection);
        stored.margins = valuesOf<float>(MarginSection);
        const auto zeroed = anyZeroed();
        if (!zeroed)
            return zeroed.error();
        if (*zeroed)
            stored.zeroed = valuesOf<std::uint32_t>(ZeroedSection);
        stored.logits = valuesOf<float>(LogitSection);
        stored.promptTokens = counts.promptTokens;
        stored.routed = counts.routed;
        stored.breakerEvents = m_header.breakerEvents;
        stored.file = m_owner;
        const RunRecord::Shape shape{
            counts.tokens, counts.layers, counts.experts, counts.k, m_header.sections[LogitSection].size};
        m_header.run.record = std::make_shared<const RunRecord>(shape, std::move(stored));
        return {};
    }

    Result<void> takeExperts(std::span<std::uint16_t> experts)
    {
        constexpr std::size_t stepExperts = stepBytes / sizeof(std::uint16_t);
        const auto from = section(ExpertSection);
        for (std::size_t at = 0; at < experts.size(); at += stepExperts) {
            const auto part = experts.subspan(at, std::min(stepExperts, experts.size() - at));
            std::memcpy(part.data(), from.data() + at * sizeof(std::uint16_t), part.size_bytes());
            const auto wrong = std::ranges::find_if(part, [count = m_header.counts.experts](std::uint16_t expert) {
                return expert >= count && expert != noExpert;
            });
            if (wrong != part.end())
                return wrongExpert(at + static_cast<std::size_t>(wrong - part.begin()), *wrong);
            if (auto done = step(0); !done)
                return done;
        }
        return {};
    }

    /// Most runs have none: nobody needs to look for them then.
    Result<bool> anyZeroed()
    {
        constexpr std::size_t stepValues = stepBytes / sizeof(std::uint32_t);
        const auto values = valuesOf<std::uint32_t>(ZeroedSection);
        for (std::size_t at = 0; at < values.size(); at += stepValues) {
            const auto part = values.subspan(at, std::min(stepValues, values.size() - at));
            if (std::ranges::any_of(part, [](std::uint32_t ranks) { return ranks != 0; }))
                return true;
            if (auto done = step(0); !done)
                return done.error();
        }
        return false;
    }

    Error wrongExpert(std::size_t at, std::uint16_t expert) const
    {
        const RunCounts& counts = m_header.counts;
        const std::size_t row = at / counts.k;
        return fail(Errc::Malformed, offsetOf(ExpertSection) + at * sizeof(std::uint16_t),
            "the expert of position " + std::to_string(row / counts.layers) + ", layer "
                + std::to_string(row % counts.layers) + ", rank " + std::to_string(at % counts.k) + " is "
                + std::to_string(expert) + ", there are " + std::to_string(counts.experts));
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

    /// Hashing the bytes is the work, and what progress counts.
    Result<void> step(std::uint64_t bytes)
    {
        if (m_stop.stop_requested())
            return fail(Errc::Cancelled, 0, "stopped");
        m_done += bytes;
        m_unreleased += stepBytes;
        if (m_unreleased >= releaseBytes && m_owner) {
            m_owner->release();
            m_unreleased = 0;
        }
        if (m_progress)
            m_progress(m_done, m_bytes.size());
        return {};
    }
    std::uint64_t offsetOf(RunSection which) const { return m_dataBegin + m_header.sections[which].offset; }
    std::span<const std::byte> section(RunSection which) const
    {
        return m_bytes.subspan(offsetOf(which), m_header.sections[which].size);
    }

    template <class T>
    std::span<const T> valuesOf(RunSection which) const
    {
        const auto bytes = section(which);
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    std::span<const std::byte> m_bytes;
    std::shared_ptr<const RecordFile> m_owner;
    const std::string& m_file;
    const RunFileProgress& m_progress;
    const std::stop_token& m_stop;
    std::uint64_t m_headerBytes = 0;
    std::uint64_t m_dataBegin = 0;
    std::uint64_t m_done = 0;
    std::uint64_t m_unreleased = 0; ///< bytes looked at since pages were released
    RunHeader m_header;
};

/// Keeps the file of a record mapped.
class MappedRecord : public RecordFile {
public:
    explicit MappedRecord(std::shared_ptr<const MappedFile> file)
        : m_file(std::move(file))
    {
    }
    bool lost() const override { return m_file->lost(); }
    void release() const override { m_file->release(); }

private:
    std::shared_ptr<const MappedFile> m_file;
};

} // namespace

Result<SavedRun> parseRunFile(std::span<const std::byte> bytes, const std::string& file,
    const RunFileProgress& progress, const std::stop_token& stop)
{
    return Reader(bytes, nullptr, file, progress, stop).read();
}

Result<SavedRun> readRunFile(const std::string& path, const RunFileProgress& progress, const std::stop_token& stop)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const auto owner = std::make_shared<const MappedRecord>(*file);
    auto run = Reader((*file)->bytes(), owner, path, progress, stop).read();
    if (owner->lost())
        return Error{Errc::Lost, "read a saved run", path, {}, "the file shrank or its disk failed"};
    owner->release();
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
