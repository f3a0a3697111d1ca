// SPDX-License-Identifier: Apache-2.0
#include "format/json.h"
#include "format/readers.h"
#include "format/tensor_list.h"
#include "types/checked.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace colibri {

namespace {

constexpr std::uint64_t lengthBytes = 8;
constexpr std::string_view largeFilePointer =
    "version https://git-lfs.github.com/spec/"; ///< of Git LFS: how one begins
constexpr std::uint64_t maxHeaderBytes = 100'000'000; // the limit that the format itself sets

/// Types as the format names them.
constexpr std::pair<std::string_view, DType> types[]{
    {"F32", DType::F32},
    {"F16", DType::F16},
    {"BF16", DType::BF16},
    {"F64", DType::F64},
    {"F8_E4M3", DType::F8_E4M3},
    {"F8_E5M2", DType::F8_E5M2},
    {"F8_E8M0", DType::F8_E8M0},
    {"BOOL", DType::Bool},
    {"I8", DType::I8},
    {"I16", DType::I16},
    {"I32", DType::I32},
    {"I64", DType::I64},
    {"U8", DType::U8},
    {"U16", DType::U16},
    {"U32", DType::U32},
    {"U64", DType::U64},
};
/// Those of which this program knows the name only.
constexpr std::string_view otherTypes[]{"C64", "F8_E5M2FNUZ", "F8_E4M3FNUZ", "F6_E2M3", "F6_E3M2", "F4"};

/// One entry of the header, with the place of its text for errors that concern two of them.
struct Entry {
    TensorInfo tensor;
    std::uint64_t at = 0;
};

class Header {
public:
    Header(const std::string& file, std::uint32_t fileIndex, std::uint64_t dataStart, std::uint64_t dataSize)
        : m_file(file)
        , m_fileIndex(fileIndex)
        , m_dataStart(dataStart)
        , m_dataSize(dataSize)
        , m_cut(dataStart + dataSize)
    {
    }

    Error failed(Errc code, std::uint64_t at, std::string why) const
    {
        return {code, "read the safetensors header", m_file, at, std::move(why)};
    }

    Result<Entry> entry(const JsonValue::Member& member, std::vector<std::string>& notes)
    {
        const std::string name = "tensor " + member.key;
        for (const char* const key : {"dtype", "shape", "data_offsets"})
            if (!member.value.find(key))
                return failed(Errc::Malformed, member.value.offset,
                    name + " is " + shortText(member.value) + " without \"" + key + "\"");
        for (const auto& [key, value] : *member.value.object())
            if (key != "dtype" && key != "shape" && key != "data_offsets")
                notes.push_back(m_file + ": " + name + " has the unknown key \"" + key + "\"");
        Entry entry;
        entry.at = member.value.offset;
        entry.tensor.name = member.key;
        entry.tensor.file = m_fileIndex;
        if (auto typed = readDType(name, *member.value.find("dtype"), entry.tensor, notes); !typed)
            return typed.error();
        if (auto shape = integers(name + ".shape", *member.value.find("shape")); shape)
            entry.tensor.shape = std::move(*shape);
        else
            return shape.error();
        if (auto placed = place(name, *member.value.find("data_offsets"), entry); !placed)
            return placed.error();
        return entry;
    }

    /// What the entries have shown the file to lack.
    FileCut& cut() { return m_cut; }

    /// Two tensors that share bytes are an error, bytes of no tensor a note. Sorts by offset.
    Result<void> checkCover(
        std::vector<Entry>& entries, std::span<const std::byte> bytes, std::vector<std::string>& notes) const
    {
        const auto place = [](const Entry& entry) { return std::pair(entry.tensor.offset, entry.tensor.size); };
        std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) { return place(a) < place(b); });
        std::uint64_t covered = m_dataStart;
        const Entry* last = nullptr;
        for (const Entry& entry : entries) {
            if (entry.tensor.size == 0)
                continue;
            if (entry.tensor.offset < covered)
                return failed(Errc::Malformed, entry.at,
                    "tensors " + last->tensor.name + " and " + entry.tensor.name
                        + " overlap: the first one's bytes end at offset " + std::to_string(covered)
                        + " of the file, the other's begin at " + std::to_string(entry.tensor.offset));
            if (const std::uint64_t end = std::min<std::uint64_t>(entry.tensor.offset, bytes.size()); end > covered)
                notes.push_back(unclaimedNote(m_file, bytes, covered, end, "in front of tensor " + entry.tensor.name));
            covered = entry.tensor.offset + entry.tensor.size;
            last = &entry;
        }
        if (covered < bytes.size())
            notes.push_back(unclaimedNote(m_file, bytes, covered, bytes.size(), "at the end of the file"));
        return {};
    }

