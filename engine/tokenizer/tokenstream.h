// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/tokentexts.h"
#include "tokenizer/utf8stream.h"

#include <string>
#include <string_view>

namespace colibri {

/// Makes text of tokens as they come. The texts of all calls to push() and finish(), joined, are the whole run's text,
/// wherever characters were split. One owner; the texts outlive it.
/// A run of bytes by fallback appears when a token of another kind ends it, or at once when it is no UTF-8 any more:
/// before that it is not known whether its characters stand.
class TokenStream {
public:
    /// `specials`: special tokens add their names; else nothing.
    explicit TokenStream(const TokenTexts& texts, bool specials = false);

    /// Takes the next token. Returns the characters that are certain with it, valid until the next call.
    std::string_view push(TokenId id);
    /// The run ends: an unfinished character becomes U+FFFD. The stream is then as new.
    std::string_view finish();

private:
    void pushByte(char byte);
    void endRun();
    void put(std::string_view text);

    const TokenTexts& m_texts;
    bool m_specials;
    Utf8Stream m_utf8;
    std::string m_out;
    std::string m_run; ///< bytes by fallback that are UTF-8 so far, the last character perhaps unfinished
    std::size_t m_runChecked = 0; ///< bytes at its start that are whole characters
    bool m_runBroken = false; ///< the run is no UTF-8: its bytes have become U+FFFD
    bool m_first = true;
    std::uint32_t m_stripped = 0; ///< characters taken from the front; all that are allowed once another has come
};

} // namespace colibri
