// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_json.h"

namespace colibri {

bool isType(const JsonValue& stage, std::string_view type)
{
    const JsonValue* const value = stage.find("type");
    return value && value->string() && *value->string() == type;
}

Error TokenizerJson::failed(Errc code, const JsonValue& at, std::string why) const
{
    return {code, "read the tokenizer", m_file, at.offset, std::move(why)};
}

Error TokenizerJson::unsupported(const std::string& part, const JsonValue& value, const std::string& supported) const
{
    const JsonValue* const type = value.find("type");
    const std::string found = type ? "is of type " + shortText(*type) : "is " + shortText(value);
    return failed(Errc::Unsupported, type ? *type : value, part + " " + found + ", supported is " + supported);
}

Result<bool> TokenizerJson::flag(const JsonValue& object, const std::string& part, const char* key, bool missing) const
{
    const JsonValue* const value = object.find(key);
    if (!value || value->isNull())
        return missing;
    if (!value->boolean())
        return failed(
            Errc::Malformed, *value, part + "." + key + " is " + shortText(*value) + ", it must be true or false");
    return *value->boolean();
}

Result<void> TokenizerJson::refuse(const JsonValue& object, const std::string& part, const char* key) const
{
    const auto on = flag(object, part, key, false);
    if (!on)
        return on.error();
    if (*on)
        return failed(Errc::Unsupported, *object.find(key), part + "." + key + " is true, supported is false");
    return {};
}

} // namespace colibri
