// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "tokenizer/gguf_tokenizer.h"
#include "tokenizer/tokenizer.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace colibri {

/// What the metadata of a GGUF file says about its tokenizer; null when it says nothing. The views lie in the mapping
/// that `metadata` lies in. For the files of engine/api, and for tests.
Result<std::optional<GgufTokenizer>> ggufTokenizerOf(std::span<const GgufEntry> metadata, const std::string& file);

/// The tokenizer of a model, if it has one that is known here.
struct ModelTokenizer {
    std::shared_ptr<const Tokenizer> tokenizer; ///< null: none
    std::optional<Error> refused; ///< why there is none although the model brings one: it is of a kind not known here
};

/// tokenizer.json of a source that has its tokenizer elsewhere, for an export; empty when there is no such tokenizer or
/// none that is known here. Fails with Unsupported on a token that JSON cannot hold.
Result<std::string> tokenizerText(const ModelSource& source);

/// From tokenizer.json or from the metadata. Broken files are errors; what is only unsupported is not, since a model
/// also runs on token ids. `rows`: of the embedding, 0 when unknown.
Result<ModelTokenizer> loadTokenizer(const ModelSource& source, std::uint64_t rows);

} // namespace colibri
