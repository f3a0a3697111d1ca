// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_writer.h"

#include "format/colibri_layout.h"
#include "format/config_file.h"
#include "format/export_config.h"
#include "format/export_layout.h"
#include "format/output_folder.h"
#include "format/readers.h"
#include "format/tensor_convert.h"
#include "format/verify_checksum.h"
#include "types/checked.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace colibri {
namespace {

std::uint64_t tableBytes(const RouterTable& table)
{
    return std::uint64_t{table.layers} * table.rows * table.k * sizeof(std::uint16_t);
}

class Writer {
public:
    Writer(const WriteRequest& request, std::vector<PlannedFile> layout, const ProgressFn& progress,
        std::stop_token stop, OutputFolder folder)
        : m_request(request)
        , m_layout(std::move(layout))
        , m_source(*request.source)
        , m_progress(progress)
        , m_stop(std::move(stop))
        , m_folder(std::move(folder))
    {
    }

    Result<WriteReport> write()
    {
        for (const auto step : {&Writer::writeDense, &Writer::writeExperts, &Writer::writeTable,
                 &Writer::writeRouterLogits, &Writer::writeTokenizer, &Writer::checkSource, &Writer::writeConfig,
                 &Writer::finishFiles, &Writer::readBack})
            if (auto done = (this->*step)(); !done)
                return causeOf(done.error());
        if (m_stop.stop_requested())
            return Error{Errc::Cancelled, "write the export", m_request.out, {}, "stopped"};
        if (auto done = m_folder.publish(); !done)
            return done.error();
        m_report.tensors = static_cast<std::uint32_t>(m_written.size());
        return m_report;
    }

private:
    /// A source that shrank is the cause of whatever failed after it.
    Error causeOf(const Error& error)
    {
        auto intact = error.code == Errc::Cancelled ? Result<void>{} : checkSource();
        if (!intact)
            return intact.error();
        return error;
    }

    /// Appends to a file and counts. `hashes` take the bytes first: the fault guard helps where this process reads a
    /// mapping that has shrunk, not where the system call does.
    Result<void> append(OutputFile& file, std::span<const std::byte> bytes, std::initializer_list<Hash*> hashes)
    {
        for (Hash* const hash : hashes)
            if (hash)
                hash->add(bytes);
        if (auto done = file.write(bytes); !done)
            return done;
        count(bytes.size());
        return {};
    }

    void count(std::uint64_t bytes)
    {
        m_report.bytesWritten += bytes;
        if (m_progress)
            m_progress(bytes);
    }

    std::span<const std::byte> bytesOf(const TensorInfo& tensor) const
    {
        return m_source.files[tensor.file]->bytes().subspan(tensor.offset, tensor.size);
    }

    Result<void> compareSource(const TensorInfo& tensor, std::uint64_t checksum) const
    {
        if (!tensor.xxh64 || checksum == *tensor.xxh64)
            return {};
        return Error{Errc::Mismatch, "verify a checksum", m_source.files[tensor.file]->path(), tensor.offset,
            "the bytes of " + tensor.name + " have XXH64 " + checksumText(checksum) + ", the model says "
                + checksumText(*tensor.xxh64)};
    }

    /// Before a tensor is written as something else.
    Result<void> verifySource(const TensorInfo& tensor)
    {
        if (!tensor.xxh64)
            return {};
        Hash hash;
        const ByteSink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
            hash.add(bytes);
            return {};
        };
        if (auto done = passBytes(bytesOf(tensor), sink, m_stop); !done)
            return done;
        return compareSource(tensor, hash.value());
    }

