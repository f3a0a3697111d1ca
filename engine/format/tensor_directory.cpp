// SPDX-License-Identifier: Apache-2.0
#include "format/tensor_directory.h"

#include "format/tensor_list.h"
#include "types/checked.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace colibri {
namespace {

constexpr std::size_t maxRank = 8;

/// Reads one entry of "tensors".
class EntryReader {
public:
    EntryReader(const JsonValue& entry, const std::string& config, std::size_t index)
        : m_entry(entry)
        , m_config(config)
        , m_where("tensors[" + std::to_string(index) + "].")
    {
    }

    Result<TensorInfo> read(std::string& file)
    {
        if (!m_entry.object())
            return fail("", "is a " + std::string(m_entry.typeName()) + ", it has to be an object");
        for (const auto step : {&EntryReader::readName, &EntryReader::readTypes, &EntryReader::readShape,
                 &EntryReader::readRange, &EntryReader::readChecksum})
            if (auto done = (this->*step)(); !done)
                return done.error();
        auto fileName = readString(m_entry, "file", m_config, m_where);
        if (!fileName)
            return fileName.error();
        file = std::move(*fileName);
        return std::move(m_tensor);
    }

private:
    Error fail(std::string_view field, const std::string& why, Errc code = Errc::Malformed) const
    {
        const JsonValue* const value = m_entry.find(field);
        const std::string where = field.empty() ? m_where.substr(0, m_where.size() - 1) : m_where + std::string(field);
        const std::string tensor = m_tensor.name.empty() ? "" : " (" + m_tensor.name + ")";
        return {code, "read the tensor directory", m_config, (value ? value : &m_entry)->offset,
            where + tensor + " " + why};
    }

    Result<void> readName()
    {
        auto text = readString(m_entry, "name", m_config, m_where);
        if (!text)
            return text.error();
        if (text->empty())
            return fail("name", "is empty");
        m_tensor.name = std::move(*text);
        return {};
    }

    Result<void> readTypes()
    {
        const auto dtype = readString(m_entry, "dtype", m_config, m_where);
        if (!dtype)
            return dtype.error();
        const auto layout = readString(m_entry, "layout", m_config, m_where);
        if (!layout)
            return layout.error();
        const auto knownDType = heldDTypeNamed(*dtype);
        if (!knownDType)
            return fail("dtype", "is \"" + *dtype + "\", this version reads " + heldDTypes(), Errc::Unsupported);
        const auto knownLayout = layoutNamed(*layout);
        if (!knownLayout)
            return fail("layout", "is \"" + *layout + "\", it has to be row_major or column_major");
        m_tensor.dtype = *knownDType;
        m_tensor.layout = *knownLayout;
        return {};
    }

    Result<void> readShape()
    {
        const JsonValue* const shape = m_entry.find("shape");
        if (!shape || !shape->array())
            return fail("shape", "has to be a list of integers");
        if (shape->array()->size() > maxRank)
            return fail("shape",
                "has " + std::to_string(shape->array()->size()) + " dimensions, at most " + std::to_string(maxRank)
                    + " are allowed");
        for (const JsonValue& dimension : *shape->array()) {
            const auto number = dimension.unsignedInteger();
            if (!number)
                return fail(
                    "shape", "holds a " + std::string(dimension.typeName()) + " that is no integer of 0 or more");
            m_tensor.shape.push_back(*number);
        }
        const bool addressed = m_tensor.dtype != DType::Int8 && !isBlocks(m_tensor.dtype);
        if (m_tensor.layout == Layout::ColumnMajor && (m_tensor.shape.size() != 2 || !addressed))
            return fail("layout", "is column_major, which only matrices of f32, f16 and bf16 can be");
        return {};
    }

    Result<void> readRange()
    {
        constexpr std::uint64_t anything = UINT64_MAX;
        const auto offset = readUnsigned(m_entry, "offset", 0, anything, m_config, m_where);
        if (!offset)
            return offset.error();
        const auto size = readUnsigned(m_entry, "size", 0, anything, m_config, m_where);
        if (!size)
            return size.error();
        if (*offset % tensorAlignment)
            return fail(
                "offset", "is " + std::to_string(*offset) + ", no multiple of " + std::to_string(tensorAlignment));
        const auto needed = tensorBytes(m_tensor.dtype, m_tensor.shape);
        const std::string what = "shape " + shapeText(m_tensor.shape) + " of " + std::string(name(m_tensor.dtype));
        const std::uint64_t columns = m_tensor.shape.empty() ? 1 : m_tensor.shape.back();
        if (!isWholeBlocks(m_tensor.dtype, columns))
            return fail("shape",
                "has rows of " + std::to_string(columns) + ", " + std::string(name(m_tensor.dtype)) + " has blocks of "
                    + std::to_string(traits(m_tensor.dtype).blockElements));
        if (!needed)
            return fail("shape", ": " + what + " needs more bytes than 64 bits can count");
        if (*size != *needed)
            return fail("size", "is " + std::to_string(*size) + ", " + what + " needs " + std::to_string(*needed),
                Errc::Mismatch);
        m_tensor.offset = *offset;
        m_tensor.size = *size;
        return {};
    }