private:
    Result<void> readDType(
        const std::string& name, const JsonValue& value, TensorInfo& tensor, std::vector<std::string>& notes) const
    {
        const std::string* const text = value.string();
        if (!text)
            return failed(
                Errc::Malformed, value.offset, name + ".dtype is " + shortText(value) + ", it must be a string");
        const auto known = std::ranges::find(types, *text, &std::pair<std::string_view, DType>::first);
        if (known != std::end(types)) {
            tensor.dtype = known->second;
            return {};
        }
        if (std::ranges::find(otherTypes, *text) == std::end(otherTypes))
            return failed(Errc::Unsupported, value.offset,
                name + ".dtype is " + shortText(value) + ", which no version of the format names");
        tensor.dtype = DType::Unknown;
        tensor.typeText = *text;
        notes.push_back(m_file + " at offset " + std::to_string(value.offset) + ": " + name + ".dtype is "
            + shortText(value) + ", of which this program knows the name only; the tensor is listed and not used");
        return {};
    }

    Result<std::vector<std::uint64_t>> integers(const std::string& field, const JsonValue& value) const
    {
        if (!value.array())
            return failed(
                Errc::Malformed, value.offset, field + " is " + shortText(value) + ", it must be an array of integers");
        std::vector<std::uint64_t> result;
        for (const JsonValue& element : *value.array()) {
            const auto integer = element.unsignedInteger();
            if (!integer)
                return failed(Errc::Malformed, element.offset,
                    field + "[" + std::to_string(result.size()) + "] is " + shortText(element)
                        + ", it must be an integer from 0 to 2^64-1");
            result.push_back(*integer);
        }
        return result;
    }

    /// Sets offset and size from data_offsets, which count from the end of the header.
    Result<void> place(const std::string& name, const JsonValue& value, Entry& entry)
    {
        TensorInfo& tensor = entry.tensor;
        const std::string field = name + ".data_offsets";
        auto offsets = integers(field, value);
        if (!offsets)
            return offsets.error();
        if (offsets->size() != 2)
            return failed(Errc::Malformed, value.offset,
                field + " has " + std::to_string(offsets->size()) + " numbers, it must have 2");
        const std::uint64_t begin = offsets->front();
        const std::uint64_t end = offsets->back();
        const std::string range =
            std::string("[").append(std::to_string(begin)).append(", ").append(std::to_string(end)).append("]");
        if (begin > end)
            return failed(Errc::Malformed, value.offset, field + " is " + range + ", it must not end before it begins");
        const auto needed = tensorBytes(tensor.dtype, tensor.shape);
        const std::string shape = shapeText(tensor.shape) + " of " + std::string(typeName(tensor));
        if (!needed)
            return failed(Errc::Malformed, value.offset,
                name + ".shape is " + shape + ", its size in bytes does not fit in 64 bits");
        if (*needed != end - begin && tensor.dtype != DType::Unknown)
            return failed(Errc::Mismatch, value.offset,
                field + " is " + range + ", which is " + std::to_string(end - begin) + " bytes; shape " + shape
                    + " needs " + std::to_string(*needed));
        if (!checkedAdd(m_dataStart, end))
            return failed(Errc::Malformed, value.offset,
                field + " is " + range + ", behind the header its end does not fit in 64 bits");
        tensor.offset = m_dataStart + begin;
        tensor.size = end - begin;
        m_cut.look(tensor, [&] {
            return failed(Errc::Truncated, value.offset,
                field + " is " + range + ", but only " + std::to_string(m_dataSize)
                    + " bytes follow the header: the file ends " + std::to_string(end - m_dataSize) + " bytes early");
        });
        return {};
    }

    const std::string& m_file;
    std::uint32_t m_fileIndex;
    std::uint64_t m_dataStart; ///< bytes from the start of the file to the first tensor byte
    std::uint64_t m_dataSize; ///< bytes from there to the end of the file
    FileCut m_cut;
};

/// The header's length in bytes, at most what the file and the format's limit allow.
Result<std::uint64_t> headerLength(std::span<const std::byte> bytes, const std::string& file)
{
    const auto failed = [&](Errc code, std::string why) {
        return Error{code, "read the safetensors header", file, 0, std::move(why)};
    };
    if (bytes.size() < lengthBytes)
        return failed(Errc::Truncated,
            "the file has " + std::to_string(bytes.size()) + " bytes, the header length alone takes 8");
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i)
        length |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with(largeFilePointer))
        return failed(
            Errc::Malformed, "the file is a pointer of Git LFS, which stands for a file that was not fetched");
    const std::string field = "the header length is " + std::to_string(length);
    if (length > maxHeaderBytes)
        return failed(Errc::Malformed, field + ", the format allows " + std::to_string(maxHeaderBytes) + " at most");
    if (length > bytes.size() - lengthBytes)
        return failed(
            Errc::Truncated, field + ", but only " + std::to_string(bytes.size() - lengthBytes) + " bytes follow it");
    return length;
}

void noteMetadata(const JsonValue& metadata, const std::string& file, std::vector<std::string>& notes)
{
    if (!metadata.object())
        notes.push_back(file + ": __metadata__ is " + shortText(metadata) + ", it should be an object of strings");
    else
        for (const auto& [key, value] : *metadata.object())
            if (!value.string())
                notes.push_back(file + ": __metadata__." + key + " is " + shortText(value) + ", it should be a string");
}

} // namespace

Result<std::vector<TensorInfo>> parseSafetensors(std::span<const std::byte> bytes, const std::string& file,
    std::uint32_t fileIndex, std::vector<std::string>& notes, std::vector<Error>* refusals)
{
    const auto length = headerLength(bytes, file);
    if (!length)
        return length.error();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + lengthBytes, *length);
    const std::uint64_t dataStart = lengthBytes + *length;
    Header header(file, fileIndex, dataStart, bytes.size() - dataStart);
    const auto root = parseJson(text, file, lengthBytes);
    if (!root)
        return root.error();
    if (!root->object())
        return header.failed(
            Errc::Malformed, lengthBytes, "the header is " + shortText(*root) + ", it must be an object");
    std::vector<Entry> entries;
    for (const JsonValue::Member& member : *root->object()) {
        if (member.key == "__metadata__") {
            noteMetadata(member.value, file, notes);
            continue;
        }
        auto entry = header.entry(member, notes);
        if (!entry)
            return entry.error();
        entries.push_back(std::move(*entry));
    }
    if (auto done = header.cut().finish(refusals); !done)
        return done.error();
    if (const auto covered = header.checkCover(entries, bytes, notes); !covered)
        return covered.error();
    std::vector<TensorInfo> tensors;
    for (Entry& entry : entries)
        tensors.push_back(std::move(entry.tensor));
    return tensors;
}

} // namespace colibri
