// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_reader.h"

#include "tokenizer/tokenizer_frame.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/tokenizer_stages.h"
#include "tokenizer/unicode.h"

#include <algorithm>

namespace colibri {

namespace {

/// The name of a byte's token for byte_fallback.
std::string fallbackName(std::size_t byte)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

class Reader : private TokenizerJson {
public:
    Reader(const JsonValue& root, std::size_t bytes, const std::string& file, const FrameConfig& config)
        : TokenizerJson(file)
        , m_root(root)
        , m_bytes(bytes)
        , m_config(config)
    {
    }

    Result<TokenizerParts> read();

private:
    Result<void> checkModel(const JsonValue& model) const;
    Result<TokenId> highestId(const JsonValue& vocab) const;
    Result<void> readVocabulary(const JsonValue& model);
    Result<void> readAddedTokens();
    Result<void> readMerges(const JsonValue& model);
    Result<BytePairMerger::Merge> merge(std::size_t index, const JsonValue& value);
    Result<void> readSymbols(const JsonValue& model);

    const JsonValue& m_root;
    std::size_t m_bytes;
    const FrameConfig& m_config;
    TokenizerParts m_parts;
    bool m_byteLevel = false;
    std::string m_joined; ///< of the merge that is being read
    TokenId m_lastMerged = 0;
};

Result<void> Reader::checkModel(const JsonValue& model) const
{
    const JsonValue* const type = model.find("type"); // early files do not say it
    if (!model.object() || (type ? !isType(model, "BPE") : !model.find("merges")))
        return unsupported("model", model, "BPE");
    for (const char* const key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (const JsonValue* const value = model.find(key);
            value && !value->isNull() && !(value->string() && value->string()->empty()))
            return failed(Errc::Unsupported, *value,
                std::string("model.") + key + " is " + shortText(*value) + ", supported is none");
    if (const JsonValue* const value = model.find("dropout"); value && !value->isNull() && value->number() != 0.0)
        return failed(Errc::Unsupported, *value, "model.dropout is " + shortText(*value) + ", supported is none");
    return {};
}

Result<TokenId> Reader::highestId(const JsonValue& vocab) const
{
    TokenId highest = 0;
    for (const auto& [name, value] : *vocab.object()) {
        const auto field = [&name = name] { return "model.vocab[" + shortText(JsonValue{name}) + "]"; };
        const auto number = id(field, &value, vocab, m_bytes);
        if (!number)
            return number;
        highest = std::max(highest, *number);
    }
    if (const JsonValue* const added = m_root.find("added_tokens"); added && added->array())
        for (const JsonValue& token : *added->array()) {
            const auto number = id([] { return std::string("added_tokens[].id"); }, token.find("id"), token, m_bytes);
            if (!number)
                return number;
            highest = std::max(highest, *number);
        }
    return highest;
}

/// Makes the vocabulary with room for the added tokens, and takes the model's own.
Result<void> Reader::readVocabulary(const JsonValue& model)
{
    const JsonValue* const vocab = model.find("vocab");
    if (!vocab || !vocab->object() || vocab->object()->empty())
        return failed(Errc::Malformed, vocab ? *vocab : model,
            "model.vocab is " + (vocab ? shortText(*vocab) : "missing")
                + ", it must be an object that gives each token its id");
    const auto highest = highestId(*vocab);
    if (!highest)
        return highest.error();
    std::size_t nameBytes = 0;
    for (const auto& [name, value] : *vocab->object())
        nameBytes += name.size();
    const JsonValue* const added = m_root.find("added_tokens");
    const std::size_t count = vocab->object()->size() + (added && added->array() ? added->array()->size() : 0);
    m_parts.vocabulary = Vocabulary(m_byteLevel ? Spelling::ByteLevel : Spelling::Plain, *highest, count, nameBytes);
    for (const auto& [name, value] : *vocab->object())
        if (!m_parts.vocabulary.add(name, static_cast<TokenId>(*value.unsignedInteger()), Vocabulary::Kind::Base))
            return failed(Errc::Malformed, value,
                "model.vocab gives the id " + shortText(value) + " to two tokens, the second is "
                    + shortText(JsonValue{name}));
    return {};
}

Result<void> Reader::readAddedTokens()
{
    const JsonValue* const list = m_root.find("added_tokens");
    if (!list || list->isNull())
        return {};
    if (!list->array())
        return failed(Errc::Malformed, *list, "added_tokens is " + shortText(*list) + ", it must be an array");
    std::vector<AddedTokens::Token> raw;
    std::vector<AddedTokens::Token> normalized;
    for (const JsonValue& value : *list->array()) {
        const JsonValue* const content = value.find("content");
        if (!content || !content->string() || content->string()->empty())
            return failed(Errc::Malformed, content ? *content : value,
                "added_tokens[].content is " + (content ? shortText(*content) : "missing")
                    + ", it must be a text that is not empty");
        const std::string part = "added token " + shortText(*content);
        const auto number = id([&] { return part + ".id"; }, value.find("id"), value, m_bytes);
        if (!number)
            return number.error();
        const auto special = flag(value, part, "special", false);
        const auto single = flag(value, part, "single_word", false);
        const auto left = flag(value, part, "lstrip", false);
        const auto right = flag(value, part, "rstrip", false);
        const auto inNormalized = flag(value, part, "normalized", !special || !*special);
        for (const auto* const read : {&special, &single, &left, &right, &inNormalized})
            if (!*read)
                return read->error();
        if (!m_parts.vocabulary.add(
                *content->string(), *number, *special ? Vocabulary::Kind::Special : Vocabulary::Kind::Added))
            return failed(Errc::Mismatch, value,
                part + " has the id " + std::to_string(*number)
                    + ", which another token has, or which differs from its id in model.vocab");
        auto text =
            *inNormalized ? m_parts.normalizer.apply(*content->string()) : Result<std::string>(*content->string());
        if (!text)
            return failed(text.error().code, *content, part + ": " + text.error().why);
        (*inNormalized ? normalized : raw).push_back({std::move(*text), *number, *special, *single, *left, *right});
    }
    m_parts.rawAdded = AddedTokens(std::move(raw));
    m_parts.normalizedAdded = AddedTokens(std::move(normalized));
    return {};
}

/// "a b" or ["a", "b"], both and their joined form being tokens.
Result<BytePairMerger::Merge> Reader::merge(std::size_t index, const JsonValue& value)
{
    const auto field = [index] { return "model.merges[" + std::to_string(index) + "]"; };
    std::string_view left;
    std::string_view right;
    if (const std::string* const text = value.string()) {
        const std::size_t space = text->find(' ');
        left = std::string_view(*text).substr(0, space);
        right = space == text->npos ? std::string_view() : std::string_view(*text).substr(space + 1);
    } else if (const auto* const pair = value.array();
               pair && pair->size() == 2 && (*pair)[0].string() && (*pair)[1].string()) {
        left = *(*pair)[0].string();
        right = *(*pair)[1].string();
    }
    if (left.empty() || right.empty() || (value.string() && right.find(' ') != right.npos))
        return failed(
            Errc::Malformed, value, field() + " is " + shortText(value) + ", it must be \"a b\" or [\"a\", \"b\"]");
    const auto append = [&](std::string_view name) {
        return m_byteLevel ? appendByteLevel(name, m_joined) : (m_joined += name, true);
    };
    m_joined.clear();
    const bool leftSpelled = append(left);
    const std::size_t middle = m_joined.size();
    const bool rightSpelled = append(right);
    const std::string_view joined = m_joined;
    const Vocabulary& vocabulary = m_parts.vocabulary;
    const auto first = leftSpelled ? vocabulary.idOfBytes(joined.substr(0, middle)) : std::nullopt;
    const auto second = rightSpelled ? vocabulary.idOfBytes(joined.substr(middle)) : std::nullopt;
    // Most lists make the tokens in the order of their ids, some several times in a row.
    const TokenId guess = vocabulary.bytes(m_lastMerged) == joined ? m_lastMerged : m_lastMerged + 1;
    const auto both = first && second ? vocabulary.idOfBytes(joined, guess) : std::nullopt;
    if (!both)
        return failed(Errc::Mismatch, value,
            field() + " needs the token "
                + shortText(JsonValue{!first ? std::string(left)
                        : !second            ? std::string(right)
                                             : std::string(left) + std::string(right)})
                + ", which model.vocab does not have");
    m_lastMerged = *both;
    return BytePairMerger::Merge{*first, *second, *both};
}

Result<void> Reader::readMerges(const JsonValue& model)
{
    const JsonValue* const list = model.find("merges");
    if (!list || !list->array())
        return failed(Errc::Malformed, list ? *list : model,
            "model.merges is " + (list ? shortText(*list) : "missing") + ", it must be an array");
    std::vector<BytePairMerger::Merge> merges;
    merges.reserve(list->array()->size());
    for (const JsonValue& value : *list->array()) {
        const auto made = merge(merges.size(), value);
        if (!made)
            return made.error();
        merges.push_back(*made);
    }
    m_parts.model.merger = BytePairMerger(merges, m_parts.vocabulary.size());
    return {};
}

/// The tokens of single bytes, and of what is no token.
Result<void> Reader::readSymbols(const JsonValue& model)
{
    BytePairModel& to = m_parts.model;
    for (const auto& [key, into] : {std::pair("ignore_merges", &to.ignoreMerges),
             std::pair("byte_fallback", &to.byteFallback), std::pair("fuse_unk", &to.fuseUnknown)}) {
        const auto value = flag(model, "model", key, false);
        if (!value)
            return value.error();
        *into = *value;
    }
    if (m_byteLevel && to.byteFallback)
        return refuse(model, "model of byte-level BPE", "byte_fallback");
    for (std::size_t byte = 0; byte < 256 && (m_byteLevel || to.byteFallback); ++byte) {
        const std::string name = m_byteLevel ? std::string(1, static_cast<char>(byte)) : fallbackName(byte);
        const auto token = m_parts.vocabulary.idOfBytes(name);
        const bool neverInText = byte == 0xC0 || byte == 0xC1 || byte >= 0xF5; // UTF-8 has no use for them
        if (!token && !neverInText)
            return failed(Errc::Unsupported, model,
                "model.vocab has no token for the byte " + std::to_string(byte) + ", "
                    + (m_byteLevel ? "byte-level BPE" : "byte_fallback") + " needs one");
        to.byteTokens[byte] = token.value_or(0);
    }
    if (m_byteLevel || to.byteFallback)
        return {};
    const auto unknown = text(model, "model", "unk_token", 1, 1024);
    if (!unknown)
        return failed(Errc::Unsupported, model,
            "model has neither byte_fallback nor an unk_token, so that characters without a token would be lost");
    const auto token = m_parts.vocabulary.idOfName(*unknown);
    if (!token)
        return failed(Errc::Mismatch, *model.find("unk_token"),
            "model.unk_token is " + shortText(*model.find("unk_token")) + ", which is no token");
    to.unknown = *token;
    return {};
}

Result<TokenizerParts> Reader::read()
{
    const JsonValue* const model = m_root.find("model");
    if (!model)
        return failed(Errc::Malformed, m_root, "the file has no \"model\"");
    if (const auto done = checkModel(*model); !done)
        return done.error();
    auto stages = readStages(m_root, file());
    if (!stages)
        return stages.error();
    m_parts.normalizer = std::move(stages->normalizer);
    m_parts.preTokenizer = std::move(stages->preTokenizer);
    m_byteLevel = stages->byteLevel;
    for (const auto step : {&Reader::readVocabulary, &Reader::readSymbols, &Reader::readMerges})
        if (const auto done = (this->*step)(*model); !done)
            return done.error();
    if (const auto done = readAddedTokens(); !done)
        return done.error();
    auto frame = readFrame(stages->frame, m_config, m_parts.vocabulary, m_bytes, file());
    if (!frame)
        return frame.error();
    m_parts.frame = std::move(*frame);
    m_parts.texts = TokenTexts(m_parts.vocabulary, std::move(stages->texts));
    return std::move(m_parts);
}

} // namespace

Result<TokenizerParts> readTokenizer(
    const JsonValue& root, std::size_t bytes, const std::string& file, const FrameConfig& config)
{
    return Reader(root, bytes, file, config).read();
}

} // namespace colibri
