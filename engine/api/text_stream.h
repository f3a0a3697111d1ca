// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"
#include "tokenizer/utf8stream.h"

namespace colibri {

/// Makes text of token ids as they come; a character that is split over tokens appears with its last one. All texts of a
/// run, joined, are what Model::detokenize gives for its ids: special tokens are left out. One owner; the model outlives it.
class TextStream {
public:
    explicit TextStream(const Model& model)
        : m_model(model)
    {
    }

    /// Takes the next id. Returns the characters that it completes, valid until the next call.
    std::string_view push(TokenId id)
    {
        return m_model.isSpecialToken(id) ? std::string_view() : m_utf8.push(m_model.tokenBytes(id));
    }
    /// The run ends: an incomplete character becomes U+FFFD. The stream is then as new.
    std::string_view finish() { return m_utf8.finish(); }

private:
    const Model& m_model;
    Utf8Stream m_utf8;
};

} // namespace colibri
