// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/pretokenizer.h"
#include "tokenizer/tokenizer_json.h"

#include <algorithm>
#include <iterator>

namespace colibri {

/// One of the texts that a field of a stage may hold, and what it means here.
template <class Value>
struct StageWord {
    std::string_view name; ///< the text in the file
    Value value;
};

/// The value of the row whose name this text is; null: there is none.
template <class Table>
auto findStageWord(const Table& table, const JsonValue* value)
{
    const std::string* const name = value ? value->string() : nullptr;
    const auto at =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return name && row.name == *name; });
    return at == table.end() ? nullptr : &at->value;
}

/// A type of stage that a reader knows.
template <class Reader>
struct StageType {
    std::string_view name; ///< what "type" says in the file
    Result<void> (Reader::*read)(const JsonValue& stage);
    /// Looks, before the stage is read, whether it may follow those before it; null: it may follow any.
    Result<void> (Reader::*check)(const JsonValue& stage) const = nullptr;
};

/// What the readers of stages share. Keeps root and file by reference.
class StageReader : protected TokenizerJson {
public:
    StageReader(const JsonValue& root, const std::string& file)
        : TokenizerJson(file)
        , m_root(root)
    {
    }

protected:
    const JsonValue& root() const { return m_root; }

    /// Hands each stage of a part to the reader of its type.
    template <class Reader, std::size_t N>
    Result<void> readEach(Reader& reader, const char* part, const char* listKey, const StageType<Reader> (&types)[N])
    {
        const auto found = stages(m_root, part, listKey);
        if (!found)
            return found.error();
        for (const JsonValue* const stage : *found) {
            const auto type = std::ranges::find_if(types, [&](const auto& row) { return isType(*stage, row.name); });
            if (type == std::end(types)) {
                std::string names;
                for (const auto& row : types)
                    names += (names.empty() ? "" : ", ") + std::string(row.name);
                return unsupported(part, *stage, names);
            }
            if (type->check)
                if (auto fine = (reader.*type->check)(*stage); !fine)
                    return fine;
            if (auto done = (reader.*type->read)(*stage); !done)
                return done;
        }
        return {};
    }

    /// A stage Metaspace, but for what only its part has.
    Result<PreTokenizer::Metaspace> metaspace(const JsonValue& stage, const std::string& part) const;

private:
    Result<PreTokenizer::Prepend> prependScheme(const JsonValue& stage, const std::string& part) const;

    const JsonValue& m_root;
};

} // namespace colibri
