// SPDX-License-Identifier: Apache-2.0
#include "api/text_stream.h"

#include "tokenizer/utf8stream.h"

namespace colibri {

TextStream::TextStream(const Model& model)
    : m_model(model)
    , m_utf8(std::make_unique<Utf8Stream>())
{
}

TextStream::~TextStream() = default;

std::string_view TextStream::push(TokenId id)
{
    return m_model.isSpecialToken(id) ? std::string_view() : m_utf8->push(m_model.tokenBytes(id));
}

std::string_view TextStream::finish()
{
    return m_utf8->finish();
}

} // namespace colibri
