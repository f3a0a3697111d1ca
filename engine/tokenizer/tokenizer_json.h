// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"
#include "types/result.h"

#include <string>
#include <string_view>

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

private:
    const std::string& m_file;
};

} // namespace colibri
