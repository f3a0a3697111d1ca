// SPDX-License-Identifier: Apache-2.0
#include "api/model_tokenizer.h"

#include "format/json_text.h"
#include "memory/mapped_file.h"
#include "tokenizer/utf8.h"

#include <algorithm>

namespace colibri {

namespace {

constexpr std::string_view prefix = "tokenizer.ggml.";

/// The keys of one tokenizer, read into the value that the tokenizer is made from.
class Metadata {
public:
    Metadata(std::span<const GgufEntry> entries, const std::string& file)
        : m_entries(entries)
        , m_file(file)
    {
    }

    Result<std::optional<GgufTokenizer>> read();

private:
    const GgufValue* find(std::string_view key) const;
    Error wrong(std::string_view key, const GgufValue& value, std::string_view wanted) const;
    template <class Value, class Get>
    Result<void> single(std::string_view key, std::string_view wanted, Value& into, Get get) const;
    template <class Value, class Get>
    Result<void> list(std::string_view key, std::string_view wanted, std::vector<Value>& into, Get get) const;

    std::span<const GgufEntry> m_entries;
    const std::string& m_file;
};

const GgufValue* Metadata::find(std::string_view key) const
{
    const auto is = [&](const GgufEntry& entry) {
        return entry.key.starts_with(prefix) && entry.key.substr(prefix.size()) == key;
    };
    const auto at = std::find_if(m_entries.begin(), m_entries.end(), is);
    return at == m_entries.end() ? nullptr : &at->value;
}

Error Metadata::wrong(std::string_view key, const GgufValue& value, std::string_view wanted) const
{
    return {Errc::Malformed, "read the tokenizer", m_file, value.offset,
        std::string(prefix) + std::string(key) + " is " + describe(value, 60) + ", it must be " + std::string(wanted)};
}

template <class Value, class Get>
Result<void> Metadata::single(std::string_view key, std::string_view wanted, Value& into, Get get) const
{
    const GgufValue* const value = find(key);
    if (!value)
        return {};
    const auto found = get(*value);
    if (!found)
        return wrong(key, *value, wanted);
    into = *found;
    return {};
}

template <class Value, class Get>
Result<void> Metadata::list(std::string_view key, std::string_view wanted, std::vector<Value>& into, Get get) const
{
    const GgufValue* const value = find(key);
    if (!value)
        return {};
    if (value->type != GgufType::Array)
        return wrong(key, *value, wanted);
    into.reserve(static_cast<std::size_t>(value->count)); // an element takes a byte or more of the file
    GgufElements elements(*value);
    while (const auto element = elements.next()) {
        const auto found = get(*element);
        if (!found)
            return wrong(key, *value, wanted);
        into.push_back(static_cast<Value>(*found));
    }
    return {};
}

Result<std::optional<GgufTokenizer>> Metadata::read()
{
    const GgufValue* const tokens = find("tokens");
    if (!tokens)
        return std::optional<GgufTokenizer>();
    const auto text = [](const GgufValue& value) { return value.string(); };
    const auto flag = [](const GgufValue& value) { return value.boolean(); };
    const auto id = [](const GgufValue& value) { return value.unsignedInteger(); };
    const auto type = [](const GgufValue& value) {
        const auto number = value.signedInteger();
        return number == static_cast<std::int32_t>(number.value_or(0)) ? number : std::nullopt;
    };
    const auto real = [](const GgufValue& value) { return value.number(); };
    GgufTokenizer made;
    made.file = m_file;
    made.offset = tokens->offset;
    const Result<void> all[] = {single("model", "a text", made.model, text), single("pre", "a text", made.pre, text),
        list("tokens", "an array of texts", made.tokens, text),
        list("token_type", "an array of integers", made.types, type),
        list("scores", "an array of numbers", made.scores, real),
        list("merges", "an array of texts", made.merges, text), single("bos_token_id", "an id", made.beginOfText, id),
        single("eos_token_id", "an id", made.endOfText, id),
        single("add_bos_token", "a boolean", made.addBeginOfText, flag),
        single("add_eos_token", "a boolean", made.addEndOfText, flag),
        single("add_space_prefix", "a boolean", made.addSpacePrefix, flag)};
    for (const Result<void>& done : all)
        if (!done)
            return done.error();
    return std::optional(std::move(made));
}

std::string metadataFile(const ModelSource& source)
{
    return source.files.empty() ? source.path : source.files.front()->path();
}

Result<std::shared_ptr<const Tokenizer>> makeTokenizer(const ModelSource& source)
{
    if (!source.tokenizerFile.empty())
        return Tokenizer::load(source.tokenizerFile, source.tokenizerConfig ? &*source.tokenizerConfig : nullptr);
    const std::string file = metadataFile(source);
    const auto said = ggufTokenizerOf(source.metadata, file);
    if (!said)
        return said.error();
    if (!*said)
        return std::shared_ptr<const Tokenizer>();
    const auto documents = tokenizerDocuments(**said);
    if (!documents)
        return documents.error();
    return Tokenizer::make(documents->tokenizer, (*said)->tokens.size(), file, &documents->config);
}

} // namespace

Result<std::optional<GgufTokenizer>> ggufTokenizerOf(std::span<const GgufEntry> metadata, const std::string& file)
{
    return Metadata(metadata, file).read();
}

Result<std::string> tokenizerText(const ModelSource& source)
{
    if (!source.tokenizerFile.empty())
        return std::string();
    const std::string file = metadataFile(source);
    const auto said = ggufTokenizerOf(source.metadata, file);
    if (!said)
        return said.error();
    if (!*said)
        return std::string();
    const auto& tokens = (*said)->tokens;
    for (std::size_t id = 0; id < tokens.size(); ++id)
        if (findIllFormedUtf8(tokens[id]) != std::string_view::npos)
            return Error{Errc::Unsupported, "export the tokenizer", file, (*said)->offset,
                "token " + std::to_string(id) + " is no UTF-8, which a tokenizer.json cannot hold"};
    const auto documents = tokenizerDocuments(**said);
    if (!documents && documents.error().code == Errc::Unsupported)
        return std::string();
    if (!documents)
        return documents.error();
    return jsonText(documents->tokenizer);
}

Result<ModelTokenizer> loadTokenizer(const ModelSource& source, std::uint64_t rows)
{
    auto tokenizer = makeTokenizer(source);
    if (!tokenizer && tokenizer.error().code == Errc::Unsupported)
        return ModelTokenizer{nullptr, std::move(tokenizer.error())};
    if (!tokenizer)
        return tokenizer.error();
    if (*tokenizer && rows && (*tokenizer)->vocabularySize() > rows)
        return Error{Errc::Mismatch, "read the tokenizer",
            source.tokenizerFile.empty() ? source.path : source.tokenizerFile, std::nullopt,
            "its highest id is " + std::to_string((*tokenizer)->vocabularySize() - 1) + ", the embedding has "
                + std::to_string(rows) + " rows"};
    return ModelTokenizer{std::move(*tokenizer), std::nullopt};
}

} // namespace colibri
