// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/tokenizer_json.h"

#include <algorithm>

namespace colibri {

namespace {

constexpr std::size_t maxStages = 32;

/// Ids may leave gaps, but not more than the file's own size or this justifies.
constexpr std::uint64_t freelyAllowedIds = 65'536;

} // namespace

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

Result<std::string> TokenizerJson::text(
    const JsonValue& object, const std::string& part, const char* key, std::size_t least, std::size_t most) const
{
    const JsonValue* const value = object.find(key);
    const std::string* const found = value ? value->string() : nullptr;
    if (!found || found->size() < least || found->size() > most)
        return failed(found ? Errc::Unsupported : Errc::Malformed, value ? *value : object,
            part + "." + key + " is " + (value ? shortText(*value) : "missing") + ", it must be a text of "
                + std::to_string(least) + " to " + std::to_string(most) + " bytes");
    return *found;
}

Result<TokenId> TokenizerJson::id(
    const std::function<std::string()>& field, const JsonValue* value, const JsonValue& owner, std::size_t bytes) const
{
    const std::uint64_t limit = std::max<std::uint64_t>(freelyAllowedIds, bytes);
    const auto number = value ? value->unsignedInteger() : std::nullopt;
    if (!number || *number >= std::min<std::uint64_t>(limit, UINT32_MAX))
        return failed(Errc::Malformed, value ? *value : owner,
            field() + " is " + (value ? shortText(*value) : "missing") + ", it must be an integer below "
                + std::to_string(limit) + " in a file of this size");
    return static_cast<TokenId>(*number);
}

Result<void> TokenizerJson::flatten(
    const JsonValue& value, const std::string& part, const char* listKey, std::vector<const JsonValue*>& into) const
{
    if (into.size() == maxStages)
        return failed(Errc::Unsupported, value, part + " has more than " + std::to_string(maxStages) + " stages");
    if (!isType(value, "Sequence")) {
        into.push_back(&value);
        return {};
    }
    const JsonValue* const list = value.find(listKey);
    if (!list || !list->array())
        return failed(Errc::Malformed, list ? *list : value,
            part + "." + listKey + " is " + (list ? shortText(*list) : "missing") + ", it must be an array");
    for (const JsonValue& stage : *list->array())
        if (auto done = flatten(stage, part, listKey, into); !done)
            return done;
    return {};
}

Result<std::vector<const JsonValue*>> TokenizerJson::stages(
    const JsonValue& root, const char* part, const char* listKey) const
{
    std::vector<const JsonValue*> result;
    const JsonValue* const value = root.find(part);
    if (value && !value->isNull())
        if (const auto done = flatten(*value, part, listKey, result); !done)
            return done.error();
    return result;
}

} // namespace colibri
