// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace colibri {

/// Makes text of bytes that come in pieces which may split characters. A value; one owner.
/// The texts of all calls to push() and finish(), joined, are the whole run's text with U+FFFD for each maximal
/// ill-formed part, wherever it was split.
class Utf8Stream {
public:
    /// push() allocates nothing for pieces of up to `pieceBytes`.
    explicit Utf8Stream(std::size_t pieceBytes = 512) { m_text.reserve(3 * (pieceBytes + maxPending)); }

    /// Takes the next bytes. Returns the characters that they complete, valid until the next call.
    std::string_view push(std::string_view bytes);
    /// The run ends: a pending part becomes U+FFFD. The stream is then as new.
    std::string_view finish();
    /// Bytes that began a character which is not complete yet, at most three.
    std::string_view pending() const { return {m_pending.data(), m_pendingSize}; }

private:
    static constexpr std::size_t maxPending = 4;

    void settle();

    std::array<char, maxPending> m_pending{};
    std::size_t m_pendingSize = 0;
    std::string m_text;
};

} // namespace colibri
