// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

#include <memory>
#include <string_view>

namespace colibri {

class TokenStream;

/// Makes text of token ids as they come; a character that is split over tokens appears with its last one. All texts of
/// a run, joined, are what Model::detokenize gives for its ids: special tokens are left out. One owner; the model
/// outlives it.
class TextStream {
public:
    explicit TextStream(const Model& model);
    ~TextStream();

    /// Takes the next id. Returns the characters that it completes, valid until the next call.
    std::string_view push(TokenId id);
    /// The run ends: an incomplete character becomes U+FFFD. The stream is then as new.
    std::string_view finish();

private:
    std::unique_ptr<TokenStream> m_stream; ///< null: the model has no tokenizer, and all texts are empty
};

} // namespace colibri
