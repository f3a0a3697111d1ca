// SPDX-License-Identifier: Apache-2.0
#include "model/activations.h"

#include <algorithm>

namespace colibri {
namespace {

/// Pointers to one row of a format; null where it is not planned.
RoundedRow roundedRow(const ActivationRows& rows, QuantFormat format, std::size_t row)
{
    const RoundedBuffer& buffer = rows.rounded[static_cast<std::size_t>(format)];
    if (buffer.quants.empty())
        return {};
    const std::size_t groups = (rows.width + groupSize(format) - 1) / groupSize(format);
    const std::size_t sums = (rows.width + sumSize - 1) / sumSize;
    return {buffer.quants.data() + row * rows.width, buffer.scales.data() + row * groups,
        buffer.sums.empty() ? nullptr : buffer.sums.data() + row * sums};
}

} // namespace

Rows inputRows(const ActivationRows& rows, std::uint32_t first, std::uint32_t count)
{
    Rows inputs{rows.values.data() + std::size_t{first} * rows.width, {}, count, rows.width};
    for (const QuantFormat format : quantFormats) {
        const RoundedRow row = roundedRow(rows, format, first);
        inputs.quantized[static_cast<std::size_t>(format)] = {row.quants, row.scales, row.sums};
    }
    return inputs;
}

void roundRow(const KernelTable& kernels, const ActivationRows& rows, std::size_t row)
{
    for (const QuantFormat format : quantFormats)
        if (const RoundedRow to = roundedRow(rows, format, row); to.quants)
            kernels.quantizeRow(format, rows.values.data() + row * rows.width, rows.width, to);
}

void copyRow(const ActivationRows& from, std::size_t row, const ActivationRows& to, std::size_t toRow)
{
    std::copy_n(from.values.data() + row * from.width, from.width, to.values.data() + toRow * from.width);
    for (const QuantFormat format : quantFormats) {
        const RoundedRow source = roundedRow(from, format, row);
        const RoundedRow target = roundedRow(to, format, toRow);
        if (!source.quants)
            continue;
        std::copy_n(source.quants, from.width, target.quants);
        std::copy_n(source.scales, (from.width + groupSize(format) - 1) / groupSize(format), target.scales);
        if (source.sums)
            std::copy_n(source.sums, (from.width + sumSize - 1) / sumSize, target.sums);
    }
}

} // namespace colibri
