// SPDX-License-Identifier: Apache-2.0
#include "format/gguf_value.h"

#include "format/json.h"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace colibri {
namespace {

constexpr int maxDepth = 64;
constexpr std::uint64_t lengthBytes = 8;
constexpr std::uint64_t arrayHeadBytes = 12;

struct TypeRow {
    std::string_view name;
    std::uint32_t bytes; ///< of a number; of others the least that one takes in the file
};
constexpr std::array<TypeRow, ggufTypeCount> types{
    {{"u8", 1}, {"i8", 1}, {"u16", 2}, {"i16", 2}, {"u32", 4}, {"i32", 4}, {"f32", 4}, {"bool", 1},
        {"string", lengthBytes}, {"array", arrayHeadBytes}, {"u64", 8}, {"i64", 8}, {"f64", 8}}};

const TypeRow& row(GgufType type)
{
    return types[static_cast<std::size_t>(type)];
}

template <class T>
std::optional<T> load(std::span<const std::byte> bytes)
{
    T value{};
    if (bytes.size() < sizeof value)
        return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

/// Numbers as they stand in the file, little-endian (the program is built for little-endian machines only).
template <class T>
T numberAt(std::span<const std::byte> bytes, std::size_t at)
{
    return *load<T>(bytes.subspan(at)); // the caller saw that it is there
}

Error fault(Errc code, std::uint64_t offset, std::string why)
{
    return Error{code, {}, {}, offset, std::move(why)};
}

Error truncated(std::uint64_t offset, const std::string& part, std::uint64_t needed, std::uint64_t left)
{
    return fault(Errc::Truncated, offset,
        part + " takes " + std::to_string(needed) + " bytes, but only " + std::to_string(left) + " are left");
}

Result<GgufValue> readString(std::span<const std::byte> bytes, std::size_t& at, std::uint64_t base)
{
    const std::uint64_t left = bytes.size() - at;
    if (left < lengthBytes)
        return truncated(base + at, "a string's length", lengthBytes, left);
    const auto length = numberAt<std::uint64_t>(bytes, at);
    if (length > left - lengthBytes)
        return fault(Errc::Truncated, base + at,
            "a string's length is " + std::to_string(length) + ", but only " + std::to_string(left - lengthBytes)
                + " bytes are left");
    at += lengthBytes;
    const GgufValue value{GgufType::String, GgufType::U8, 0, bytes.subspan(at, length), base + at};
    at += length;
    return value;
}

Result<void> checkBooleans(std::span<const std::byte> bytes, std::uint64_t offset)
{
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (std::to_integer<int>(bytes[i]) > 1)
            return fault(Errc::Malformed, offset + i,
                "a bool is " + std::to_string(std::to_integer<int>(bytes[i])) + ", it has to be 0 or 1");
    return {};
}

/// Moves `at` behind a string; false, and nothing moves, when the bytes end before it does.
bool skipString(std::span<const std::byte> bytes, std::size_t& at)
{
    const std::size_t left = bytes.size() - at;
    if (left < lengthBytes)
        return false;
    const auto length = numberAt<std::uint64_t>(bytes, at);
    if (length > left - lengthBytes)
        return false;
    at += lengthBytes + length;
    return true;
}

/// Moves `at` behind all elements.
Result<void> walkElements(
    std::span<const std::byte> bytes, std::size_t& at, std::uint64_t base, const GgufValue& array, int depth)
{
    const GgufType type = array.elementType;
    if (type != GgufType::String && type != GgufType::Array) {
        const std::size_t size = array.count * row(type).bytes; // the caller saw that this many are there
        const std::size_t from = at;
        at += size;
        return type == GgufType::Bool ? checkBooleans(bytes.subspan(from, size), base + from) : Result<void>{};
    }
    std::uint64_t first = 0; // vocabularies have some 10^5 strings
    while (type == GgufType::String && first < array.count && skipString(bytes, at))
        ++first;
    for (std::uint64_t i = first; i < array.count; ++i) {
        auto element = readGgufValue(bytes, at, base, static_cast<std::uint32_t>(type), depth + 1);
        if (!element) {
            element.error().why = "element " + std::to_string(i) + ": " + element.error().why;
            return element.error();
        }
    }
    return {};
}

Result<GgufValue> readArray(std::span<const std::byte> bytes, std::size_t& at, std::uint64_t base, int depth)
{
    const std::uint64_t left = bytes.size() - at;
    if (left < arrayHeadBytes)
        return truncated(base + at, "an array's type and length", arrayHeadBytes, left);
    if (depth >= maxDepth)
        return fault(
            Errc::Malformed, base + at, "arrays lie in arrays more than " + std::to_string(maxDepth) + " levels deep");
    const auto type = numberAt<std::uint32_t>(bytes, at);
    if (type >= ggufTypeCount)
        return fault(Errc::Malformed, base + at,
            "the type of an array's elements is " + std::to_string(type) + ", the format knows 0 to "
                + std::to_string(ggufTypeCount - 1));
    const auto count = numberAt<std::uint64_t>(bytes, at + 4);
    const std::uint64_t each = types[type].bytes;
    if (count > (left - arrayHeadBytes) / each)
        return fault(Errc::Truncated, base + at + 4,
            "an array's length is " + std::to_string(count) + ", but the " + std::to_string(left - arrayHeadBytes)
                + " bytes left hold at most " + std::to_string((left - arrayHeadBytes) / each) + " elements of type "
                + std::string(types[type].name));
    at += arrayHeadBytes;
    GgufValue value{GgufType::Array, static_cast<GgufType>(type), count, {}, base + at};
    const std::size_t from = at;
    if (auto done = walkElements(bytes, at, base, value, depth); !done)
        return done.error();
    value.bytes = bytes.subspan(from, at - from);
    return value;
}

/// A whole number of any width and sign.
struct Integer {
    std::uint64_t bits; ///< modulo 2^64
    bool negative;
};

template <class T>
std::optional<Integer> loadInteger(std::span<const std::byte> bytes)
{
    const auto value = load<T>(bytes);
    return value ? std::optional(Integer{static_cast<std::uint64_t>(*value), std::cmp_less(*value, 0)}) : std::nullopt;
}

/// By type; null: it holds no whole number.
constexpr std::array<std::optional<Integer> (*)(std::span<const std::byte>), ggufTypeCount> integerLoads{
    loadInteger<std::uint8_t>, loadInteger<std::int8_t>, loadInteger<std::uint16_t>, loadInteger<std::int16_t>,
    loadInteger<std::uint32_t>, loadInteger<std::int32_t>, nullptr, nullptr, nullptr, nullptr,
    loadInteger<std::uint64_t>, loadInteger<std::int64_t>, nullptr};

std::optional<Integer> integer(const GgufValue& value)
{
    const auto load = integerLoads[static_cast<std::size_t>(value.type)];
    return load ? load(value.bytes) : std::nullopt;
}

/// The fewest digits that tell a number of its type from its neighbours.
template <class T>
std::string shortest(T value)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

} // namespace

std::string_view name(GgufType type)
{
    return row(type).name;
}

std::optional<std::int64_t> GgufValue::signedInteger() const
{
    const auto value = integer(*this);
    const bool fits = value && (value->negative || value->bits <= INT64_MAX);
    return fits ? std::optional(static_cast<std::int64_t>(value->bits)) : std::nullopt;
}

std::optional<std::uint64_t> GgufValue::unsignedInteger() const
{
    const auto value = integer(*this);
    return value && !value->negative ? std::optional(value->bits) : std::nullopt;
}

std::optional<double> GgufValue::number() const
{
    if (type == GgufType::F32)
        return load<float>(bytes);
    if (type == GgufType::F64)
        return load<double>(bytes);
    if (const auto value = signedInteger())
        return static_cast<double>(*value);
    const auto value = unsignedInteger();
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<bool> GgufValue::boolean() const
{
    if (type != GgufType::Bool || bytes.empty())
        return std::nullopt;
    return bytes.front() != std::byte{0};
}

std::optional<std::string_view> GgufValue::string() const
{
    if (type != GgufType::String)
        return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

GgufElements::GgufElements(const GgufValue& array)
    : m_array(array)
{
}

std::optional<GgufValue> GgufElements::next()
{
    if (m_array.type != GgufType::Array || m_index >= m_array.count)
        return std::nullopt;
    ++m_index;
    auto value = readGgufValue(m_array.bytes, m_at, m_array.offset, static_cast<std::uint32_t>(m_array.elementType));
    return value ? std::optional(*value) : std::nullopt;
}

Result<GgufValue> readGgufValue(
    std::span<const std::byte> bytes, std::size_t& at, std::uint64_t base, std::uint32_t type, int depth)
{
    if (type >= ggufTypeCount)
        return fault(Errc::Malformed, base + at,
            "its type is " + std::to_string(type) + ", the format knows 0 to " + std::to_string(ggufTypeCount - 1));
    const auto known = static_cast<GgufType>(type);
    if (known == GgufType::String)
        return readString(bytes, at, base);
    if (known == GgufType::Array)
        return readArray(bytes, at, base, depth);
    const std::uint32_t size = types[type].bytes;
    if (bytes.size() - at < size)
        return truncated(base + at, std::string("a ").append(types[type].name), size, bytes.size() - at);
    const GgufValue value{known, GgufType::U8, 0, bytes.subspan(at, size), base + at};
    if (known == GgufType::Bool)
        if (auto done = checkBooleans(value.bytes, value.offset); !done)
            return done.error();
    at += size;
    return value;
}

std::string describe(const GgufValue& value, std::size_t most)
{
    if (const auto text = value.string())
        return quotedText(*text, most);
    if (const auto flag = value.boolean())
        return *flag ? "true" : "false";
    if (const auto integer = value.signedInteger())
        return std::to_string(*integer);
    if (const auto integer = value.unsignedInteger())
        return std::to_string(*integer);
    if (const auto number = value.number())
        return value.type == GgufType::F32 ? shortest(static_cast<float>(*number)) : shortest(*number);
    std::string text = "[";
    GgufElements elements(value);
    std::uint64_t shown = 0;
    while (text.size() < most) {
        const auto element = elements.next();
        if (!element)
            break;
        text += (shown++ ? ", " : "") + describe(*element, most / 4);
    }
    if (shown == value.count)
        return text + "]";
    return text + ", ...] (" + std::to_string(value.count) + ")";
}

} // namespace colibri
