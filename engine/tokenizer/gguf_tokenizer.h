// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "types/model_config.h"
#include "types/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// What the keys tokenizer.ggml.* of a GGUF file say. Texts are views of what the file was read from.
struct GgufTokenizer {
    std::string file; ///< for error texts
    std::uint64_t offset = 0; ///< of the list of tokens in it
    std::string_view model; ///< "gpt2": BPE over bytes, "llama": over characters
    std::string_view pre; ///< how a text is split into words; of "gpt2" only
    std::vector<std::string_view> tokens; ///< by id
    std::vector<std::int32_t> types; ///< of each token, as GgufTokenType; empty: all are normal
    std::vector<float> scores; ///< of each token, for "llama": the best joined pair is joined first
    std::vector<std::string_view> merges; ///< "a b", for "gpt2"
    std::optional<std::uint64_t> beginOfText;
    std::optional<std::uint64_t> endOfText;
    std::optional<bool> addBeginOfText;
    std::optional<bool> addEndOfText;
    std::optional<bool> addSpacePrefix; ///< of "llama": a space goes in front of each stretch between special tokens
};

/// Types of tokens, numbered as in GGUF files.
enum class GgufTokenType : std::int32_t { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };

/// The same tokenizer as Hugging Face's files would say it, for Tokenizer::make. Where llama.cpp differs from Hugging
/// Face, this is Hugging Face's.
struct TokenizerDocuments {
    JsonValue tokenizer; ///< tokenizer.json
    JsonValue config; ///< the part of tokenizer_config.json about the first and last id
};
/// Fails with Unsupported on a model or a way of splitting that is not known, by name.
Result<TokenizerDocuments> tokenizerDocuments(const GgufTokenizer& from);

} // namespace colibri
