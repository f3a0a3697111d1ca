// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_reader.h"

#include "tokenizer/tokenizer_json.h"
#include "tokenizer/tokenizer_stages.h"
#include "tokenizer/unicode.h"

#include <algorithm>

namespace colibri {

namespace {

/// Ids may leave gaps, but not more than the file's own size or this justifies.
constexpr std::uint64_t freelyAllowedIds = 65'536;

class Reader : private TokenizerJson {
public:
    Reader(std::string_view json, const std::string& file)
        : TokenizerJson(file)
        , m_json(json)
        , m_file(file)
    {
    }

    Result<TokenizerParts> read();

private:
    Result<void> checkModel(const JsonValue& model) const;
    template <class Field>
    Result<TokenId> id(const Field& field, const JsonValue* value, const JsonValue& owner) const;
    Result<TokenId> highestId(const JsonValue& vocab) const;
    Result<void> readVocabulary(const JsonValue& model);
    Result<void> readAddedTokens();
    Result<void> readMerges(const JsonValue& model);
    Result<BytePairMerger::Merge> merge(std::size_t index, const JsonValue& value) const;

    std::string_view m_json;
    const std::string& m_file;
    JsonValue m_root;
    TokenizerParts m_parts;
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
    return refuse(model, "model", "byte_fallback");
}

/// An id in `owner`, small enough for the file. `field` makes its name for an error.
template <class Field>
Result<TokenId> Reader::id(const Field& field, const JsonValue* value, const JsonValue& owner) const
{
    const std::uint64_t limit = std::max<std::uint64_t>(freelyAllowedIds, m_json.size());
    const auto number = value ? value->unsignedInteger() : std::nullopt;
    if (!number || *number >= std::min<std::uint64_t>(limit, UINT32_MAX))
        return failed(Errc::Malformed, value ? *value : owner,
            field() + " is " + (value ? shortText(*value) : "missing") + ", it must be an integer below "
                + std::to_string(limit) + " in a file of this size");
    return static_cast<TokenId>(*number);
}

Result<TokenId> Reader::highestId(const JsonValue& vocab) const
{
    TokenId highest = 0;
    for (const auto& [name, value] : *vocab.object()) {
        const auto field = [&name = name] { return "model.vocab[" + shortText(JsonValue{name}) + "]"; };
        const auto number = id(field, &value, vocab);
        if (!number)
            return number;
        highest = std::max(highest, *number);
    }
    if (const JsonValue* const added = m_root.find("added_tokens"); added && added->array())
        for (const JsonValue& token : *added->array()) {
            const auto number = id([] { return std::string("added_tokens[].id"); }, token.find("id"), token);
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
    m_parts.vocabulary = Vocabulary(*highest, m_json.size());
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
        const auto number = id([&] { return part + ".id"; }, value.find("id"), value);
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
        auto text = *inNormalized && m_parts.nfc ? toNfc(*content->string()) : Result<std::string>(*content->string());
        if (!text)
            return failed(text.error().code, *content, part + ": " + text.error().why);
        (*inNormalized ? normalized : raw).push_back({std::move(*text), *number, *single, *left, *right});
    }
    m_parts.rawAdded = AddedTokens(std::move(raw));
    m_parts.normalizedAdded = AddedTokens(std::move(normalized));
    return {};
}

/// "a b" or ["a", "b"], both and their joined form being tokens.
Result<BytePairMerger::Merge> Reader::merge(std::size_t index, const JsonValue& value) const
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
    if (left.empty() || right.empty() || right.find(' ') != right.npos)
        return failed(
            Errc::Malformed, value, field() + " is " + shortText(value) + ", it must be \"a b\" or [\"a\", \"b\"]");
    std::optional<TokenId> ids[3];
    const std::string names[3] = {std::string(left), std::string(right), std::string(left) + std::string(right)};
    for (int i = 0; i < 3; ++i) {
        const auto bytes = bytesOfByteLevel(names[i]);
        ids[i] = bytes ? m_parts.vocabulary.idOfBytes(*bytes) : std::nullopt;
        if (!ids[i])
            return failed(Errc::Mismatch, value,
                field() + " needs the token " + shortText(JsonValue{names[i]}) + ", which model.vocab does not have");
    }
    return BytePairMerger::Merge{*ids[0], *ids[1], *ids[2]};
}

Result<void> Reader::readMerges(const JsonValue& model)
{
    std::array<TokenId, 256> byteTokens{};
    for (std::size_t byte = 0; byte < byteTokens.size(); ++byte) {
        const char text = static_cast<char>(byte);
        const auto token = m_parts.vocabulary.idOfBytes({&text, 1});
        const bool neverInText = byte == 0xC0 || byte == 0xC1 || byte >= 0xF5; // UTF-8 has no use for them
        if (!token && !neverInText)
            return failed(Errc::Unsupported, model,
                "model.vocab has no token for the byte " + std::to_string(byte) + ", byte-level BPE needs one");
        byteTokens[byte] = token.value_or(0);
    }
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
    m_parts.merger = BytePairMerger(byteTokens, merges, m_parts.vocabulary.size());
    return {};
}

Result<TokenizerParts> Reader::read()
{
    auto root = parseJson(m_json, m_file);
    if (!root)
        return root.error();
    m_root = std::move(*root);
    const JsonValue* const model = m_root.find("model");
    if (!model)
        return failed(Errc::Malformed, m_root, "the file has no \"model\"");
    const auto ignoreMerges = flag(*model, "model", "ignore_merges", false);
    if (!ignoreMerges)
        return ignoreMerges.error();
    m_parts.ignoreMerges = *ignoreMerges;
    if (const auto done = checkModel(*model); !done)
        return done.error();
    auto stages = readStages(m_root, m_file);
    if (!stages)
        return stages.error();
    m_parts.nfc = stages->nfc;
    m_parts.patterns = std::move(stages->patterns);
    if (const auto done = readVocabulary(*model); !done)
        return done.error();
    if (const auto done = readAddedTokens(); !done)
        return done.error();
    if (const auto done = readMerges(*model); !done)
        return done.error();
    return std::move(m_parts);
}

} // namespace

Result<TokenizerParts> readTokenizer(std::string_view json, const std::string& file)
{
    return Reader(json, file).read();
}

} // namespace colibri
