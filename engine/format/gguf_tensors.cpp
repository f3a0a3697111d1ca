// SPDX-License-Identifier: Apache-2.0
#include "format/gguf_tensors.h"

#include "format/gguf_types.h"
#include "format/tensor_list.h"
#include "types/checked.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace colibri {
namespace {

constexpr std::uint32_t maxDimensions = 4;
constexpr std::uint64_t maxNameBytes = 64; // the limit that the format sets

/// How errors name an entry. The text is made when there is one: directories have some 10^4 entries.
struct Field {
    std::uint64_t index = 0;
    std::string_view name; ///< empty while it is not read

    std::string operator+(std::string_view rest) const
    {
        std::string text = "tensors[" + std::to_string(index) + "]";
        if (!name.empty())
            text += " " + quotedText(name);
        return text.append(rest);
    }
};

/// A tensor of the directory, with what errors about it need.
struct Entry {
    TensorInfo tensor; ///< offset counts from dataStart until all have been read
    std::uint64_t at = 0; ///< offset of the entry
    std::uint64_t offsetAt = 0; ///< offset of its field `offset`
};

class Directory {
public:
    Directory(const GgufTensors& from, std::vector<std::string>& notes)
        : m_from(from)
        , m_notes(notes)
        , m_at(from.at)
        , m_cut(from.bytes.size())
    {
    }

    Result<void> read(GgufHead& head)
    {
        for (std::uint64_t i = 0; i < m_from.count; ++i)
            if (auto done = readEntry(i); !done)
                return done;
        const auto start = checkedRoundUp(m_at, m_from.alignment);
        head.dataStart = *start; // m_at lies in the file and the alignment is at most 2^30
        for (Entry& entry : m_entries)
            if (auto done = place(entry, head.dataStart); !done)
                return done;
        if (auto done = m_cut.finish(m_from.refusals); !done)
            return done;
        if (auto done = checkCover(head.dataStart); !done)
            return done;
        for (Entry& entry : m_entries)
            head.tensors.push_back(std::move(entry.tensor));
        return {};
    }

private:
    Error failed(Errc code, std::uint64_t at, std::string why) const
    {
        return {code, "read the GGUF tensor directory", m_from.file, at, std::move(why)};
    }

    template <class T>
    Result<T> number(const Field& field, std::string_view part)
    {
        const std::uint64_t left = m_from.bytes.size() - m_at;
        if (left < sizeof(T))
            return failed(Errc::Truncated, m_at,
                field + part + " takes " + std::to_string(sizeof(T)) + " bytes, but only " + std::to_string(left)
                    + " are left");
        T value{};
        std::memcpy(&value, m_from.bytes.data() + m_at, sizeof value);
        m_at += sizeof value;
        return value;
    }

    Result<void> readEntry(std::uint64_t index)
    {
        Entry entry;
        entry.at = m_at;
        Field field{index, {}};
        if (auto done = readName(entry, field); !done)
            return done;
        field.name = entry.tensor.name;
        if (auto done = readShape(entry, field); !done)
            return done;
        if (auto done = readType(entry, field); !done)
            return done;
        entry.offsetAt = m_at;
        const auto offset = number<std::uint64_t>(field, ".offset");
        if (!offset)
            return offset.error();
        if (*offset % m_from.alignment != 0)
            return failed(Errc::Malformed, entry.offsetAt,
                field + ".offset is " + std::to_string(*offset) + ", it has to be a multiple of the alignment "
                    + std::to_string(m_from.alignment));
        entry.tensor.offset = *offset;
        entry.tensor.file = m_from.fileIndex;
        m_entries.push_back(std::move(entry));
        return {};
    }

    Result<void> readName(Entry& entry, const Field& field)
    {
        auto name = readGgufValue(m_from.bytes, m_at, 0, static_cast<std::uint32_t>(GgufType::String));
        if (!name)
            return failed(name.error().code, *name.error().offset, field + ".name: " + name.error().why);
        const std::string_view text = *name->string();
        if (text.empty() || text.size() > maxNameBytes)
            return failed(Errc::Malformed, entry.at,
                field + ".name has " + std::to_string(text.size()) + " characters, it has to have 1 to "
                    + std::to_string(maxNameBytes));
        const auto [first, isNew] = m_index.try_emplace(text, entry.at);
        if (!isNew)
            return failed(Errc::Malformed, entry.at,
                field + ".name is " + quotedText(text) + ", as of the tensor at offset " + std::to_string(first->second)
                    + " of the directory; names have to be unique");
        entry.tensor.name = std::string(text);
        return {};
    }

    /// The file has the fastest dimension first.
    Result<void> readShape(Entry& entry, const Field& field)
    {
        const std::uint64_t at = m_at;
        const auto count = number<std::uint32_t>(field, ".n_dimensions");
        if (!count)
            return count.error();
        if (*count == 0 || *count > maxDimensions)
            return failed(Errc::Malformed, at,
                field + ".n_dimensions is " + std::to_string(*count) + ", it has to be 1 to "
                    + std::to_string(maxDimensions));
        for (std::uint32_t i = 0; i < *count; ++i) {
            const std::uint64_t dimensionAt = m_at;
            const auto dimension = number<std::uint64_t>(field, ".dimensions");
            if (!dimension)
                return dimension.error();
            if (*dimension == 0)
                return failed(Errc::Malformed, dimensionAt,
                    field + ".dimensions[" + std::to_string(i) + "] is 0, it has to be at least 1");
            entry.tensor.shape.insert(entry.tensor.shape.begin(), *dimension);
        }
        if (!checkedProduct(entry.tensor.shape))
            return failed(Errc::Malformed, at,
                field + ".dimensions are " + shapeText(entry.tensor.shape) + ", their product does not fit in 64 bits");
        return {};
    }

