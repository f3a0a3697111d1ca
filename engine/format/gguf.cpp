// SPDX-License-Identifier: Apache-2.0
#include "format/gguf.h"

#include "format/gguf_tensors.h"
#include "types/checked.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace colibri {
namespace {

constexpr std::uint64_t headBytes = 24; ///< magic, version, number of tensors, number of keys
constexpr std::uint64_t leastKeyBytes = 8 + 1 + 4 + 1; ///< a name of one character, its type, a value of one byte
constexpr std::uint64_t leastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr std::uint64_t maxKeyBytes = 65535; // the limit that the format sets
constexpr std::string_view alignmentKey = "general.alignment";
constexpr std::uint32_t defaultAlignment = 32;
constexpr std::uint32_t maxAlignment = 1u << 30;

class Parser {
public:
    Parser(std::span<const std::byte> bytes, const std::string& file, std::vector<std::string>& notes,
        std::vector<Error>* refusals)
        : m_bytes(bytes)
        , m_file(file)
        , m_notes(notes)
        , m_refusals(refusals)
    {
    }

    Result<GgufHead> parse(std::uint32_t fileIndex)
    {
        if (auto done = readCounts(); !done)
            return done.error();
        for (std::uint64_t i = 0; i < m_keys; ++i)
            if (auto done = readEntry(i); !done)
                return done.error();
        if (auto done = readAlignment(); !done)
            return done.error();
        GgufTensors tensors{m_bytes, m_at, m_file, fileIndex, m_tensors, m_head.alignment, m_refusals};
        if (auto done = readGgufTensors(tensors, m_head, m_notes); !done)
            return done.error();
        return std::move(m_head);
    }

private:
    Error failed(Errc code, std::optional<std::uint64_t> at, std::string why) const
    {
        return {code, "read the GGUF head", m_file, at, std::move(why)};
    }

    template <class T>
    T number(std::size_t at) const
    {
        T value{};
        std::memcpy(&value, m_bytes.data() + at, sizeof value);
        return value;
    }

    Result<void> readCounts()
    {
        const std::string_view magic(
            reinterpret_cast<const char*>(m_bytes.data()), std::min<std::size_t>(m_bytes.size(), 4));
        if (magic == "FUGG")
            return failed(Errc::Unsupported, 0, "the file is big-endian, this program reads little-endian GGUF");
        if (!std::string_view("GGUF").starts_with(magic))
            return failed(
                Errc::Malformed, 0, "the file begins with " + quotedText(magic) + ", GGUF files with \"GGUF\"");
        if (m_bytes.size() < headBytes)
            return failed(Errc::Truncated, m_bytes.size(),
                "the file has " + std::to_string(m_bytes.size()) + " bytes, the head alone takes "
                    + std::to_string(headBytes));
        m_head.version = number<std::uint32_t>(4);
        if ((m_head.version & 0xFFFF) == 0 && m_head.version != 0)
            return failed(Errc::Unsupported, 4,
                "the file is big-endian (its version reads as " + std::to_string(m_head.version)
                    + "), this program reads little-endian GGUF");
        if (m_head.version != 2 && m_head.version != 3)
            return failed(Errc::Unsupported, 4,
                "version is " + std::to_string(m_head.version) + ", this program reads GGUF versions 2 and 3");
        m_tensors = number<std::uint64_t>(8);
        m_keys = number<std::uint64_t>(16);
        if (auto done = checkCount("tensor_count", m_tensors, leastTensorBytes, 8); !done)
            return done;
        return checkCount("metadata_kv_count", m_keys, leastKeyBytes, 16);
    }

    Result<void> checkCount(const std::string& field, std::uint64_t count, std::uint64_t each, std::uint64_t at) const
    {
        const std::uint64_t most = (m_bytes.size() - headBytes) / each;
        if (count <= most)
            return {};
        return failed(Errc::Truncated, at,
            field + " is " + std::to_string(count) + ", a file of " + std::to_string(m_bytes.size())
                + " bytes holds at most " + std::to_string(most));
    }

