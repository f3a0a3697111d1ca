// SPDX-License-Identifier: Apache-2.0
#include "format/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace colibri {

namespace {

constexpr std::size_t maxDepth = 64;

/// Reads bytes for the library's lexer and tells how many it has taken.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, std::uint64_t* count)
        : m_at(at)
        , m_count(count)
    {
    }
    reference operator*() const { return *m_at; }
    CountingIterator& operator++()
    {
        ++m_at;
        ++*m_count;
        return *this;
    }
    CountingIterator operator++(int)
    {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return m_at == other.m_at; }
    bool operator!=(const CountingIterator& other) const { return m_at != other.m_at; }

private:
    const char* m_at;
    std::uint64_t* m_count;
};

/// The library's text without its own prefix, in printable ASCII.
std::string libraryReason(std::string_view what)
{
    if (const auto bracket = what.find("] "); bracket != what.npos)
        what.remove_prefix(bracket + 2);
    if (const auto colon = what.find(": "); what.starts_with("parse error") && colon != what.npos)
        what.remove_prefix(colon + 2);
    std::string result(what.substr(0, 240));
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
    return result;
}

/// Builds the value while the library reads; the open arrays and objects lie on a stack.
class Builder {
public:
    Builder(std::string_view text, const std::string& file, std::uint64_t base)
        : m_text(text)
        , m_file(file)
        , m_base(base)
    {
    }

    std::uint64_t* counter() { return &m_taken; }
    std::uint64_t taken() const { return m_taken; }
    std::optional<Error>& failure() { return m_failure; }
    JsonValue takeRoot() { return std::move(m_root); }

    Error failed(Errc code, std::uint64_t at, std::string why) const
    {
        const auto before = m_text.substr(0, at);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        if (lines > 0)
            why = "line " + std::to_string(lines + 1) + ", " + why;
        return Error{code, "read JSON", m_file, m_base + at, std::move(why)};
    }

    Error trailingBytes(std::uint64_t at) const
    {
        return failed(Errc::Malformed, at, std::to_string(m_text.size() - at) + " bytes stand behind the value");
    }

    // What the library calls, in the order of the text.
    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value)
    {
        return value <= std::uint64_t{INT64_MAX} ? add(static_cast<std::int64_t>(value)) : add(value);
    }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(nlohmann::json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(JsonValue::Object()); }
    bool start_array(std::size_t) { return open(JsonValue::Array()); }
    bool key(std::string& key)
    {
        m_open.back().keys.push_back({std::hash<std::string>()(key), m_taken});
        std::get<JsonValue::Object>(m_open.back().value.data).push_back({std::move(key), {}});
        return true;
    }
    bool end_object() { return keysAreUnique(m_open.back()) && close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error)
    {
        if (m_complete) {
            m_failure = trailingBytes(position - 1);
            return false;
        }
        const std::string why = libraryReason(error.what());
        const bool cut = why.find("unexpected end of input") != why.npos || why.find("closing quote") != why.npos;
        const std::uint64_t at =
            cut ? m_text.size() : std::min<std::uint64_t>(position ? position - 1 : 0, m_text.size());
        m_failure = failed(cut ? Errc::Truncated : Errc::Malformed, at, why);
        return false;
    }

