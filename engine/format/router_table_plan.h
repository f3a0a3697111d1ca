// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/colibri_layout.h"
#include "format/model_source.h"
#include "format/tensor_convert.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace colibri {

/// A routing table to be written, by token id, with the router logits it was made from. It holds rows of the ids that
/// have some of their own; all others share the layer's last row.
struct RouterTablePlan {
    std::uint32_t layers = 0; ///< MoE layers
    std::uint32_t rows = 0; ///< token ids
    std::uint32_t k = 0;
    std::uint32_t experts = 0;
    std::vector<TokenId> ids; ///< ascending, each below `rows`
    std::vector<std::uint16_t> chosen; ///< [layers][ids + 1][k], best first, no expert twice in a row
    std::vector<std::uint8_t> logits; ///< [layers][ids + 1][experts], see quantizeLogits
    std::vector<LogitScale> scales; ///< [layers][ids + 1]

    /// Gives the vectors their sizes; `ids` is set.
    void allocate();
    /// Index into `scales` (and, times k or experts, into the others) of a layer and a place among `ids`.
    std::size_t place(std::uint32_t layer, std::size_t id) const { return layer * (ids.size() + 1) + id; }
    std::size_t rest() const { return ids.size(); } ///< the place of the ids that are not listed
    std::span<std::uint16_t> chosenAt(std::size_t place) { return std::span(chosen).subspan(place * k, k); }
    std::span<const std::uint16_t> chosenAt(std::size_t place) const { return std::span(chosen).subspan(place * k, k); }
    std::span<std::uint8_t> logitsAt(std::size_t place) { return std::span(logits).subspan(place * experts, experts); }
};

/// Bytes of router_table.bin and of router_logits.bin; empty when 64 bits cannot count them. Only the four sizes count.
std::optional<std::uint64_t> plannedTableBytes(const RouterTablePlan& plan);
std::optional<std::uint64_t> routerLogitBytes(std::uint32_t layers, std::uint32_t rows, std::uint32_t experts);

/// 8 bits for each logit: offset is the smallest one, scale (largest - smallest) / 255, a logit becomes the nearest of
/// 256 steps, so that offset + scale * byte is within scale / 2 of it, but for the rounding of the two floats. All
/// finite, and their range is a float; else empty.
std::optional<LogitScale> quantizeLogits(std::span<const double> logits, std::span<std::uint8_t> bytes);

/// Entries for "sanity": at most eight rows, spread over the layers and the ids that have rows of their own.
std::vector<SanityEntry> sanityEntries(const RouterTablePlan& plan);
/// The same for a table that lies in a file: its source's entries, or some of its own when the source has none.
std::vector<SanityEntry> sanityEntries(const ModelSource& source, const RouterTable& table);

/// Hands on the bytes of router_table.bin: uint16 [layers][rows][k]. Memory is bounded by blocks of 1 MiB.
Result<void> passTable(const RouterTablePlan& plan, const ByteSink& sink, std::stop_token stop);
/// Hands on the bytes of router_logits.bin: uint8 [layers][rows][experts], then LogitScale [layers][rows].
Result<void> passRouterLogits(const RouterTablePlan& plan, const ByteSink& sink, std::stop_token stop);

} // namespace colibri
