// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/gguf_tokenizer.h"

#include "tokenizer/utf8.h"
#include "tokenizer/word_patterns.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <unordered_map>

namespace colibri {

namespace {

constexpr std::size_t maxPieceBytes = 256; ///< a longer piece would be split in too many places
constexpr std::string_view space = "\xE2\x96\x81"; ///< U+2581, which pieces have for it

using Object = JsonValue::Object;
using Array = JsonValue::Array;

JsonValue valueOf(JsonValue::Data data)
{
    JsonValue value;
    value.data = std::move(data);
    return value;
}

JsonValue textOf(std::string_view text)
{
    return valueOf(std::string(text));
}

JsonValue object(std::initializer_list<std::pair<std::string_view, JsonValue>> members)
{
    Object made;
    for (const auto& [key, value] : members)
        made.push_back({std::string(key), value});
    return valueOf(std::move(made));
}

JsonValue stage(std::string_view type, std::initializer_list<std::pair<std::string_view, JsonValue>> members = {})
{
    JsonValue made = object(members);
    std::get<Object>(made.data).push_back({"type", textOf(type)});
    return made;
}

JsonValue sequence(std::string_view listKey, Array stages)
{
    return stage("Sequence", {{listKey, valueOf(std::move(stages))}});
}

class Writer {
public:
    explicit Writer(const GgufTokenizer& from)
        : m_from(from)
        , m_characters(from.model == "llama")
    {
    }

    Result<TokenizerDocuments> write();

private:
    Error failed(Errc code, const std::string& key, std::string why) const;
    Result<void> check();
    GgufTokenType type(std::size_t id) const;
    Result<Array> merges() const;
    Result<Array> mergesByScore() const;
    std::vector<std::uint32_t> byFallingScore() const;
    void writeTokens();
    void writeWords();
    void writeCharacters();
    Result<JsonValue> config() const;

