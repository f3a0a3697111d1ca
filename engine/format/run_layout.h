// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace colibri {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

/// The first bytes of a saved run. Beyond ASCII, with both line ends and an end-of-file sign: a transfer as text shows.
inline constexpr std::array<unsigned char, 8> runMagic{0x89, 'C', 'R', 'U', 'N', '\r', '\n', 0x1A};
inline constexpr std::string_view runFormatName = "colibri-run";
inline constexpr std::uint64_t runVersion = 1;
inline constexpr std::uint64_t runPreambleBytes = 16; ///< magic and header length
inline constexpr std::uint64_t runChecksumBytes = 8;
inline constexpr std::uint64_t runAlignment = 64;
inline constexpr std::uint64_t maxRunHeaderBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t maxRunTokens = std::uint64_t{1} << 27;
inline constexpr std::uint64_t maxRunLayers = 4096;
inline constexpr std::uint64_t maxRunExperts = 0xFFFF;
inline constexpr std::uint64_t runTimingBytes = 64;

inline constexpr std::uint64_t maxRunNs = std::uint64_t{1} << 62; ///< of a start and of a duration

/// What the sizes of all sections follow from.
struct RunCounts {
    std::uint32_t tokens = 0; ///< prompt and generated ids; decisions have a row for each of them
    std::uint32_t promptTokens = 0;
    std::uint32_t routed = 0; ///< positions with decisions; rows behind them are filled up
    std::uint32_t layers = 0;
    std::uint32_t experts = 0;
    std::uint32_t k = 0;
    std::uint32_t logitsFrom = 0; ///< router logits are there for positions from here up to `routed`
    std::uint32_t timings = 0;
};

enum RunSection : std::size_t { // in the order in which they are written
    TokenSection,
    ExpertSection,
    WeightSection,
    MarginSection,
    ZeroedSection,
    LogitSection,
    TimingSection,
    RunSectionCount
};

struct RunSectionKind {
    std::string_view name;
    std::string_view dtype;
};
inline constexpr std::array<RunSectionKind, RunSectionCount> runSectionKinds{{
    {"tokens", "u32"}, // [tokens]
    {"experts", "u16"}, // [tokens][layers][k], 0xFFFF unused
    {"weights", "f32"}, // [tokens][layers][k]
    {"margins", "f32"}, // [tokens][layers]
    {"zeroed", "u32"}, // [tokens][layers]
    {"router_logits", "f32"}, // [routed - logits_from][layers][experts]
    {"timings", "timing"}, // [timings], see run_file.h
}};

/// Bytes of each section; empty when that is more than 64 bits can count.
std::optional<std::array<std::uint64_t, RunSectionCount>> runSectionBytes(const RunCounts& counts);

} // namespace colibri
