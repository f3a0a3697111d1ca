// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_writer.h"

#include "format/colibri_layout.h"
#include "format/config_file.h"
#include "format/export_config.h"
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

std::optional<std::uint64_t> plannedFileBytes(std::uint64_t begin, const std::vector<PlannedTensor>& tensors)
{
    std::optional<std::uint64_t> end = begin;
    for (const PlannedTensor& tensor : tensors) {
        const auto size = tensorBytes(tensor.dtype, tensor.from.shape);
        const auto start = end ? checkedRoundUp(*end, tensorAlignment) : std::nullopt;
        end = start && size ? checkedAdd(*start, *size) : std::nullopt;
    }
    return end;
}

class Writer {
public:
    Writer(const WriteRequest& request, const ProgressFn& progress, std::stop_token stop, OutputFolder folder)
        : m_request(request)
        , m_source(*request.source)
        , m_progress(progress)
        , m_stop(std::move(stop))
        , m_folder(std::move(folder))
    {
    }

    Result<WriteReport> write()
    {
        for (const auto step :
            {&Writer::writeDense, &Writer::writeExperts, &Writer::writeTable, &Writer::writeRouterLogits,
                &Writer::writeTokenizer, &Writer::checkSource, &Writer::writeConfig, &Writer::readBack})
            if (auto done = (this->*step)(); !done)
                return causeOf(std::move(done.error()));
        if (m_stop.stop_requested())
            return Error{Errc::Cancelled, "write the export", m_request.out, {}, "stopped"};
        if (auto done = m_folder.publish(); !done)
            return done.error();
        m_report.tensors = static_cast<std::uint32_t>(m_written.size());
        return m_report;
    }

private:
    /// A source that shrank is the cause of whatever failed after it.
    Error causeOf(Error error)
    {
        auto intact = error.code == Errc::Cancelled ? Result<void>{} : checkSource();
        return intact ? error : intact.error();
    }

    /// Appends to a file and counts. `hashes` take the bytes first: the fault guard helps where this process reads a
    /// mapping that has shrunk, not where the system call does.
    Result<void> append(OutputFile& file, std::span<const std::byte> bytes, std::initializer_list<Hash*> hashes)
    {
        for (Hash* const hash : hashes)
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

    /// Writes tensors one after the other, each at a multiple of 64; `end` is the size of the file so far.
    Result<void> writeTensors(OutputFile& file, const std::string& fileName, const std::vector<PlannedTensor>& tensors,
        std::uint64_t end, Hash& payload)
    {
        constexpr std::array<std::byte, tensorAlignment> zeros{};
        for (const PlannedTensor& planned : tensors) {
            if (auto done = verifyChecksum(m_source, planned.from, m_stop); !done)
                return done;
            const std::uint64_t start = (end + tensorAlignment - 1) / tensorAlignment * tensorAlignment;
            if (auto done = append(file, std::span(zeros).first(start - end), {&payload}); !done)
                return done;
            end = start;
            Hash hash;
            const ByteSink sink = [&](std::span<const std::byte> bytes) {
                end += bytes.size();
                return append(file, bytes, {&payload, &hash});
            };
            if (auto done = convertTensor(planned.from, bytesOf(planned.from), planned.dtype, sink, m_stop); !done)
                return inSource(std::move(done.error()), planned.from);
            m_written.push_back({{planned.name, 0, start, end - start, planned.dtype, Layout::RowMajor,
                                     planned.from.shape, hash.value()},
                fileName});
        }
        return {};
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
        Hash payload;
        if (auto done = writeTensors(*file, std::string(denseFileName), m_request.dense, 0, payload); !done)
            return done;
        return file->finish();
    }

    Result<void> writeExperts()
    {
        if (m_request.experts.empty())
            return {};
        if (auto done = m_folder.makeFolder(expertsFolderName); !done)
            return done;
        for (const PlannedExpert& expert : m_request.experts)
            if (auto done = writeExpert(expert); !done)
                return done;
        return {};
    }

    Result<void> writeExpert(const PlannedExpert& expert)
    {
        const std::string name = expertFileName({expert.layer, expert.expert});
        auto file = OutputFile::create(joinPath(m_folder.path(), name));
        if (!file)
            return file.error();
        expert_blob_t header = {};
        std::ranges::copy(expertMagic, header.magic);
        header.version = colibriVersion;
        header.dtype = dtypeCode(expert.tensors.front().dtype);
        header.layer = static_cast<std::uint16_t>(expert.layer);
        header.expert = static_cast<std::uint16_t>(expert.expert);
        header.header_size = sizeof header;
        header.tensor_count = static_cast<std::uint32_t>(expert.tensors.size());
        const auto headerBytes = std::as_bytes(std::span(&header, 1));
        if (auto done = append(*file, headerBytes, {}); !done)
            return done;

        Hash payload;
        if (auto done = writeTensors(*file, name, expert.tensors, sizeof header, payload); !done)
            return done;
        header.payload_size = m_written.back().info.offset + m_written.back().info.size - sizeof header;
        header.payload_xxh64 = payload.value();
        if (auto done = file->writeAt(0, headerBytes); !done)
            return done;
        ++m_report.experts;
        return file->finish();
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
        return file->finish();
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
        return file->finish();
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
        return file->finish();
    }

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
    const ModelSource& m_source;
    const ProgressFn& m_progress;
    std::stop_token m_stop;
    OutputFolder m_folder;
    std::vector<WrittenTensor> m_written;
    WriteReport m_report;
};

Error badRequest(const WriteRequest& request, std::string why)
{
    return {Errc::OutOfRange, "write the export", request.out, {}, std::move(why)};
}

} // namespace

Result<std::uint64_t> plannedBytes(const WriteRequest& request)
{
    std::optional<std::uint64_t> sum = plannedFileBytes(0, request.dense);
    const auto add = [&](std::optional<std::uint64_t> bytes) {
        sum = sum && bytes ? checkedAdd(*sum, *bytes) : std::nullopt;
    };
    for (const PlannedExpert& expert : request.experts)
        add(plannedFileBytes(sizeof(expert_blob_t), expert.tensors));
    if (!request.table && request.source->table)
        add(tableBytes(*request.source->table));
    if (request.table)
        add(plannedTableBytes(*request.table));
    if (const auto sizes = logitSizes(request))
        add(routerLogitBytes(sizes->layers, sizes->rows, sizes->experts));
    add(request.tokenizerText.size());
    if (!request.source->tokenizerFile.empty()) {
        const auto tokenizer = MappedFile::open(request.source->tokenizerFile);
        if (!tokenizer)
            return tokenizer.error();
        add((*tokenizer)->bytes().size());
    }
    return sum ? Result<std::uint64_t>(*sum) : badRequest(request, "has more bytes than 64 bits can count");
}

Result<WriteReport> writeColibriExport(const WriteRequest& request, const ProgressFn& progress, std::stop_token stop)
{
    for (const PlannedExpert& expert : request.experts)
        if (expert.layer >= maxLayers || expert.expert >= maxExperts || expert.tensors.empty())
            return badRequest(request,
                "layer " + std::to_string(expert.layer) + ", expert " + std::to_string(expert.expert)
                    + " has no tensor or is beyond " + std::to_string(maxLayers) + " layers of "
                    + std::to_string(maxExperts) + " experts");
    auto folder = OutputFolder::create(request.out);
    if (!folder)
        return folder.error();
    return Writer(request, progress, std::move(stop), std::move(*folder)).write();
}

} // namespace colibri