    const GgufTokenizer& m_from;
    bool m_characters;
    const WordSplitting* m_words = nullptr;
    Object m_root;
    Object m_model;
};

Error Writer::failed(Errc code, const std::string& key, std::string why) const
{
    return {code, "read the tokenizer", m_from.file, m_from.offset, "tokenizer.ggml." + key + " " + std::move(why)};
}

GgufTokenType Writer::type(std::size_t id) const
{
    return m_from.types.empty() ? GgufTokenType::Normal : static_cast<GgufTokenType>(m_from.types[id]);
}

Result<void> Writer::check()
{
    const std::size_t count = m_from.tokens.size();
    if (!m_characters && m_from.model != "gpt2")
        return failed(Errc::Unsupported, "model",
            "is " + shortText(textOf(m_from.model)) + ", supported are \"gpt2\" and \"llama\"");
    if (!count || count >= UINT32_MAX)
        return failed(Errc::Malformed, "tokens", "has " + std::to_string(count) + " elements");
    if (!m_from.types.empty() && m_from.types.size() != count)
        return failed(Errc::Mismatch, "token_type",
            "has " + std::to_string(m_from.types.size()) + " elements, tokens " + std::to_string(count));
    if (m_characters && m_from.scores.size() != count)
        return failed(Errc::Mismatch, "scores",
            "has " + std::to_string(m_from.scores.size()) + " elements, tokens " + std::to_string(count));
    m_words = m_characters ? nullptr : findWordSplitting(m_from.pre);
    if (!m_characters && !m_words)
        return failed(Errc::Unsupported, "pre",
            "is " + shortText(textOf(m_from.pre)) + ", a way of splitting into words that is not known here");
    for (std::size_t id = 0; id < count; ++id)
        if (const std::string_view token = m_from.tokens[id]; findIllFormedUtf8(token) != token.npos)
            return failed(Errc::Malformed, "tokens[" + std::to_string(id) + "]", "is no UTF-8");
    for (std::size_t id = 0; id < m_from.types.size(); ++id)
        if (m_from.types[id] < 1 || m_from.types[id] > 6)
            return failed(Errc::Malformed, "token_type[" + std::to_string(id) + "]",
                "is " + std::to_string(m_from.types[id]) + ", it must be 1 to 6");
    return {};
}

/// Special and user-defined tokens are found in the text itself; the model does not make them from other text.
void Writer::writeTokens()
{
    Object vocabulary;
    Array added;
    for (std::size_t id = 0; id < m_from.tokens.size(); ++id) {
        const GgufTokenType kind = type(id);
        const std::string_view name = m_from.tokens[id];
        JsonValue number = valueOf(static_cast<std::int64_t>(id));
        number.offset = m_from.offset;
        const bool special = kind == GgufTokenType::Control || kind == GgufTokenType::Unknown;
        if (special || kind == GgufTokenType::UserDefined) {
            if (!name.empty())
                added.push_back(object({{"id", number}, {"content", textOf(name)}, {"special", valueOf(special)},
                    {"normalized", valueOf(false)}}));
        } else if (m_characters || kind != GgufTokenType::Unused) // fillers of rows that have no token
            vocabulary.push_back({std::string(name), std::move(number)});
    }
    m_model.push_back({"vocab", valueOf(std::move(vocabulary))});
    m_root.push_back({"added_tokens", valueOf(std::move(added))});
}

Result<Array> Writer::merges() const
{
    Array made;
    made.reserve(m_from.merges.size());
    for (const std::string_view merge : m_from.merges) {
        if (findIllFormedUtf8(merge) != merge.npos)
            return failed(Errc::Malformed, "merges[" + std::to_string(made.size()) + "]", "is no UTF-8");
        made.push_back(textOf(merge));
        made.back().offset = m_from.offset;
    }
    return made;
}

std::vector<std::uint32_t> Writer::byFallingScore() const
{
    std::vector<std::uint32_t> order(m_from.tokens.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto score = [&](std::uint32_t id) { return std::isnan(m_from.scores[id]) ? -INFINITY : m_from.scores[id]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return score(a) > score(b); });
    return order;
}

/// Merges as Hugging Face's converter of SentencePiece files makes them: for each piece, by falling score, every split
/// into two pieces, these by id.
Result<Array> Writer::mergesByScore() const
{
    std::unordered_map<std::string_view, std::uint32_t> ids;
    for (std::uint32_t id = 0; id < m_from.tokens.size(); ++id)
        if (type(id) == GgufTokenType::Normal || type(id) == GgufTokenType::Unused)
            ids.emplace(m_from.tokens[id], id);
    const std::size_t most = 8 * m_from.tokens.size() + 65'536;
    Array made;
    for (const std::uint32_t id : byFallingScore()) {
        const std::string_view piece = m_from.tokens[id];
        const auto known = ids.find(piece);
        if (known == ids.end() || known->second != id || piece.size() > maxPieceBytes)
            continue;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> splits;
        for (std::size_t at = 1; at < piece.size(); ++at) {
            const auto left = ids.find(piece.substr(0, at));
            const auto right = left == ids.end() ? ids.end() : ids.find(piece.substr(at));
            if (right != ids.end())
                splits.emplace_back(left->second, right->second);
        }
        std::sort(splits.begin(), splits.end());
        if (made.size() + splits.size() > most)
            return failed(Errc::Unsupported, "tokens", "can be joined in more than " + std::to_string(most) + " ways");
        for (const auto& [left, right] : splits)
            made.push_back(valueOf(Array{textOf(m_from.tokens[left]), textOf(m_from.tokens[right])}));
    }
    return made;
}

/// What stands around the model of byte-level BPE.
void Writer::writeWords()
{
    Array steps;
    for (const std::string_view pattern : m_words->patterns)
        if (!pattern.empty())
            steps.push_back(stage("Split",
                {{"pattern", object({{"Regex", textOf(pattern)}})}, {"behavior", textOf("Isolated")},
                    {"invert", valueOf(false)}}));
    if (m_words->individualDigits)
        steps.push_back(stage("Digits", {{"individual_digits", valueOf(true)}}));
    const auto bytes =
        stage("ByteLevel", {{"add_prefix_space", valueOf(false)}, {"use_regex", valueOf(m_words->wordsOfGpt2)}});
    steps.push_back(bytes);
    if (m_words->nfc)
        m_root.push_back({"normalizer", stage("NFC")});
    m_root.push_back({"pre_tokenizer", sequence("pretokenizers", std::move(steps))});
    m_root.push_back({"decoder", bytes});
    m_model.push_back({"ignore_merges", valueOf(m_words->ignoreMerges)});
}

/// What stands around the model of BPE over characters.
void Writer::writeCharacters()
{
    const bool prefix = m_from.addSpacePrefix.value_or(true);
    Array normalizers;
    if (prefix)
        normalizers.push_back(stage("Prepend", {{"prepend", textOf(space)}}));
    normalizers.push_back(
        stage("Replace", {{"pattern", object({{"String", textOf(" ")}})}, {"content", textOf(space)}}));
    Array decoders{stage("Replace", {{"pattern", object({{"String", textOf(space)}})}, {"content", textOf(" ")}}),
        stage("ByteFallback"), stage("Fuse")};
    if (prefix)
        decoders.push_back(stage("Strip",
            {{"content", textOf(" ")}, {"start", valueOf(std::int64_t{1})}, {"stop", valueOf(std::int64_t{0})}}));
    m_root.push_back({"normalizer", sequence("normalizers", std::move(normalizers))});
    m_root.push_back({"decoder", sequence("decoders", std::move(decoders))});
    m_model.push_back({"byte_fallback", valueOf(true)});
    m_model.push_back({"fuse_unk", valueOf(true)});
}

/// Who adds which id; what is not stated is as llama.cpp and the files of these families have it.
Result<JsonValue> Writer::config() const
{
    Object made;
    const auto add = [&](const char* flag, const char* name, std::optional<bool> stated, bool otherwise,
                         std::optional<std::uint64_t> id, const char* key) -> Result<void> {
        if (id && *id >= m_from.tokens.size())
            return failed(Errc::OutOfRange, key,
                "is " + std::to_string(*id) + ", there are " + std::to_string(m_from.tokens.size()) + " tokens");
        if (!id && stated.value_or(false))
            return failed(Errc::Mismatch, key, "is missing, but the file says that it is added to texts");
        made.push_back({flag, valueOf(id && stated.value_or(otherwise))});
        if (id)
            made.push_back({name, textOf(m_from.tokens[*id])});
        return {};
    };
    const bool begins = m_characters || m_words->addBegin;
    if (const auto done =
            add("add_bos_token", "bos_token", m_from.addBeginOfText, begins, m_from.beginOfText, "bos_token_id");
        !done)
        return done.error();
    if (const auto done =
            add("add_eos_token", "eos_token", m_from.addEndOfText, false, m_from.endOfText, "eos_token_id");
        !done)
        return done.error();
    return valueOf(std::move(made));
}

Result<TokenizerDocuments> Writer::write()
{
    if (const auto done = check(); !done)
        return done.error();
    auto list = m_characters ? mergesByScore() : merges();
    if (!list)
        return list.error();
    auto frame = config();
    if (!frame)
        return frame.error();
    m_model.push_back({"type", textOf("BPE")});
    writeTokens();
    m_model.push_back({"merges", valueOf(std::move(*list))});
    m_characters ? writeCharacters() : writeWords();
    m_root.push_back({"model", valueOf(std::move(m_model))});
    m_root.back().value.offset = m_from.offset;
    TokenizerDocuments made{valueOf(std::move(m_root)), std::move(*frame)};
    made.tokenizer.offset = m_from.offset;
    return made;
}

} // namespace

Result<TokenizerDocuments> tokenizerDocuments(const GgufTokenizer& from)
{
    return Writer(from).write();
}

} // namespace colibri
