// SPDX-License-Identifier: Apache-2.0
#include "format/router_logits.h"

#include "format/colibri_layout.h"
#include "format/config_file.h"
#include "format/inside_folder.h"
#include "format/router_table_plan.h"

#include <cmath>
#include <cstring>

namespace colibri {
namespace {

constexpr std::uint64_t rowsBetweenStops = 65536;

/// A size that the object states, and what it has to be.
struct Size {
    std::string_view key;
    std::uint32_t& value;
    std::uint32_t expected; ///< 0: any
    std::string_view of;
};

Result<void> readSizes(const JsonValue& object, const std::string& configFile, std::span<const Size> sizes)
{
    for (const Size& size : sizes) {
        const auto value = readUnsigned(object, size.key, 1, UINT32_MAX, configFile, "router_logits.");
        if (!value)
            return value.error();
        size.value = static_cast<std::uint32_t>(*value);
        if (size.expected && size.value != size.expected)
            return Error{Errc::Mismatch, "read the configuration", configFile, object.find(size.key)->offset,
                "router_logits." + std::string(size.key) + " is " + std::to_string(size.value) + ", "
                    + std::string(size.of) + " " + std::to_string(size.expected)};
    }
    return {};
}

Result<void> checkScales(const MappedFile& file, const RouterLogits& logits, const std::stop_token& stop)
{
    const std::uint64_t rows = std::uint64_t{logits.layers} * logits.rows;
    const std::uint64_t begin = rows * logits.experts;
    for (std::uint64_t row = 0; row < rows; ++row) {
        if (row % rowsBetweenStops == 0 && stop.stop_requested())
            return Error{Errc::Cancelled, "check the router logits", file.path(), {}, "stopped"};
        const std::uint64_t offset = begin + row * sizeof(LogitScale);
        LogitScale scale;
        std::memcpy(&scale, file.bytes().data() + offset, sizeof scale);
        if (std::isfinite(scale.scale) && scale.scale >= 0 && std::isfinite(scale.offset))
            continue;
        return Error{Errc::Malformed, "check the router logits", file.path(), offset,
            "layer " + std::to_string(row / logits.rows) + ", row " + std::to_string(row % logits.rows) + " has scale "
                + std::to_string(scale.scale) + " and offset " + std::to_string(scale.offset)
                + ", both have to be finite and the scale not negative"};
    }
    return {};
}

} // namespace

Result<void> readRouterLogits(const JsonValue& object, const std::string& configFile, LogitLimits limits,
    ModelSource& source, const std::stop_token& stop)
{
    if (!object.object())
        return Error{Errc::Malformed, "read the configuration", configFile, object.offset,
            "router_logits is a " + std::string(object.typeName()) + ", it has to be an object"};
    const auto name = readString(object, "file", configFile, "router_logits.");
    if (!name)
        return name.error();
    RouterLogits logits;
    const Size sizes[]{{"layers", logits.layers, limits.layers, "the layers that route are"},
        {"rows", logits.rows, source.table ? source.table->rows : 0, "the rows of the routing table are"},
        {"experts", logits.experts, limits.experts, "num_experts is"}};
    if (auto done = readSizes(object, configFile, sizes); !done)
        return done;
    const auto mapped =
        addFileInside(source, *name, {configFile, object.offset, "router_logits.file", "the router logits"});
    if (!mapped)
        return mapped.error();
    const auto bytes = routerLogitBytes(logits.layers, logits.rows, logits.experts);
    if (!bytes || (*mapped)->bytes().size() != *bytes)
        return Error{Errc::Mismatch, "read the router logits", (*mapped)->path(), {},
            "has " + std::to_string((*mapped)->bytes().size()) + " bytes, " + std::to_string(logits.layers)
                + " layers x " + std::to_string(logits.rows) + " rows x (" + std::to_string(logits.experts)
                + " bytes and 2 float32) need "
                + (bytes ? std::to_string(*bytes) : std::string("more than 64 bits can count"))};
    if (auto done = checkScales(**mapped, logits, stop); !done)
        return done;
    logits.file = static_cast<std::uint32_t>(source.files.size() - 1);
    source.routerLogits = logits;
    return {};
}

} // namespace colibri
