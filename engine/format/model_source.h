// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/gguf_value.h"
#include "format/json.h"
#include "memory/mapped_file.h"
#include "types/model_config.h"
#include "types/tensor_info.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// A static routing table: uint16 [layers][rows][k] (layers are those that route: dense ones have no rows), best expert
/// first, in the mapping of one of the source's files.
struct RouterTable {
    std::uint32_t file = 0; ///< index into the source's files
    std::uint64_t offset = 0; ///< bytes, even
    std::uint32_t layers = 0;
    std::uint32_t rows = 0;
    std::uint32_t k = 0;
    TableIndex index = TableIndex::Token;
};

/// Quantized router logits that a table was made from: uint8 [layers][rows][experts], then LogitScale (see
/// colibri_layout.h) [layers][rows]; the whole of one of the source's files.
struct RouterLogits {
    std::uint32_t file = 0; ///< index into the source's files
    std::uint32_t layers = 0;
    std::uint32_t rows = 0;
    std::uint32_t experts = 0;
};

/// What one entry of "sanity" in a Colibri config.json says.
struct SanityEntry {
    std::uint32_t layer = 0;
    std::uint32_t token = 0;
    std::vector<std::uint16_t> experts;
};

/// What a reader does where data are not there or damaged: a file that the others name, its head, the end of a file, a
/// routing table.
enum class Incomplete : std::uint8_t {
    Refuse, ///< fails
    List ///< goes on, marks the tensors and adds to ModelSource::refusals
};

/// What a reader of a format found: files mapped, tensors listed and range-checked, configuration as it stands. No
/// weight has been read, no rule of an architecture been applied: engine/model does that. Engine/model reads `config`
/// by the key names of `format`, and finds tensors by any of the names that a slot may have.
struct ModelSource {
    std::string path; ///< the folder or file as the user named it
    std::string format; ///< "huggingface", "colibri", "raw", "gguf"
    /// The root object of config.json; for raw exports an equivalent that states every dimension; for GGUF its metadata
    /// under GGUF's own keys ("qwen3moe.block_count"), without vocabularies, see configOf() of format/gguf.h.
    JsonValue config;
    std::string configFile; ///< for error texts
    std::optional<JsonValue> tokenizerConfig; ///< the root object of tokenizer_config.json, when there is one
    std::optional<JsonValue> generationConfig; ///< the root object of generation_config.json, when there is one
    std::vector<std::shared_ptr<const MappedFile>> files; ///< weights and tables; of GGUF [0] has the metadata
    std::vector<TensorInfo> tensors; ///< sorted by name, names unique, as the format names them
    std::vector<GgufEntry> metadata; ///< GGUF only: all keys, values in the mapping of files[0]
    std::string tokenizerFile; ///< path of tokenizer.json; empty when there is none
    std::optional<RouterTable> table;
    std::optional<RouterLogits> routerLogits; ///< range-checked, scales finite
    std::vector<SanityEntry> sanity;
    std::vector<RuleOrigin> origins; ///< dimensions that the reader itself determined (raw exports)
    std::vector<std::string> notes; ///< what is suspicious or was not understood
    /// Why it can be looked at but not bound: data that are missing or damaged, one for each file that has to do with
    /// it. Empty: it can be bound.
    std::vector<Error> refusals;
    bool allNamed = true; ///< false: there may be tensors that no readable file names
};

} // namespace colibri
