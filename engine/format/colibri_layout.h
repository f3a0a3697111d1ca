// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Colibri export version 1 as the reader and the writer share it. The rules in words are in FORMAT.md.
namespace colibri {

static_assert(std::endian::native == std::endian::little, "headers and weights are used as they lie on disk");

inline constexpr std::string_view colibriFormatName = "colibri";
inline constexpr std::uint16_t colibriVersion = 1;

/// Every tensor begins at a multiple of this in its file.
inline constexpr std::uint64_t tensorAlignment = 64;

inline constexpr std::string_view configFileName = "config.json";
inline constexpr std::string_view tokenizerFileName = "tokenizer.json";
inline constexpr std::string_view denseFileName = "dense.bin";
inline constexpr std::string_view routerTableFileName = "router_table.bin";
inline constexpr std::string_view routerLogitsFileName = "router_logits.bin";
inline constexpr std::string_view expertsFolderName = "experts";

/// Largest numbers that the header's u16 fields and the uint16 tables (0xFFFF: unused place) can carry.
inline constexpr std::uint32_t maxLayers = 65536;
inline constexpr std::uint32_t maxExperts = 65535;

/// The header in front of an expert's tensors.
#pragma pack(push, 1)
struct expert_blob_t {
    char magic[8];
    std::uint16_t version;
    std::uint16_t dtype; ///< dtypeCode() of the blob's first tensor
    std::uint16_t layer;
    std::uint16_t expert;
    std::uint32_t header_size;
    std::uint32_t tensor_count;
    std::uint64_t payload_size; ///< bytes behind the header
    std::uint64_t payload_xxh64;
    std::uint8_t zero[24];
};
#pragma pack(pop)

inline constexpr std::array<char, 8> expertMagic{'C', 'O', 'L', 'I', 'B', 'R', 'I', '\0'};

static_assert(sizeof(expert_blob_t) == 64);
static_assert(offsetof(expert_blob_t, magic) == 0 && sizeof(expert_blob_t::magic) == 8);
static_assert(offsetof(expert_blob_t, version) == 8 && sizeof(expert_blob_t::version) == 2);
static_assert(offsetof(expert_blob_t, dtype) == 10 && sizeof(expert_blob_t::dtype) == 2);
static_assert(offsetof(expert_blob_t, layer) == 12 && sizeof(expert_blob_t::layer) == 2);
static_assert(offsetof(expert_blob_t, expert) == 14 && sizeof(expert_blob_t::expert) == 2);
static_assert(offsetof(expert_blob_t, header_size) == 16 && sizeof(expert_blob_t::header_size) == 4);
static_assert(offsetof(expert_blob_t, tensor_count) == 20 && sizeof(expert_blob_t::tensor_count) == 4);
static_assert(offsetof(expert_blob_t, payload_size) == 24 && sizeof(expert_blob_t::payload_size) == 8);
static_assert(offsetof(expert_blob_t, payload_xxh64) == 32 && sizeof(expert_blob_t::payload_xxh64) == 8);
static_assert(offsetof(expert_blob_t, zero) == 40 && sizeof(expert_blob_t::zero) == 24);
static_assert(sizeof(expert_blob_t) % tensorAlignment == 0, "the first tensor follows the header without a gap");

/// How the bytes of one row of router_logits.bin are read: a logit is offset + scale * byte. The file is uint8
/// [layers][rows][experts], and behind it, without a gap, these for each layer and row.
struct LogitScale {
    float scale = 0.f;
    float offset = 0.f;
};
static_assert(sizeof(LogitScale) == 8 && offsetof(LogitScale, scale) == 0 && offsetof(LogitScale, offset) == 4);

/// What stands for a tensor's type in the header of a blob: 0 f32, 1 f16, 2 int8, 3 bf16, or 16 + the number that ggml
/// has for a type of blocks. Empty: version 1 does not hold the type.
std::optional<std::uint16_t> dtypeCode(DType dtype);
std::optional<DType> dtypeOfCode(std::uint16_t code); ///< the inverse
std::optional<DType> heldDTypeNamed(std::string_view name); ///< among the types that version 1 holds
/// "f32, f16, bf16, int8 and the block types of GGUF".
std::string heldDTypes();

/// Keys of config.json that belong to the format itself; all others describe the architecture.
namespace key {
inline constexpr std::string_view format = "format";
inline constexpr std::string_view version = "version";
inline constexpr std::string_view architecture = "architecture";
inline constexpr std::string_view routerTable = "router_table";
inline constexpr std::string_view routerLogits = "router_logits";
inline constexpr std::string_view index = "index";
inline constexpr std::string_view denseLayers = "dense_layers";
inline constexpr std::string_view sanity = "sanity";
inline constexpr std::string_view source = "source";
inline constexpr std::string_view tensors = "tensors";
} // namespace key
/// What the writer states itself, whatever the configuration it was given says.
inline constexpr std::array<std::string_view, 8> writerKeys{
    key::format, key::version, key::routerTable, key::routerLogits, key::index, key::sanity, key::source, key::tensors};

struct ExpertPlace {
    std::uint32_t layer = 0;
    std::uint32_t expert = 0;
};
/// "experts/L03_E07.bin".
std::string expertFileName(ExpertPlace place);
/// The inverse; empty for anything that expertFileName does not give.
std::optional<ExpertPlace> parseExpertFileName(std::string_view file);

/// Checksums in config.json: 16 lower-case hex digits.
std::string checksumText(std::uint64_t checksum);
std::optional<std::uint64_t> parseChecksum(std::string_view text);

} // namespace colibri
