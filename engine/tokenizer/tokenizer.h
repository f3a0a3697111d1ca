// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"
#include "types/result.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// Byte-level BPE from a Hugging Face tokenizer.json. Immutable; any thread may use it at any time.
class Tokenizer {
public:
    /// Reads tokenizer.json. What is not supported (another model type, normalizer or pre-tokenizer) is refused by name.
    static Result<std::shared_ptr<const Tokenizer>> load(const std::string& file);
    /// The same from bytes; `file` is for error texts.
    static Result<std::shared_ptr<const Tokenizer>> parse(std::string_view json, const std::string& file);
    ~Tokenizer();

    /// Ids of a UTF-8 text; added and special tokens inside it are recognized. No begin-of-text id is put in front.
    /// Fails on bytes that are no UTF-8, naming the offset.
    Result<std::vector<TokenId>> encode(std::string_view text) const;
    /// Bytes of an id, perhaps a part of a character; the name of a special token. Empty for an unknown id. No allocation.
    std::string_view bytes(TokenId id) const;
    bool isSpecial(TokenId id) const;
    /// Text of ids without special tokens; invalid UTF-8 becomes U+FFFD (one for each maximal ill-formed part).
    std::string decode(std::span<const TokenId> ids) const;
    std::uint32_t vocabularySize() const; ///< highest id + 1
    std::optional<TokenId> idOf(std::string_view token) const; ///< by name in the vocabulary, for special tokens

private:
    struct Impl;
    explicit Tokenizer(std::unique_ptr<const Impl> impl);
    std::unique_ptr<const Impl> m_impl;
};

} // namespace colibri