    /// The error of a value, with the place in words in front.
    Error inField(const std::string& field, const Error& error) const
    {
        return failed(error.code, error.offset, field + ": " + error.why);
    }

    Result<void> readEntry(std::uint64_t index)
    {
        const std::string number = "metadata[" + std::to_string(index) + "]";
        const std::uint64_t start = m_at;
        auto key = readGgufValue(m_bytes, m_at, 0, static_cast<std::uint32_t>(GgufType::String));
        if (!key)
            return inField(number + ".key", key.error());
        const std::string_view text = *key->string();
        if (text.empty() || text.size() > maxKeyBytes)
            return failed(Errc::Malformed, start,
                number + ".key has " + std::to_string(text.size()) + " characters, it has to have 1 to "
                    + std::to_string(maxKeyBytes));
        const std::string field = number + " " + quotedText(text);
        const auto [first, isNew] = m_index.try_emplace(text, start);
        if (!isNew)
            return failed(Errc::Malformed, start,
                field + ": the key stands twice, first at offset " + std::to_string(first->second));
        if (m_bytes.size() - m_at < sizeof(std::uint32_t))
            return failed(Errc::Truncated, m_at, field + ": the file ends in front of its type");
        const auto type = this->number<std::uint32_t>(m_at);
        const std::uint64_t typeAt = m_at;
        m_at += sizeof type;
        if (type >= ggufTypeCount)
            return failed(Errc::Malformed, typeAt,
                field + ": its type is " + std::to_string(type) + ", the format knows 0 to "
                    + std::to_string(ggufTypeCount - 1));
        auto value = readGgufValue(m_bytes, m_at, 0, type);
        if (!value)
            return inField(field, value.error());
        m_head.metadata.push_back({text, start, *value});
        return {};
    }

    /// A power of two as u32. What is stated in another type is what other programs ignore as well.
    Result<void> readAlignment()
    {
        m_head.alignment = defaultAlignment;
        const GgufEntry* const entry = m_head.find(alignmentKey);
        if (!entry)
            return {};
        const GgufValue& value = entry->value;
        const std::string field = std::string(alignmentKey) + " is " + describe(value, 60);
        if (value.type != GgufType::U32) {
            m_notes.push_back(m_file + " at offset " + std::to_string(value.offset) + ": " + field + " of type "
                + std::string(name(value.type)) + ", it has to be u32; " + std::to_string(defaultAlignment)
                + " is used");
            return {};
        }
        const auto alignment = static_cast<std::uint32_t>(*value.unsignedInteger());
        if (!std::has_single_bit(alignment) || alignment > maxAlignment)
            return failed(Errc::Malformed, value.offset,
                field + ", it has to be a power of two up to " + std::to_string(maxAlignment));
        if (alignment < 8)
            m_notes.push_back(m_file + " at offset " + std::to_string(value.offset) + ": " + field
                + ", the format asks for a multiple of 8");
        m_head.alignment = alignment;
        return {};
    }

    std::span<const std::byte> m_bytes;
    const std::string& m_file;
    std::vector<std::string>& m_notes;
    std::vector<Error>* m_refusals;
    GgufHead m_head;
    std::size_t m_at = headBytes;
    std::uint64_t m_tensors = 0;
    std::uint64_t m_keys = 0;
    std::unordered_map<std::string_view, std::uint64_t> m_index; ///< offset of each key
};

} // namespace

const GgufEntry* GgufHead::find(std::string_view key) const
{
    const auto found = std::ranges::find(metadata, key, &GgufEntry::key);
    return found == metadata.end() ? nullptr : &*found;
}

Result<GgufHead> parseGguf(std::span<const std::byte> bytes, const std::string& file, std::uint32_t fileIndex,
    std::vector<std::string>& notes, std::vector<Error>* refusals)
{
    return Parser(bytes, file, notes, refusals).parse(fileIndex);
}

} // namespace colibri