    /// Writes tensors to the places that `layout` has for them. `payload` takes what stands behind a header of
    /// `header` bytes; null: nobody asks for it.
    Result<void> writeTensors(OutputFile& file, const PlannedFile& layout, std::uint64_t header,
        const std::vector<PlannedTensor>& tensors, Hash* payload)
    {
        constexpr std::array<std::byte, tensorAlignment> zeros{};
        std::uint64_t end = header;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const PlannedTensor& planned = tensors[i];
            TensorInfo placed = layout.tensors[i];
            if (auto done = append(file, std::span(zeros).first(placed.offset - end), {payload}); !done)
                return done;
            end = placed.offset + placed.size;
            auto hash = writeTensor(file, planned, payload);
            if (!hash)
                return inSource(std::move(hash.error()), planned.from);
            placed.xxh64 = *hash;
            m_written.push_back({std::move(placed), layout.name});
        }
        return {};
    }

    /// Gives the checksum of what was written.
    Result<std::uint64_t> writeTensor(OutputFile& file, const PlannedTensor& planned, Hash* payload)
    {
        const TensorInfo& from = planned.from;
        const bool copied = planned.dtype == from.dtype && from.layout == Layout::RowMajor && !planned.gather;
        if (auto done = copied ? Result<void>{} : verifySource(from); !done)
            return done.error();
        Hash hash;
        const ByteSink sink = [&](std::span<const std::byte> bytes) { return append(file, bytes, {payload, &hash}); };
        const auto bytes = planned.gather ? std::span<const std::byte>() : bytesOf(from);
        if (auto done = convertTensor({from, bytes, planned.gather, m_request.decode}, planned.dtype, sink, m_stop);
            !done)
            return done.error();
        const std::uint64_t checksum = hash.value();
        if (auto done = copied ? compareSource(from, checksum) : Result<void>{}; !done)
            return done.error();
        return checksum;
    }

    /// Adds where the tensor lies to an error of the conversion, which knows no file.
    Error inSource(Error error, const TensorInfo& tensor) const
    {
        if (error.code == Errc::OutOfRange) {
            error.file = m_source.files[tensor.file]->path();
            error.offset = tensor.offset;
        }
        return error;
    }

    Result<void> writeDense()
    {
        if (m_request.dense.empty())
            return {};
        auto file = OutputFile::create(joinPath(m_folder.path(), denseFileName));
        if (!file)
            return file.error();
        if (auto done = writeTensors(*file, m_layout.front(), 0, m_request.dense, nullptr); !done)
            return done;
        return m_finishing.add(std::move(*file));
    }

    Result<void> writeExperts()
    {
        if (m_request.experts.empty())
            return {};
        if (auto done = m_folder.makeFolder(expertsFolderName); !done)
            return done;
        const std::size_t first = m_request.dense.empty() ? 0 : 1;
        for (std::size_t i = 0; i < m_request.experts.size(); ++i)
            if (auto done = writeExpert(m_request.experts[i], m_layout[first + i]); !done)
                return done;
        return {};
    }

    Result<void> writeExpert(const PlannedExpert& expert, const PlannedFile& layout)
    {
        auto file = OutputFile::create(joinPath(m_folder.path(), layout.name));
        if (!file)
            return file.error();
        expert_blob_t header = {};
        std::ranges::copy(expertMagic, header.magic);
        header.version = colibriVersion;
        header.dtype = *dtypeCode(expert.tensors.front().dtype); // checkRequest() saw it
        header.layer = static_cast<std::uint16_t>(expert.layer);
        header.expert = static_cast<std::uint16_t>(expert.expert);
        header.header_size = sizeof header;
        header.tensor_count = static_cast<std::uint32_t>(expert.tensors.size());
        const auto headerBytes = std::as_bytes(std::span(&header, 1));
        if (auto done = append(*file, headerBytes, {}); !done)
            return done;

        Hash payload;
        if (auto done = writeTensors(*file, layout, sizeof header, expert.tensors, &payload); !done)
            return done;
        header.payload_size = layout.size - sizeof header;
        header.payload_xxh64 = payload.value();
        if (auto done = file->writeAt(0, headerBytes); !done)
            return done;
        ++m_report.experts;
        return m_finishing.add(std::move(*file));
    }

    Result<void> writeBytes(std::string_view name, std::span<const std::byte> bytes)
    {
        auto file = OutputFile::create(joinPath(m_folder.path(), name));
        if (!file)
            return file.error();
        Hash hash;
        const ByteSink sink = [&](std::span<const std::byte> block) { return append(*file, block, {&hash}); };
        if (auto done = passBytes(bytes, sink, m_stop); !done)
            return done;
        return m_finishing.add(std::move(*file));
    }

    /// A new file with what `pass` hands to its sink.
    template <class Pass>
    Result<void> writePassed(std::string_view name, const Pass& pass)
    {
        auto file = OutputFile::create(joinPath(m_folder.path(), name));
        if (!file)
            return file.error();
        if (auto done = pass([&](std::span<const std::byte> block) { return append(*file, block, {}); }); !done)
            return done;
        return m_finishing.add(std::move(*file));
    }

    Result<void> writeTable()
    {
        if (m_request.table)
            return writePassed(
                routerTableFileName, [&](const ByteSink& sink) { return passTable(*m_request.table, sink, m_stop); });
        if (!m_source.table)
            return {};
        const RouterTable& table = *m_source.table;
        return writeBytes(
            routerTableFileName, m_source.files[table.file]->bytes().subspan(table.offset, tableBytes(table)));
    }

    Result<void> writeRouterLogits()
    {
        if (m_request.table)
            return writePassed(routerLogitsFileName,
                [&](const ByteSink& sink) { return passRouterLogits(*m_request.table, sink, m_stop); });
        if (!m_source.routerLogits)
            return {};
        return writeBytes(routerLogitsFileName, m_source.files[m_source.routerLogits->file]->bytes());
    }

    Result<void> writeTokenizer()
    {
        if (!m_request.tokenizerText.empty())
            return writeBytes(tokenizerFileName, std::as_bytes(std::span(m_request.tokenizerText)));
        if (m_source.tokenizerFile.empty())
            return {};
        const auto file = MappedFile::open(m_source.tokenizerFile);
        return file ? writeBytes(tokenizerFileName, (*file)->bytes()) : file.error();
    }

    Result<void> checkSource()
    {
        for (const auto& file : m_source.files)
            if (file->lost())
                return Error{Errc::Lost, "read the model", file->path(), {}, "the file shrank or its disk failed"};
        return {};
    }

    Result<void> writeConfig()
    {
        const std::string text = exportConfigText(m_request, m_written);
        auto file = OutputFile::create(joinPath(m_folder.path(), configFileName));
        if (!file)
            return file.error();
        if (auto done = file->write(std::as_bytes(std::span(text))); !done)
            return done;
        m_report.bytesWritten += text.size();
        return m_finishing.add(std::move(*file));
    }

    Result<void> finishFiles() { return m_finishing.finish(); }

    /// The reader has the last word on what is an export.
    Result<void> readBack()
    {
        const auto source = readColibriExport(m_folder.path(), m_stop);
        if (!source)
            return source.error();
        for (const TensorInfo& tensor : source->tensors)
            if (auto done = verifyChecksum(*source, tensor, m_stop); !done)
                return done;
        return {};
    }

    const WriteRequest& m_request;
    const std::vector<PlannedFile> m_layout;
    const ModelSource& m_source;
    const ProgressFn& m_progress;
    std::stop_token m_stop;
    OutputFolder m_folder;
    FinishingFiles m_finishing;
    std::vector<WrittenTensor> m_written;
    WriteReport m_report;
};

