// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_frame.h"

#include "tokenizer/tokenizer_json.h"

#include <algorithm>
#include <iterator>

namespace colibri {

namespace {

/// Classes of transformers that build the post_processor anew from add_bos_token and add_eos_token.
constexpr std::string_view rewritingClasses[] = {"LlamaTokenizer", "LlamaTokenizerFast", "CodeLlamaTokenizer",
    "CodeLlamaTokenizerFast", "GemmaTokenizer", "GemmaTokenizerFast", "CohereTokenizer", "CohereTokenizerFast"};

class FrameReader : private TokenizerJson {
public:
    FrameReader(const FrameConfig& config, const Vocabulary& vocabulary, std::size_t bytes, const std::string& file)
        : TokenizerJson(file)
        , m_config(config)
        , m_vocabulary(vocabulary)
        , m_bytes(bytes)
    {
    }

    Result<void> read(const JsonValue* frame);
    TextFrame take() { return std::move(m_result); }

private:
    Result<std::vector<TokenId>> specialIds(const JsonValue& frame, const JsonValue& piece) const;
    void applyConfig(std::optional<bool> add, const std::string& name, std::vector<TokenId>& ids);

    const FrameConfig& m_config;
    const Vocabulary& m_vocabulary;
    std::size_t m_bytes;
    TextFrame m_result;
};

/// What a {"SpecialToken": {"id": name}} of a template puts into the text: its ids stand in "special_tokens".
Result<std::vector<TokenId>> FrameReader::specialIds(const JsonValue& frame, const JsonValue& piece) const
{
    const JsonValue* const name = piece.find("id");
    const JsonValue* const all = frame.find("special_tokens");
    const JsonValue* const special = name && name->string() && all ? all->find(*name->string()) : nullptr;
    const JsonValue* const list = special ? special->find("ids") : nullptr;
    if (!list || !list->array() || list->array()->size() > 16)
        return failed(Errc::Malformed, piece,
            "post_processor TemplateProcessing.special_tokens has no ids, or more than 16, for "
                + (name ? shortText(*name) : "a token without id"));
    std::vector<TokenId> ids;
    for (const JsonValue& value : *list->array()) {
        const auto number = id([] { return std::string("post_processor TemplateProcessing.special_tokens[].ids[]"); },
            &value, piece, m_bytes);
        if (!number)
            return number.error();
        if (!m_vocabulary.contains(*number))
            return failed(Errc::Mismatch, value,
                "post_processor TemplateProcessing.special_tokens[].ids[] is " + shortText(value)
                    + ", which is no token");
        ids.push_back(*number);
    }
    return ids;
}

Result<void> FrameReader::read(const JsonValue* frame)
{
    const JsonValue* const single = frame ? frame->find("single") : nullptr;
    if (frame && (!single || !single->array() || single->array()->size() > 16))
        return failed(Errc::Malformed, single ? *single : *frame,
            "post_processor TemplateProcessing.single must be an array of at most 16");
    int texts = 0;
    for (std::size_t i = 0; single && i < single->array()->size(); ++i) {
        const JsonValue& piece = (*single->array())[i];
        const JsonValue* const special = piece.find("SpecialToken");
        texts += piece.find("Sequence") ? 1 : 0;
        if (!special)
            continue;
        const auto ids = specialIds(*frame, *special);
        if (!ids)
            return ids.error();
        auto& into = texts ? m_result.end : m_result.begin;
        into.insert(into.end(), ids->begin(), ids->end());
    }
    if (single && texts != 1)
        return failed(Errc::Unsupported, *single,
            "post_processor TemplateProcessing.single has the text " + std::to_string(texts)
                + " times, it must be once");
    m_result.stated = frame || m_config.addBegin || m_config.addEnd;
    applyConfig(m_config.addBegin, m_config.beginToken, m_result.begin);
    applyConfig(m_config.addEnd, m_config.endToken, m_result.end);
    return {};
}

/// A switch that is on adds its token where the template does not; one that is off takes it away where it may.
void FrameReader::applyConfig(std::optional<bool> add, const std::string& name, std::vector<TokenId>& ids)
{
    const auto token = add ? m_vocabulary.idOfName(name) : std::nullopt;
    if (!token) {
        m_result.stated = m_result.stated && !add.value_or(false); // which token, others have to say
        return;
    }
    const auto at = std::find(ids.begin(), ids.end(), *token);
    if (*add && at == ids.end())
        ids.insert(&ids == &m_result.begin ? ids.begin() : ids.end(), *token);
    else if (!*add && m_config.rewrites && at != ids.end())
        ids.erase(at);
}

} // namespace

FrameConfig frameConfigOf(const JsonValue& tokenizerConfig)
{
    FrameConfig config;
    const auto flag = [&](const char* key) {
        const JsonValue* const value = tokenizerConfig.find(key);
        const bool* const on = value ? value->boolean() : nullptr;
        return on ? std::optional(*on) : std::nullopt;
    };
    const auto name = [&](const char* key) { // a text, or an object like those of added_tokens
        const JsonValue* value = tokenizerConfig.find(key);
        if (const JsonValue* const content = value ? value->find("content") : nullptr)
            value = content;
        return value && value->string() ? *value->string() : std::string();
    };
    config.addBegin = flag("add_bos_token");
    config.addEnd = flag("add_eos_token");
    config.beginToken = name("bos_token");
    config.endToken = name("eos_token");
    const std::string type = name("tokenizer_class");
    config.rewrites =
        std::find(std::begin(rewritingClasses), std::end(rewritingClasses), type) != std::end(rewritingClasses);
    return config;
}

Result<TextFrame> readFrame(const JsonValue* frame, const FrameConfig& config, const Vocabulary& vocabulary,
    std::size_t bytes, const std::string& file)
{
    FrameReader reader(config, vocabulary, bytes, file);
    if (auto done = reader.read(frame); !done)
        return done.error();
    return reader.take();
}

} // namespace colibri
