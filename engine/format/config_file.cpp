// SPDX-License-Identifier: Apache-2.0
#include "format/config_file.h"

#include "format/colibri_layout.h"
#include "memory/mapped_file.h"

namespace colibri {
namespace {

Error missing(const JsonValue& object, std::string_view key, const std::string& file, const std::string& where)
{
    return {Errc::Malformed, "read the configuration", file, object.offset,
        "key \"" + where + std::string(key) + "\" is missing"};
}

Error wrongType(const JsonValue& value, std::string_view key, const std::string& file, const std::string& where,
    const std::string& rule)
{
    return {Errc::Malformed, "read the configuration", file, value.offset,
        where + std::string(key) + " is a " + std::string(value.typeName()) + ", " + rule};
}

} // namespace

std::string joinPath(const std::string& folder, std::string_view name)
{
    return folder + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

Result<ConfigFile> readConfigFile(const std::string& folder)
{
    ConfigFile config{joinPath(folder, configFileName), {}};
    const auto file = MappedFile::open(config.path);
    if (!file)
        return file.error();
    const auto bytes = (*file)->bytes();
    if (bytes.size() > maxConfigBytes)
        return Error{Errc::Malformed, "read the configuration", config.path, {},
            "has " + std::to_string(bytes.size()) + " bytes, at most " + std::to_string(maxConfigBytes)
                + " are allowed"};
    auto root = parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, config.path);
    if (!root)
        return root.error();
    if (!root->object())
        return Error{Errc::Malformed, "read the configuration", config.path, 0,
            "holds a JSON " + std::string(root->typeName()) + ", it has to be an object"};
    config.root = std::move(*root);
    return config;
}

Result<std::uint64_t> readUnsigned(const JsonValue& object, std::string_view key, std::uint64_t least,
    std::uint64_t most, const std::string& file, const std::string& where)
{
    const JsonValue* const value = object.find(key);
    if (!value)
        return missing(object, key, file, where);
    const std::string rule = "it has to be an integer from " + std::to_string(least) + " to " + std::to_string(most);
    const auto number = value->unsignedInteger();
    if (!number && !value->number())
        return wrongType(*value, key, file, where, rule);
    if (!number || *number < least || *number > most)
        return Error{Errc::Malformed, "read the configuration", file, value->offset,
            where + std::string(key) + " is " + (number ? std::to_string(*number) : std::to_string(*value->number()))
                + ", " + rule};
    return *number;
}

Result<std::string> readString(
    const JsonValue& object, std::string_view key, const std::string& file, const std::string& where)
{
    const JsonValue* const value = object.find(key);
    if (!value)
        return missing(object, key, file, where);
    if (!value->string())
        return wrongType(*value, key, file, where, "it has to be a string");
    return *value->string();
}

} // namespace colibri