Error badRequest(const WriteRequest& request, std::string why)
{
    return {Errc::OutOfRange, "write the export", request.out, {}, std::move(why)};
}

/// What no export of version 1 can be.
Result<void> checkRequest(const WriteRequest& request)
{
    const auto held = [&](const std::vector<PlannedTensor>& tensors) -> Result<void> {
        for (const PlannedTensor& tensor : tensors)
            if (!dtypeCode(tensor.dtype))
                return badRequest(request,
                    tensor.name + " is to be " + std::string(name(tensor.dtype)) + ", version 1 holds " + heldDTypes());
        return {};
    };
    for (const PlannedExpert& expert : request.experts) {
        if (expert.layer >= maxLayers || expert.expert >= maxExperts || expert.tensors.empty())
            return badRequest(request,
                "layer " + std::to_string(expert.layer) + ", expert " + std::to_string(expert.expert)
                    + " has no tensor or is beyond " + std::to_string(maxLayers) + " layers of "
                    + std::to_string(maxExperts) + " experts");
        if (auto done = held(expert.tensors); !done)
            return done;
    }
    return held(request.dense);
}

Result<PlannedBytes> plannedBytes(const WriteRequest& request, const std::vector<PlannedFile>& layout)
{
    std::optional<std::uint64_t> sum = 0;
    const auto add = [&](std::uint64_t bytes) { sum = sum ? checkedAdd(*sum, bytes) : std::nullopt; };
    std::vector<WrittenTensor> tensors;
    for (const PlannedFile& file : layout) {
        add(file.size);
        for (const TensorInfo& tensor : file.tensors)
            tensors.push_back({tensor, file.name});
    }
    const auto others = otherFilesOf(request);
    if (!others)
        return others.error();
    for (const auto& [name, bytes] : *others)
        add(bytes);
    if (!sum)
        return badRequest(request, "has more bytes than 64 bits can count");
    return PlannedBytes{*sum, exportConfigText(request, tensors).size()}; // checksums are as long as those to come
}

} // namespace

Result<PlannedBytes> plannedBytes(const WriteRequest& request)
{
    const auto layout = layoutOf(request);
    return layout ? plannedBytes(request, *layout) : layout.error();
}

Result<WriteReport> writeColibriExport(const WriteRequest& request, const ProgressFn& progress, std::stop_token stop)
{
    if (auto done = checkRequest(request); !done)
        return done.error();
    auto layout = layoutOf(request);
    if (!layout)
        return layout.error();
    const auto bytes = plannedBytes(request, *layout);
    if (!bytes)
        return bytes.error();
    auto folder = OutputFolder::create(request.out);
    if (!folder)
        return folder.error();
    if (auto done = folder->checkRoom(bytes->written + bytes->config); !done)
        return done.error();
    return Writer(request, std::move(*layout), progress, std::move(stop), std::move(*folder)).write();
}

} // namespace colibri
