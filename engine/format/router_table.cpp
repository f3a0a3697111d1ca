// SPDX-License-Identifier: Apache-2.0
#include "format/router_table.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace colibri {
namespace {

constexpr std::uint64_t rowsBetweenStops = 65536;

std::string rowName(const RouterTable& table, std::uint64_t row)
{
    const std::string text = "row " + std::to_string(row % table.rows);
    return table.layers > 1 ? "layer " + std::to_string(row / table.rows) + ", " + text : text;
}

std::string listText(std::span<const std::uint16_t> ids)
{
    std::string text = "[";
    for (const std::uint16_t id : ids)
        text += (text.size() > 1 ? ", " : "") + std::to_string(id);
    return text + "]";
}

/// Byte offset of a row in its file; rows count through all layers.
std::uint64_t rowOffset(const RouterTable& table, std::uint64_t row)
{
    return table.offset + row * table.k * sizeof(std::uint16_t);
}

void copyRow(const ModelSource& source, const RouterTable& table, std::uint64_t row, std::span<std::uint16_t> ids)
{
    std::memcpy(ids.data(), source.files[table.file]->bytes().data() + rowOffset(table, row), ids.size_bytes());
}

} // namespace

Result<void> checkRouterTable(
    const ModelSource& source, const RouterTable& table, std::uint32_t numExperts, std::stop_token stop)
{
    const std::string& file = source.files[table.file]->path();
    const std::uint64_t rows = std::uint64_t{table.layers} * table.rows;
    std::vector<std::uint16_t> ids(table.k);
    std::vector<std::uint64_t> lastSeen(numExperts, 0); // one past the row where the expert stood last
    for (std::uint64_t row = 0; row < rows; ++row) {
        if (row % rowsBetweenStops == 0 && stop.stop_requested())
            return Error{Errc::Cancelled, "check the routing table", file, {}, "stopped"};
        copyRow(source, table, row, ids);
        for (std::size_t column = 0; column < ids.size(); ++column) {
            const std::uint16_t id = ids[column];
            const bool known = id < numExperts;
            if (known && lastSeen[id] != row + 1) {
                lastSeen[id] = row + 1;
                continue;
            }
            return Error{Errc::Malformed, "check the routing table", file,
                rowOffset(table, row) + column * sizeof(std::uint16_t),
                rowName(table, row) + ", column " + std::to_string(column) + " names expert " + std::to_string(id)
                    + (known ? ", which stands in this row already" : ", there are " + std::to_string(numExperts))};
        }
    }
    return {};
}

Result<void> checkSanity(const ModelSource& source, const RouterTable& table)
{
    std::vector<std::uint16_t> found(table.k);
    for (const SanityEntry& entry : source.sanity) {
        const std::uint64_t row = std::uint64_t{entry.layer} * table.rows + entry.token;
        copyRow(source, table, row, found);
        if (!std::ranges::equal(found, entry.experts))
            return Error{Errc::Mismatch, "check the routing table", source.files[table.file]->path(),
                rowOffset(table, row),
                "layer " + std::to_string(entry.layer) + ", token " + std::to_string(entry.token)
                    + ": sanity expects experts " + listText(entry.experts) + ", the table holds " + listText(found)};
    }
    return {};
}

} // namespace colibri
