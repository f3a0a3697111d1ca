// SPDX-License-Identifier: Apache-2.0
#include "format/readers.h"
#include "format/tensor_list.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace colibri {

namespace {

constexpr const char* readingFolder = "read the Hugging Face folder";
constexpr const char* singleFile = "model.safetensors";
constexpr const char* indexFile = "model.safetensors.index.json";

Error failed(Errc code, const std::string& file, std::optional<std::uint64_t> at, std::string why)
{
    return {code, readingFolder, file, at, std::move(why)};
}

bool exists(const std::filesystem::path& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

Result<JsonValue> readObject(const std::string& path)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const auto bytes = (*file)->bytes();
    auto root = parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
    if (root && !root->object())
        return failed(
            Errc::Malformed, path, root->offset, "the file holds " + shortText(*root) + ", it must hold an object");
    return root;
}

/// What the index says: for each tensor the shard that holds it, and for each shard, by its plain name, its tensors.
struct ShardIndex {
    struct Place {
        std::string shard;
        std::uint64_t at = 0; ///< offset in the index
    };
    std::string file;
    std::map<std::string, Place> places; ///< by name of the tensor
    std::map<std::string, std::vector<std::string>> shards;
};

bool plainName(const std::string& name)
{
    return !name.empty() && name != "." && name != ".."
        && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

Result<ShardIndex> readIndex(const std::string& path)
{
    ShardIndex index;
    index.file = path;
    const auto root = readObject(path);
    if (!root)
        return root.error();
    const JsonValue* const map = root->find("weight_map");
    if (!map || !map->object() || map->object()->empty())
        return failed(Errc::Malformed, path, map ? map->offset : root->offset,
            "weight_map is " + (map ? shortText(*map) : "missing")
                + ", it must be an object that names a file for each tensor");
    for (const auto& [tensor, shard] : *map->object()) {
        if (!shard.string() || !plainName(*shard.string()))
            return failed(Errc::Malformed, path, shard.offset,
                "weight_map[\"" + tensor + "\"] is " + shortText(shard)
                    + ", it must be the plain name of a file in the same folder");
        index.places.emplace(tensor, ShardIndex::Place{*shard.string(), shard.offset});
        index.shards[*shard.string()].push_back(tensor);
    }
    return index;
}

/// Maps one file of weights and appends its tensors.
Result<void> addWeights(const std::string& path, ModelSource& source, Incomplete incomplete)
{
    auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const auto index = static_cast<std::uint32_t>(source.files.size());
    source.files.push_back(*file);
    auto tensors = parseSafetensors(
        (*file)->bytes(), path, index, source.notes, incomplete == Incomplete::List ? &source.refusals : nullptr);
    if (!tensors)
        return tensors.error();
    std::move(tensors->begin(), tensors->end(), std::back_inserter(source.tensors));
    return {};
}

/// The index and the shards' own directories must agree. Tensors have been sorted by name.
Result<void> checkIndex(const ShardIndex& index, const std::string& folder, ModelSource& source)
{
    for (const auto& [name, place] : index.places) {
        const std::string expected = (std::filesystem::path(folder) / place.shard).string();
        const auto before = [](const TensorInfo& tensor, const std::string& key) { return tensor.name < key; };
        const auto at = std::lower_bound(source.tensors.begin(), source.tensors.end(), name, before);
        const bool found = at != source.tensors.end() && at->name == name;
        if (!found || source.files[at->file]->path() != expected)
            return failed(Errc::Mismatch, index.file, place.at,
                "weight_map puts tensor " + name + " into " + place.shard + ", but "
                    + (found ? "it stands in " + source.files[at->file]->path() : "no shard holds it"));
    }
    for (const TensorInfo& tensor : source.tensors)
        if (!index.places.contains(tensor.name))
            source.notes.push_back(
                source.files[tensor.file]->path() + ": tensor " + tensor.name + " is not listed in " + index.file);
    return {};
}

/// Files of weights in the folder that the model does not use, in order.
template <class IsUsed>
void noteUnlisted(const std::string& folder, const IsUsed& isUsed, ModelSource& source)
{
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == ".safetensors")
            names.push_back(at->path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names)
        if (!isUsed(name))
            source.notes.push_back((std::filesystem::path(folder) / name).string()
                + ": this file of weights is not part of the model and was not read");
}

/// A file of the source whose own directory cannot be read.
struct LackingShard {
    std::uint32_t file = 0;
    const std::vector<std::string>& tensors; ///< names, from the index
};

/// Lists what the index says of such shards: the names of their tensors, but of those that stand elsewhere. Tensors
/// have been sorted by name, and are afterwards.
void addNames(std::span<const LackingShard> shards, ModelSource& source)
{
    TensorInfo tensor;
    tensor.dtype = DType::Unknown;
    tensor.typeText = "unknown";
    tensor.presence = Presence::NameOnly;
    const std::size_t found = source.tensors.size();
    for (const LackingShard& shard : shards)
        for (const std::string& name : shard.tensors) {
            const std::span<const TensorInfo> there(source.tensors.data(), found);
            if (std::ranges::binary_search(there, name, {}, &TensorInfo::name))
                continue;
            tensor.file = shard.file;
            tensor.name = name;
            source.tensors.push_back(tensor);
        }
    std::ranges::sort(source.tensors, {}, &TensorInfo::name);
}

Result<void> readShards(const std::string& folder, const std::string& indexPath, ModelSource& source,
    std::stop_token stop, Incomplete incomplete)
{
    const auto index = readIndex(indexPath);
    if (!index)
        return index.error();
    std::vector<LackingShard> lacking;
    std::size_t number = 0;
    for (const auto& [shard, tensors] : index->shards) {
        ++number;
        if (stop.stop_requested())
            return Error{Errc::Cancelled, "read the model", folder, {}, {}};
        const std::string path = (std::filesystem::path(folder) / shard).string();
        const bool there = exists(path);
        const auto added = there ? addWeights(path, source, incomplete)
                                 : failed(Errc::NotFound, path, {},
                                     "the file does not exist, it is shard " + std::to_string(number) + " of the "
                                         + std::to_string(index->shards.size()) + " that " + indexPath + " lists");
        if (added)
            continue;
        if (incomplete == Incomplete::Refuse || !isDamage(added.error().code))
            return added;
        if (!there)
            source.files.push_back(MappedFile::absent(path));
        source.refusals.push_back(added.error());
        lacking.push_back({static_cast<std::uint32_t>(source.files.size() - 1), tensors});
    }
    if (const auto sorted = sortTensors(source, readingFolder); !sorted)
        return sorted.error();
    addNames(lacking, source);
    noteUnlisted(
        folder, [&](const std::string& name) { return index->shards.contains(name); }, source);
    return checkIndex(*index, folder, source);
}

Result<void> readSingle(const std::string& folder, ModelSource& source, Incomplete incomplete)
{
    const std::string path = (std::filesystem::path(folder) / singleFile).string();
    if (const auto added = addWeights(path, source, incomplete); !added)
        return added.error();
    noteUnlisted(
        folder, [](const std::string& name) { return name == singleFile; }, source);
    return sortTensors(source, readingFolder);
}

Result<void> readWeights(const std::string& folder, ModelSource& source, std::stop_token stop, Incomplete incomplete)
{
    const std::string single = (std::filesystem::path(folder) / singleFile).string();
    const std::string index = (std::filesystem::path(folder) / indexFile).string();
    if (exists(single)) {
        if (exists(index))
            source.notes.push_back(index + ": not read, since " + singleFile + " stands beside it");
        return readSingle(folder, source, incomplete);
    }
    if (exists(index))
        return readShards(folder, index, source, stop, incomplete);
    return failed(
        Errc::NotFound, folder, {}, std::string("the folder holds neither ") + singleFile + " nor " + indexFile);
}

} // namespace

Result<ModelSource> readHuggingFaceFolder(const std::string& folder, std::stop_token stop, Incomplete incomplete)
{
    const std::filesystem::path root(folder);
    ModelSource source;
    source.path = folder;
    source.format = "huggingface";
    source.configFile = (root / "config.json").string();
    auto config = readObject(source.configFile);
    if (!config)
        return config.error();
    source.config = std::move(*config);
    for (const auto& [name, into] : {std::pair("generation_config.json", &source.generationConfig),
             std::pair("tokenizer_config.json", &source.tokenizerConfig)}) {
        const std::string path = (root / name).string();
        if (!exists(path))
            continue;
        auto object = readObject(path);
        if (!object)
            return object.error();
        *into = std::move(*object);
    }
    if (const std::string path = (root / "tokenizer.json").string(); exists(path))
        source.tokenizerFile = path;
    if (const auto read = readWeights(folder, source, stop, incomplete); !read)
        return read.error();
    return source;
}

} // namespace colibri
