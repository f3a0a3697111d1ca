// SPDX-License-Identifier: Apache-2.0
#include "format/export_layout.h"

#include "format/colibri_layout.h"
#include "format/export_config.h"
#include "types/checked.h"

#include <limits>

namespace colibri {
namespace {

/// Lays the tensors one after the other, each at a multiple of 64, behind `header` bytes.
Result<PlannedFile> laidOut(std::string name, std::uint64_t header, std::uint32_t index,
    const std::vector<PlannedTensor>& tensors, const std::string& out)
{
    PlannedFile file{std::move(name), header, {}};
    file.tensors.reserve(tensors.size());
    for (const PlannedTensor& planned : tensors) {
        const auto size = tensorBytes(planned.dtype, planned.from.shape);
        const auto start = checkedRoundUp(file.size, tensorAlignment);
        const auto end = start && size ? checkedAdd(*start, *size) : std::nullopt;
        if (!end)
            return Error{Errc::OutOfRange, "write the export", out, {},
                planned.name + " as " + std::string(colibri::name(planned.dtype))
                    + " has rows that are not whole blocks, or more bytes than 64 bits can count"};
        file.tensors.push_back(
            {planned.name, index, *start, *size, planned.dtype, Layout::RowMajor, planned.from.shape, {}});
        file.size = *end;
    }
    return file;
}

} // namespace

Result<std::vector<PlannedFile>> layoutOf(const WriteRequest& request)
{
    std::vector<PlannedFile> files;
    files.reserve(request.experts.size() + 1);
    const auto add = [&](std::string name, std::uint64_t header, const std::vector<PlannedTensor>& tensors) {
        auto file = laidOut(std::move(name), header, static_cast<std::uint32_t>(files.size()), tensors, request.out);
        if (file)
            files.push_back(std::move(*file));
        return file ? Result<void>{} : file.error();
    };
    if (!request.dense.empty())
        if (auto done = add(std::string(denseFileName), 0, request.dense); !done)
            return done.error();
    for (const PlannedExpert& expert : request.experts)
        if (auto done = add(expertFileName({expert.layer, expert.expert}), sizeof(expert_blob_t), expert.tensors);
            !done)
            return done.error();
    return files;
}

Result<std::vector<std::pair<std::string, std::uint64_t>>> otherFilesOf(const WriteRequest& request)
{
    std::vector<std::pair<std::string, std::uint64_t>> files;
    const auto add = [&](std::string_view name, std::optional<std::uint64_t> bytes) {
        files.emplace_back(name, bytes.value_or(std::numeric_limits<std::uint64_t>::max())); // no disk has that room
    };
    if (request.table)
        add(routerTableFileName, plannedTableBytes(*request.table));
    else if (const auto& table = request.source->table)
        add(routerTableFileName, std::uint64_t{table->layers} * table->rows * table->k * sizeof(std::uint16_t));
    if (const auto sizes = logitSizes(request))
        add(routerLogitsFileName, routerLogitBytes(sizes->layers, sizes->rows, sizes->experts));
    if (!request.tokenizerText.empty()) {
        files.emplace_back(tokenizerFileName, request.tokenizerText.size());
    } else if (!request.source->tokenizerFile.empty()) {
        const auto tokenizer = MappedFile::open(request.source->tokenizerFile);
        if (!tokenizer)
            return tokenizer.error();
        files.emplace_back(tokenizerFileName, (*tokenizer)->bytes().size());
    }
    return files;
}

} // namespace colibri