    Result<void> readChecksum()
    {
        const JsonValue* const text = m_entry.find("xxh64");
        if (!text)
            return {};
        m_tensor.xxh64 = text->string() ? parseChecksum(*text->string()) : std::nullopt;
        return m_tensor.xxh64 ? Result<void>{} : fail("xxh64", "has to be a string of 16 hex digits");
    }

    const JsonValue& m_entry;
    const std::string& m_config;
    std::string m_where;
    TensorInfo m_tensor;
};

/// A tensor that the file cuts is left to `cut`.
Result<void> checkRange(TensorInfo& tensor, const DirectoryFile& file, const MappedFile& mapped, FileCut& cut)
{
    const auto fail = [&](Errc code, const std::string& why) {
        return Error{code, "place a tensor", mapped.path(), tensor.offset, tensor.name + why};
    };
    const std::uint64_t begin = file.expert ? sizeof(expert_blob_t) : 0;
    if (tensor.offset < begin)
        return fail(Errc::Malformed, " begins inside of the expert's header of " + std::to_string(begin) + " bytes");
    const std::string size = " has " + std::to_string(tensor.size) + " bytes from here, ";
    const auto end = checkedAdd(tensor.offset, tensor.size);
    if (!end)
        return fail(Errc::Malformed, size + "its end does not fit in 64 bits");
    const std::uint64_t fileBytes = mapped.bytes().size();
    cut.look(tensor, [&] {
        return fail(Errc::Truncated,
            size + "the file ends at " + std::to_string(fileBytes) + ", " + std::to_string(*end - fileBytes)
                + " bytes early");
    });
    return {};
}

Result<void> checkOverlaps(const DirectoryFile& file, const MappedFile& mapped)
{
    std::vector<const TensorInfo*> order;
    for (const TensorInfo& tensor : file.tensors)
        if (tensor.size)
            order.push_back(&tensor);
    std::ranges::sort(order, {}, [](const TensorInfo* tensor) { return tensor->offset; });
    for (std::size_t i = 1; i < order.size(); ++i) {
        const TensorInfo& left = *order[i - 1];
        if (left.offset + left.size > order[i]->offset)
            return Error{Errc::Malformed, "place a tensor", mapped.path(), order[i]->offset,
                order[i]->name + " begins here, inside of " + left.name + ", which ends at "
                    + std::to_string(left.offset + left.size)};
    }
    return {};
}

} // namespace

Result<std::vector<DirectoryFile>> readTensorDirectory(const ConfigFile& config)
{
    const JsonValue* const tensors = config.root.find(key::tensors);
    if (!tensors || !tensors->array())
        return Error{Errc::Malformed, "read the tensor directory", config.path,
            (tensors ? tensors : &config.root)->offset, "key \"tensors\" has to be a list"};

    std::vector<DirectoryFile> files;
    std::unordered_map<std::string, std::uint32_t> fileIndex;
    std::unordered_set<std::string> names;
    for (std::size_t i = 0; i < tensors->array()->size(); ++i) {
        const JsonValue& entry = (*tensors->array())[i];
        std::string fileName;
        auto tensor = EntryReader(entry, config.path, i).read(fileName);
        if (!tensor)
            return tensor.error();
        if (!names.insert(tensor->name).second)
            return Error{Errc::Malformed, "read the tensor directory", config.path, entry.offset,
                "tensors[" + std::to_string(i) + "].name is " + tensor->name
                    + ", which an entry before it has already"};
        const auto [at, isNew] = fileIndex.try_emplace(fileName, static_cast<std::uint32_t>(files.size()));
        if (isNew) {
            const auto place = parseExpertFileName(fileName);
            if (!place && fileName.starts_with(std::string(expertsFolderName) + "/"))
                return Error{Errc::Malformed, "read the tensor directory", config.path, entry.offset,
                    "tensors[" + std::to_string(i) + "].file is \"" + fileName + "\", expert blobs are named like "
                        + expertFileName({3, 7})};
            files.push_back({std::move(fileName), place, {}, i, entry.offset});
        }
        tensor->file = at->second;
        files[at->second].tensors.push_back(std::move(*tensor));
    }
    return files;
}

Result<void> checkDirectoryFile(DirectoryFile& file, const MappedFile& mapped, ExpertLimits limits,
    std::vector<std::string>& notes, std::vector<Error>* refusals)
{
    FileCut cut(mapped.bytes().size());
    std::optional<Error> blob; // tells more than the tensors that are cut as well
    if (file.expert && !mapped.isAbsent())
        if (auto done = checkExpertBlob(file, mapped, limits, notes); !done) {
            if (done.error().code != Errc::Truncated && !(refusals && isDamage(done.error().code)))
                return done;
            blob = done.error();
        }
    for (TensorInfo& tensor : file.tensors)
        if (auto done = checkRange(tensor, file, mapped, cut); !done)
            return done;
    if (auto done = checkOverlaps(file, mapped); !done)
        return done;
    if (blob)
        cut.add(std::move(*blob));
    return mapped.isAbsent() ? Result<void>{} : cut.finish(refusals);
}

} // namespace colibri