private:
    struct Key {
        std::size_t hash;
        std::uint64_t end; ///< bytes to just behind it
    };
    struct Open {
        JsonValue value;
        std::vector<Key> keys; ///< of an object, in the order of its members
    };

    /// Bytes to just behind the token that was read last: of a number the lexer has taken one more.
    std::uint64_t tokenEnd(const JsonValue::Data& data) const
    {
        const bool number = data.index() >= 2 && data.index() <= 4;
        const bool ahead = number && m_taken > 0 && (m_text[m_taken - 1] < '0' || m_text[m_taken - 1] > '9');
        return m_base + m_taken - (ahead ? 1 : 0);
    }

    template <class T>
    bool add(T&& value)
    {
        JsonValue made;
        made.data = std::forward<T>(value);
        made.offset = tokenEnd(made.data);
        return place(std::move(made));
    }

    bool place(JsonValue value)
    {
        if (m_open.empty()) {
            m_root = std::move(value);
            m_complete = true;
        } else if (auto* array = std::get_if<JsonValue::Array>(&m_open.back().value.data))
            array->push_back(std::move(value));
        else
            std::get<JsonValue::Object>(m_open.back().value.data).back().value = std::move(value);
        return true;
    }

    template <class T>
    bool open(T container)
    {
        if (m_open.size() == maxDepth) {
            m_failure = failed(Errc::Malformed, m_taken - 1,
                "arrays and objects lie more than " + std::to_string(maxDepth) + " levels deep");
            return false;
        }
        m_open.emplace_back().value.data = std::move(container);
        return true;
    }

    bool close()
    {
        JsonValue value = std::move(m_open.back().value);
        m_open.pop_back();
        value.offset = m_base + m_taken;
        return place(std::move(value));
    }

    bool keysAreUnique(const Open& object)
    {
        const auto& members = std::get<JsonValue::Object>(object.value.data);
        std::vector<std::pair<std::size_t, std::uint32_t>> order; // by hash first, so that few keys are looked at
        order.reserve(members.size());
        for (const Key& key : object.keys)
            order.emplace_back(key.hash, static_cast<std::uint32_t>(order.size()));
        std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
            if (a.first != b.first)
                return a.first < b.first;
            const int compared = members[a.second].key.compare(members[b.second].key);
            return compared ? compared < 0 : a.second < b.second;
        });
        const auto same = [&](const auto& a, const auto& b) {
            return a.first == b.first && members[a.second].key == members[b.second].key;
        };
        const auto twice = std::adjacent_find(order.begin(), order.end(), same);
        if (twice == order.end())
            return true;
        m_failure = failed(Errc::Malformed, object.keys[twice[1].second].end,
            "key " + quotedText(members[twice->second].key) + " stands twice in one object, first ending at offset "
                + std::to_string(m_base + object.keys[twice->second].end));
        return false;
    }

    std::string_view m_text;
    const std::string& m_file;
    std::uint64_t m_base;
    std::uint64_t m_taken = 0; ///< bytes that the lexer has taken
    std::vector<Open> m_open;
    JsonValue m_root;
    bool m_complete = false; ///< the root has been read
    std::optional<Error> m_failure;
};

} // namespace

std::optional<std::uint64_t> JsonValue::unsignedInteger() const
{
    if (const auto* value = std::get_if<std::uint64_t>(&data))
        return *value;
    if (const auto* value = std::get_if<std::int64_t>(&data); value && *value >= 0)
        return static_cast<std::uint64_t>(*value);
    return std::nullopt;
}

std::optional<double> JsonValue::number() const
{
    if (const auto* value = std::get_if<double>(&data))
        return *value;
    if (const auto* value = std::get_if<std::int64_t>(&data))
        return static_cast<double>(*value);
    if (const auto* value = std::get_if<std::uint64_t>(&data))
        return static_cast<double>(*value);
    return std::nullopt;
}

const JsonValue* JsonValue::find(std::string_view key) const
{
    const Object* const members = object();
    if (!members)
        return nullptr;
    const auto at =
        std::find_if(members->begin(), members->end(), [&](const Member& member) { return member.key == key; });
    return at == members->end() ? nullptr : &at->value;
}

std::string_view JsonValue::typeName() const
{
    static constexpr std::string_view names[] = {
        "null", "boolean", "number", "number", "number", "string", "array", "object"};
    static_assert(std::size(names) == std::variant_size_v<Data>);
    return names[data.index()];
}

std::string quotedText(std::string_view text, std::size_t most)
{
    std::string result = "\"";
    for (const char c : text.substr(0, most))
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    while (text.size() > most && !result.empty() && (result.back() & 0xC0) == 0x80)
        result.pop_back();
    if (text.size() > most) {
        if (static_cast<unsigned char>(result.back()) >= 0xC0)
            result.pop_back();
        result += "...";
    }
    return result + '"';
}

std::string shortText(const JsonValue& value)
{
    if (const bool* const flag = value.boolean())
        return *flag ? "true" : "false";
    if (const std::string* const text = value.string())
        return quotedText(*text);
    if (const auto* const integer = std::get_if<std::int64_t>(&value.data))
        return std::to_string(*integer);
    if (const auto* const integer = std::get_if<std::uint64_t>(&value.data))
        return std::to_string(*integer);
    if (const auto* const real = std::get_if<double>(&value.data)) {
        char digits[32];
        return std::string(digits, std::to_chars(digits, std::end(digits), *real).ptr);
    }
    if (const auto* const array = value.array())
        return "an array of " + std::to_string(array->size());
    return value.object() ? "an object" : "null";
}

Result<JsonValue> parseJson(std::string_view text, const std::string& file, std::uint64_t base)
{
    Builder builder(text, file, base);
    const CountingIterator begin(text.data(), builder.counter());
    const CountingIterator end(text.data() + text.size(), builder.counter());
    if (!nlohmann::json::sax_parse(begin, end, &builder))
        return std::move(*builder.failure());
    // The lexer takes a zero byte for the end of the input.
    if (builder.taken() != text.size() || text.back() == '\0')
        return builder.trailingBytes(builder.taken() - 1);
    return builder.takeRoot();
}

} // namespace colibri
