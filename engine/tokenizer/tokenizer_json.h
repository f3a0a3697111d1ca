// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "types/model_config.h"
#include "types/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// Whether an object's "type" is this one.
bool isType(const JsonValue& stage, std::string_view type);

/// What all readers of a part of tokenizer.json need: errors that name file, offset and field.
class TokenizerJson {
public:
    explicit TokenizerJson(const std::string& file)
        : m_file(file)
    {
    }

    Error failed(Errc code, const JsonValue& at, std::string why) const;
    /// Says that `value` is none of what is supported as this part.
    Error unsupported(const std::string& part, const JsonValue& value, const std::string& supported) const;
    /// A boolean member; `missing` stands for null and for one that is not there.
    Result<bool> flag(const JsonValue& object, const std::string& part, const char* key, bool missing) const;
    /// Refuses a switch that is on, since its effect is not there.
    Result<void> refuse(const JsonValue& object, const std::string& part, const char* key) const;
    /// A text member of at most `most` bytes.
    Result<std::string> text(
        const JsonValue& object, const std::string& part, const char* key, std::size_t least, std::size_t most) const;
    /// An id in `owner`, small enough for a file of `bytes`. `field` makes its name for an error.
    Result<TokenId> id(const std::function<std::string()>& field, const JsonValue* value, const JsonValue& owner,
        std::size_t bytes) const;
    /// The stages of one part, sequences of sequences laid flat; none when the part is null or missing. At most 32.
    Result<std::vector<const JsonValue*>> stages(const JsonValue& root, const char* part, const char* listKey) const;

protected:
    const std::string& file() const { return m_file; }

private:
    Result<void> flatten(const JsonValue& value, const std::string& part, const char* listKey,
        std::vector<const JsonValue*>& into) const;

    const std::string& m_file;
};

} // namespace colibri
