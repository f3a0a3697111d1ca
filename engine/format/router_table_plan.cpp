// SPDX-License-Identifier: Apache-2.0
#include "format/router_table_plan.h"

#include "types/checked.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace colibri {
namespace {

constexpr std::size_t blockBytes = std::size_t{1} << 20;
constexpr std::uint32_t sanityCount = 8;

/// Gathers rows into blocks for a sink.
class Block {
public:
    Block(const ByteSink& sink, const std::stop_token& stop)
        : m_sink(sink)
        , m_stop(stop)
    {
        m_bytes.reserve(blockBytes);
    }

    Result<void> add(std::span<const std::byte> row)
    {
        if (m_bytes.size() + row.size() > blockBytes)
            if (auto done = flush(); !done)
                return done;
        m_bytes.insert(m_bytes.end(), row.begin(), row.end());
        return {};
    }

    Result<void> flush()
    {
        if (m_stop.stop_requested())
            return Error{Errc::Cancelled, "write the routing table", {}, {}, "stopped"};
        auto done = m_bytes.empty() ? Result<void>{} : m_sink(m_bytes);
        m_bytes.clear();
        return done;
    }

private:
    const ByteSink& m_sink;
    const std::stop_token& m_stop;
    std::vector<std::byte> m_bytes;
};

/// Adds what `rowAt` gives for the place of each token id of each layer.
template <class RowAt>
Result<void> addRows(const RouterTablePlan& plan, Block& block, const RowAt& rowAt)
{
    for (std::uint32_t layer = 0; layer < plan.layers; ++layer) {
        std::size_t next = 0; // among the ids
        for (TokenId id = 0; id < plan.rows; ++id) {
            const bool own = next < plan.ids.size() && plan.ids[next] == id;
            if (auto done = block.add(std::as_bytes(rowAt(plan.place(layer, own ? next : plan.rest())))); !done)
                return done;
            next += own;
        }
    }
    return {};
}

/// Layer and row of each entry. There are as many entries as layers, or as rows, or eight, so that no two are alike.
std::vector<std::pair<std::uint32_t, std::uint32_t>> spread(std::uint32_t layers, std::uint32_t rows)
{
    const std::uint64_t count = std::min(sanityCount, std::max(layers, rows));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint64_t i = 0; i < count; ++i)
        places.emplace_back(
            static_cast<std::uint32_t>(i * layers / count), static_cast<std::uint32_t>(i * rows / count));
    return places;
}

} // namespace

void RouterTablePlan::allocate()
{
    const std::size_t places = layers * (ids.size() + 1);
    chosen.resize(places * k);
    logits.resize(places * experts);
    scales.resize(places);
}

std::optional<std::uint64_t> plannedTableBytes(const RouterTablePlan& plan)
{
    return checkedProduct(std::array<std::uint64_t, 4>{plan.layers, plan.rows, plan.k, sizeof(std::uint16_t)});
}

std::optional<std::uint64_t> routerLogitBytes(std::uint32_t layers, std::uint32_t rows, std::uint32_t experts)
{
    return checkedProduct(std::array<std::uint64_t, 3>{layers, rows, experts + sizeof(LogitScale)});
}

std::optional<LogitScale> quantizeLogits(std::span<const double> logits, std::span<std::uint8_t> bytes)
{
    const auto [least, most] = std::ranges::minmax(logits);
    const auto offset = static_cast<float>(least);
    const auto scale = static_cast<float>((most - offset) / 255);
    if (!std::ranges::all_of(logits, [](double logit) { return std::isfinite(logit); }) || !std::isfinite(offset)
        || !std::isfinite(scale * 255))
        return std::nullopt;
    for (std::size_t i = 0; i < logits.size(); ++i)
        bytes[i] = scale > 0
            ? static_cast<std::uint8_t>(std::clamp(std::nearbyint((logits[i] - offset) / scale), 0.0, 255.0))
            : std::uint8_t{0};
    return LogitScale{std::max(scale, 0.f), offset};
}

std::vector<SanityEntry> sanityEntries(const RouterTablePlan& plan)
{
    std::vector<SanityEntry> entries;
    if (plan.ids.empty())
        return entries;
    for (const auto& [layer, at] : spread(plan.layers, static_cast<std::uint32_t>(plan.ids.size()))) {
        const auto row = plan.chosenAt(plan.place(layer, at));
        entries.push_back({layer, plan.ids[at], {row.begin(), row.end()}});
    }
    return entries;
}

std::vector<SanityEntry> sanityEntries(const ModelSource& source, const RouterTable& table)
{
    if (!source.sanity.empty())
        return source.sanity;
    std::vector<SanityEntry> entries;
    for (const auto& [layer, row] : spread(table.layers, table.rows)) {
        std::vector<std::uint16_t> experts(table.k);
        const std::uint64_t offset =
            table.offset + (std::uint64_t{layer} * table.rows + row) * table.k * sizeof(std::uint16_t);
        std::memcpy(experts.data(), source.files[table.file]->bytes().data() + offset, table.k * sizeof(std::uint16_t));
        entries.push_back({layer, row, std::move(experts)});
    }
    return entries;
}

Result<void> passTable(const RouterTablePlan& plan, const ByteSink& sink, std::stop_token stop)
{
    Block block(sink, stop);
    const auto row = [&](std::size_t place) { return plan.chosenAt(place); };
    if (auto done = addRows(plan, block, row); !done)
        return done;
    return block.flush();
}

Result<void> passRouterLogits(const RouterTablePlan& plan, const ByteSink& sink, std::stop_token stop)
{
    Block block(sink, stop);
    const auto row = [&](std::size_t place) {
        return std::span(plan.logits).subspan(place * plan.experts, plan.experts);
    };
    if (auto done = addRows(plan, block, row); !done)
        return done;
    const auto scale = [&](std::size_t place) { return std::span(plan.scales).subspan(place, 1); };
    if (auto done = addRows(plan, block, scale); !done)
        return done;
    return block.flush();
}

} // namespace colibri
