// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "goldenmodel.h"

#include "api/export.h"
#include "model/config_writer.h"

#include <QDirIterator>

#include <bit>
#include <cmath>

namespace colibri::test {

/// Bytes and number of the files below a folder whose names begin so.
struct Files {
    std::uint64_t bytes = 0;
    std::uint32_t count = 0;
};
inline Files filesIn(const QString& folder, const QString& start = {})
{
    Files files;
    for (QDirIterator each(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); each.hasNext();) {
        each.next();
        if (!QDir(folder).relativeFilePath(each.filePath()).startsWith(start))
            continue;
        files.bytes += std::uint64_t(each.fileInfo().size());
        ++files.count;
    }
    return files;
}

/// What is wrong with the sizes that were told before the writing; empty: nothing.
inline QString wrongSizes(
    const ExportSize& planned, const ExportReport& report, const Model& exported, const QString& out)
{
    const Files all = filesIn(out);
    std::uint64_t shares = 0;
    for (const TypeShare& share : planned.types)
        shares += share.bytes;
    std::uint64_t tensors = 0;
    for (const TensorInfo& tensor : exported.tensors())
        tensors += tensor.size;
    const std::tuple<const char*, std::uint64_t, std::uint64_t> pairs[]{
        {"dense.bin", planned.denseBytes, filesIn(out, "dense.bin").bytes},
        {"experts", planned.expertBytes, filesIn(out, "experts/").bytes}, {"all", planned.totalBytes, all.bytes},
        {"report", report.bytesWritten, all.bytes}, {"files", planned.files, all.count},
        {"weights", planned.weights, exported.parameters()}, {"types", shares, tensors}};
    for (const auto& [what, told, found] : pairs)
        if (told != found)
            return QString("%1: told %2, is %3").arg(what).arg(told).arg(found);
    return {};
}

/// Whether an export of `source` to `out` is the same model; what differs, or empty.
inline QString exportDiffers(const QString& source, const QString& out, const std::vector<TokenId>& tokens)
{
    const ModelPtr model = opened(source);
    if (!model)
        return "the source does not open";
    const auto planned = plannedExport(*model, {});
    const auto report = exportModel(*model, out.toStdString(), {});
    if (!planned || !report)
        return QString::fromStdString((report ? planned.error() : report.error()).message());
    const ModelPtr exported = opened(out);
    if (!exported)
        return "the export does not open";
    if (const QString wrong = wrongSizes(*planned, *report, *exported, out); !wrong.isEmpty())
        return wrong;
    if (!exported->notes().empty())
        return QString::fromStdString(exported->notes().front());
    if (canonicalConfig(exported->config()) != canonicalConfig(model->config()))
        return "the configuration is " + QString::fromStdString(canonicalConfig(exported->config()));
    for (const Activations activations : {Activations::Q8, Activations::F32}) {
        const Evaluation here = evaluate(model, with(activations), tokens);
        if (!here.error.empty() || here.logits.empty())
            return "the source does not run: " + QString::fromStdString(here.error);
        if (!(evaluate(exported, with(activations), tokens) == here))
            return "the bits differ";
    }
    return {};
}

/// Mean square of the errors over that of the reference; infinite when sizes differ.
inline double nmse(std::span<const std::uint32_t> bits, std::span<const float> reference)
{
    double errors = 0;
    double squares = 0;
    for (std::size_t i = 0; i < bits.size() && i < reference.size(); ++i) {
        const double error = double(std::bit_cast<float>(bits[i])) - double(reference[i]);
        errors += error * error;
        squares += double(reference[i]) * double(reference[i]);
    }
    return bits.size() == reference.size() && squares > 0 ? errors / squares : INFINITY;
}

} // namespace colibri::test
