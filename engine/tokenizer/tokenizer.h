// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "tokenizer/tokenizer_parts.h"
#include "types/model_config.h"
#include "types/result.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// BPE over bytes or characters, from a Hugging Face tokenizer.json or from what a GGUF file says. Immutable; any
/// thread may use it at any time.
class Tokenizer {
public:
    /// Reads tokenizer.json. What is not supported (another type of model, normalizer, pre-tokenizer or decoder) is
    /// refused by name. `tokenizerConfig`: the root of tokenizer_config.json, null when there is none.
    static Result<std::shared_ptr<const Tokenizer>> load(
        const std::string& file, const JsonValue* tokenizerConfig = nullptr);
    /// The same from bytes; `file` is for error texts.
    static Result<std::shared_ptr<const Tokenizer>> parse(
        std::string_view json, const std::string& file, const JsonValue* tokenizerConfig = nullptr);

    /// From the root of a tokenizer.json, or of a document like it that was made from other metadata. `bytes`: the size
    /// of the file, which bounds the ids.
    static Result<std::shared_ptr<const Tokenizer>> make(
        const JsonValue& root, std::size_t bytes, const std::string& file, const JsonValue* tokenizerConfig = nullptr);

    /// Ids of a UTF-8 text; the added tokens in it that are looked for are recognized. Nothing is put around it, that
    /// is what frame() is for. Fails on bytes that are no UTF-8, naming the offset.
    Result<std::vector<TokenId>> encode(std::string_view text, AddedTokens::Look look = AddedTokens::Look::All) const;
    /// The ids in front of and behind a text that is a document of its own.
    const TextFrame& frame() const;
    /// Bytes of an id, perhaps a part of a character; the name of a special token. Empty for an unknown id. No
    /// allocation.
    std::string_view bytes(TokenId id) const;
    bool isSpecial(TokenId id) const;
    /// Text of ids, without special tokens or with their names. What is no UTF-8 becomes U+FFFD: one for each maximal
    /// ill-formed part, or, of bytes by fallback, for each byte of a run.
    std::string decode(std::span<const TokenId> ids, bool specials = false) const;
    /// For a TokenStream, which decodes ids as they come.
    const TokenTexts& texts() const;
    std::uint32_t vocabularySize() const; ///< highest id + 1
    std::optional<TokenId> idOf(std::string_view token) const; ///< by name in the vocabulary, for special tokens

private:
    explicit Tokenizer(TokenizerParts parts);
    TokenizerParts m_parts;
};

} // namespace colibri
