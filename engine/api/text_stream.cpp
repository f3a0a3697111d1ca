// SPDX-License-Identifier: Apache-2.0
#include "api/text_stream.h"

#include "api/model_impl.h"
#include "tokenizer/tokenstream.h"

namespace colibri {

TextStream::TextStream(const Model& model)
{
    if (const auto& tokenizer = model.impl().tokenizer)
        m_stream = std::make_unique<TokenStream>(tokenizer->texts());
}

TextStream::~TextStream() = default;

std::string_view TextStream::push(TokenId id)
{
    return m_stream ? m_stream->push(id) : std::string_view();
}

std::string_view TextStream::finish()
{
    return m_stream ? m_stream->finish() : std::string_view();
}

} // namespace colibri
