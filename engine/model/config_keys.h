// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/architecture.h"

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace colibri {

/// The spellings of one key. Colibri's own goes for folders, too; a prefix "x." stands for an object's name.
struct KeyNames {
    std::string_view name;
    std::array<std::string_view, 2> others; ///< in a config.json that is not ours
    std::array<std::string_view, 2> gguf; ///< behind the architecture's name
};

/// A value with the key it was found under.
struct FoundKey {
    const JsonValue* value = nullptr;
    std::string key;
    explicit operator bool() const { return value != nullptr; }
};

/// The configuration of a source in whatever spelling it has, and the list of origins that grows while it is read.
class ConfigKeys {
public:
    ConfigKeys(const ModelSource& source, const ArchitectureSpec& spec);

    const ModelSource& source() const { return m_source; }
    const ArchitectureSpec& spec() const { return m_spec; }
    bool isGguf() const { return m_gguf; }

    /// The first spelling that is there and not null.
    FoundKey find(const KeyNames& names) const;
    /// As it stands in a config.json, "object.member" too.
    FoundKey findExactly(std::string_view key) const;

    Error fail(Errc code, const JsonValue* at, std::string why) const;
    Error refuse(const FoundKey& found, std::string_view rule) const; ///< OutOfRange: "key is value, it has to be rule"
    /// Adds an origin, unless the source knows better. An empty key: the family's default.
    void note(std::string rule, std::string value, const FoundKey& found);
    void note(std::string rule, std::string value, Origin origin);
    /// For a rule that turned out to say something else.
    void renameRule(std::string_view rule, std::string_view as);
    std::vector<RuleOrigin> takeOrigins() { return std::move(m_origins); }
    /// Keys of the architecture (GGUF) or of the file that nothing has looked up and that could mean a rule, in order;
    /// of objects that were looked into, their members: "rope_scaling.x".
    std::vector<std::string> unusedKeys() const;

    // Each sets the value when the key is there, and fails when it is of another kind.
    Result<FoundKey> flag(const KeyNames& names, bool& value) const;
    Result<FoundKey> number(const KeyNames& names, double& value) const; ///< finite
    Result<FoundKey> count(const KeyNames& names, std::uint32_t& value, std::uint64_t limit) const;
    Result<FoundKey> text(const KeyNames& names, std::string& value) const;

private:
    const ModelSource& m_source;
    const ArchitectureSpec& m_spec;
    bool m_gguf;
    std::vector<RuleOrigin> m_origins;
    mutable std::set<std::string, std::less<>> m_used; ///< keys of the configuration that were found
};

/// A value in a message.
std::string valueText(const JsonValue& value);
/// The fewest digits that tell a float from its neighbours; those outside of 1e-4 to 1e9 with an exponent.
std::string numberText(double number);

/// The value of E that is called `text`.
template <class E>
std::optional<E> named(std::string_view text, std::initializer_list<E> values)
{
    for (const E value : values)
        if (name(value) == text)
            return value;
    return std::nullopt;
}

/// Sets `value` to the one of `values` that the key names; any other name is refused.
template <class E>
Result<FoundKey> choice(const ConfigKeys& keys, const KeyNames& names, E& value, std::initializer_list<E> values)
{
    std::string text;
    auto found = keys.text(names, text);
    if (!found || !*found)
        return found;
    const auto one = named(text, values);
    if (!one) {
        std::string known;
        for (const E each : values)
            known += (known.empty() ? "" : " or ") + std::string(name(each));
        return keys.fail(
            Errc::Unsupported, found->value, found->key + " is " + text + ", this version computes " + known);
    }
    value = *one;
    return found;
}

/// Dimensions, stated or following from others; for readConfig, before everything else.
Result<void> readDimensions(ConfigKeys& keys, ModelConfig& config);
/// Routing rules, what positions do to queries and keys, and scales of weights; for readConfig, when the dimensions are
/// known.
Result<void> readRoutingRules(ConfigKeys& keys, ModelConfig& config);
Result<void> readPositionRules(ConfigKeys& keys, ModelConfig& config);
Result<void> readQuantization(ConfigKeys& keys, ModelConfig& config);

} // namespace colibri