    Result<void> readType(Entry& entry, const Field& field)
    {
        const std::uint64_t at = m_at;
        TensorInfo& tensor = entry.tensor;
        const auto type = number<std::uint32_t>(field, ".type");
        if (!type)
            return type.error();
        const auto known = ggmlType(*type);
        if (!known) {
            tensor.dtype = DType::Unknown;
            tensor.typeText = ggmlTypeText(*type);
            m_notes.push_back(m_from.file + " at offset " + std::to_string(at) + ": " + (field + ".type is ")
                + std::to_string(*type) + " (" + tensor.typeText
                + "), which this program cannot size; the tensor is listed and not used");
            return {};
        }
        tensor.dtype = *known;
        if (!isWholeBlocks(*known, tensor.shape.back()))
            return failed(Errc::Mismatch, at,
                field + ".type is " + std::string(name(*known)) + " in blocks of "
                    + std::to_string(traits(*known).blockElements) + ", its rows of "
                    + std::to_string(tensor.shape.back()) + " elements are no whole blocks");
        const auto size = tensorBytes(*known, tensor.shape);
        const auto padded = size ? checkedRoundUp(*size, m_from.alignment) : std::nullopt;
        if (!padded)
            return failed(Errc::Malformed, at,
                field + " of shape " + shapeText(tensor.shape) + " and type " + std::string(name(*known))
                    + ": its size in bytes, padded to " + std::to_string(m_from.alignment)
                    + ", does not fit in 64 bits");
        tensor.size = *size;
        return {};
    }

    /// A tensor that the file cuts fails the whole of it in the end, once it is known how many there are.
    Result<void> place(Entry& entry, std::uint64_t dataStart)
    {
        TensorInfo& tensor = entry.tensor;
        const std::uint64_t inData = tensor.offset;
        const auto field = [&] {
            return "tensor " + quotedText(tensor.name) + " of "
                + (hasSize(tensor) ? std::to_string(tensor.size) + " bytes" : "an unknown size") + " at offset "
                + std::to_string(inData) + " of the data";
        };
        const auto begin = checkedAdd(dataStart, tensor.offset);
        const auto end = begin ? checkedAdd(*begin, tensor.size) : std::nullopt;
        if (!end)
            return failed(Errc::Malformed, entry.offsetAt, field() + ": its end does not fit in 64 bits");
        tensor.offset = *begin;
        m_cut.look(tensor, [&] {
            return failed(Errc::Truncated, entry.offsetAt,
                field() + ": the file ends "
                    + (hasSize(tensor) ? std::to_string(*end - m_from.bytes.size()) + " bytes early"
                                       : "before it begins"));
        });
        return {};
    }

    /// Two tensors that share bytes are an error, bytes of no tensor beyond the padding a note.
    Result<void> checkCover(std::uint64_t dataStart)
    {
        std::vector<const Entry*> order;
        for (const Entry& entry : m_entries)
            order.push_back(&entry);
        std::ranges::stable_sort(order, {}, [](const Entry* entry) { return entry->tensor.offset; });
        std::uint64_t covered = dataStart;
        const Entry* last = nullptr;
        for (const Entry* entry : order) {
            const TensorInfo& tensor = entry->tensor;
            if (last && tensor.size && tensor.offset < covered)
                return failed(Errc::Malformed, entry->offsetAt,
                    "tensors " + quotedText(last->tensor.name) + " and " + quotedText(tensor.name)
                        + " overlap: the first one's bytes end at offset " + std::to_string(covered)
                        + " of the file, the other's begin at " + std::to_string(tensor.offset));
            noteGap(last, covered, tensor.offset, &tensor);
            covered = std::max(covered, tensor.offset + tensor.size);
            last = entry;
        }
        noteGap(last, covered, m_from.bytes.size(), nullptr);
        return {};
    }

    /// Up to one alignment is padding. Behind a tensor of unknown size nothing can be said. `next` null: the file ends.
    void noteGap(const Entry* last, std::uint64_t begin, std::uint64_t end, const TensorInfo* next)
    {
        const bool sized = !last || last->tensor.dtype != DType::Unknown;
        end = std::min<std::uint64_t>(end, m_from.bytes.size());
        if (sized && begin < end && end - begin >= m_from.alignment)
            m_notes.push_back(unclaimedNote(m_from.file, m_from.bytes, begin, end,
                next ? "in front of tensor " + next->name : std::string("at the end of the file")));
    }

    const GgufTensors& m_from;
    std::vector<std::string>& m_notes;
    std::size_t m_at;
    std::vector<Entry> m_entries;
    std::unordered_map<std::string_view, std::uint64_t> m_index; ///< offset of each entry, by name
    FileCut m_cut;
};

} // namespace

Result<void> readGgufTensors(const GgufTensors& from, GgufHead& head, std::vector<std::string>& notes)
{
    return Directory(from, notes).read(head);
}

} // namespace colibri
