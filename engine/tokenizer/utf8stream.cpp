// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/utf8stream.h"

#include "tokenizer/utf8.h"

#include <algorithm>

namespace colibri {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

} // namespace

std::string_view Utf8Stream::push(std::string_view bytes)
{
    m_text.clear();
    for (const char byte : bytes) {
        m_pending[m_pendingSize++] = byte;
        settle();
    }
    return m_text;
}

std::string_view Utf8Stream::finish()
{
    m_text.assign(m_pendingSize ? replacement : std::string_view());
    m_pendingSize = 0;
    return m_text;
}

/// Moves what is decided from the pending bytes to the text.
void Utf8Stream::settle()
{
    while (m_pendingSize > 0) {
        const Utf8Step step = utf8Step(pending());
        if (step.kind == Utf8Step::Incomplete)
            return;
        m_text += step.kind == Utf8Step::Character ? pending().substr(0, step.size) : replacement;
        std::copy(m_pending.begin() + step.size, m_pending.begin() + m_pendingSize, m_pending.begin());
        m_pendingSize -= step.size;
    }
}

} // namespace colibri
