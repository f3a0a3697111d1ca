// SPDX-License-Identifier: Apache-2.0
#include "format/json_text.h"

#include <nlohmann/json.hpp>

namespace colibri {
namespace {

template <class Scalar>
void append(std::string& text, const Scalar& scalar)
{
    text += nlohmann::json(scalar).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append(std::string& text, const JsonValue& value);

void append(std::string& text, const JsonValue::Array& array)
{
    text += '[';
    for (const JsonValue& element : array) {
        if (&element != array.data())
            text += ',';
        append(text, element);
    }
    text += ']';
}

/// Written member by member: a library's ordered object looks for each key among those before it.
void append(std::string& text, const JsonValue::Object& object)
{
    text += '{';
    for (const JsonValue::Member& member : object) {
        if (&member != object.data())
            text += ',';
        append(text, member.key);
        text += ':';
        append(text, member.value);
    }
    text += '}';
}

void append(std::string& text, const JsonValue& value)
{
    std::visit([&text](const auto& data) { append(text, data); }, value.data);
}

} // namespace

std::string jsonText(const JsonValue& value)
{
    std::string text;
    append(text, value);
    return text;
}

} // namespace colibri
