// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace colibri {

/// A JSON value with the place where it ends, so that an error about it can name an offset. Immutable after parseJson.
class JsonValue {
public:
    using Array = std::vector<JsonValue>;
    struct Member;
    using Object = std::vector<Member>; ///< in the order of the file; keys are unique

    /// Numbers: integers that fit are std::int64_t or std::uint64_t (above 2^63 - 1), all others double.
    using Data = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

    Data data;
    std::uint64_t offset = 0; ///< bytes from the start of the file to just behind the value (GGUF: to its first byte)

    bool isNull() const { return std::holds_alternative<std::nullptr_t>(data); }
    const bool* boolean() const { return std::get_if<bool>(&data); }
    const std::string* string() const { return std::get_if<std::string>(&data); }
    const Array* array() const { return std::get_if<Array>(&data); }
    const Object* object() const { return std::get_if<Object>(&data); }
    /// A non-negative integer; empty for anything else.
    std::optional<std::uint64_t> unsignedInteger() const;
    /// Any number as double.
    std::optional<double> number() const;
    /// Member of an object by key; nullptr when this is no object or has no such key.
    const JsonValue* find(std::string_view key) const;
    /// "null", "boolean", "number", "string", "array", "object".
    std::string_view typeName() const;
};

struct JsonValue::Member {
    std::string key;
    JsonValue value;
};

/// The text in quotation marks, for use in one line: control characters become spaces, and what is longer than `most`
/// bytes is cut at a character's border.
std::string quotedText(std::string_view text, std::size_t most = 60);

/// The value as error texts quote it: "12", "\"name\"" (long strings are cut), "an array of 3", "an object".
std::string shortText(const JsonValue& value);

/// Parses one JSON text. Errors name `file`, the offset and the rule: syntax, a duplicate key, more than 64 levels,
/// bytes behind the value. `base` is added to offsets (a header inside a larger file). Takes bytes, so that test,
/// fuzzer and reader share one entry.
Result<JsonValue> parseJson(std::string_view text, const std::string& file, std::uint64_t base = 0);

} // namespace colibri
