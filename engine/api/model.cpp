// SPDX-License-Identifier: Apache-2.0
#include "api/model.h"

#include "api/model_impl.h"
#include "api/model_tokenizer.h"
#include "format/metadata_list.h"
#include "format/readers.h"
#include "model/config_writer.h"
#include "model/find_tensor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace colibri {
namespace {

/// Hash of the configuration and of the tensors that are used: canonical names, dtypes, shapes without leading ones.
/// Files, layouts and what the container calls a tensor do not matter, so a GGUF file, a folder with the same weights
/// in the same types, and an export with types kept have one id, as long as they state the same rules.
std::string modelId(const LoadedModel& model)
{
    std::string text = canonicalConfig(model.config);
    const auto add = [&text](const TensorInfo& tensor) {
        text.append(" ").append(typeName(tensor));
        std::span<const std::uint64_t> shape = tensor.shape;
        while (shape.size() > 1 && shape.front() == 1)
            shape = shape.subspan(1);
        for (const std::uint64_t extent : shape)
            text.append(" ").append(std::to_string(extent));
    };
    forEachTensor(
        model.source, model.config, [&](const TensorSlot&, std::uint32_t, std::uint32_t, const FoundTensor& found) {
            text.append("\n").append(found.part.name);
            add(found.part);
            if (found.factors)
                add(*found.factors);
        });
    constexpr std::string_view digits = "0123456789abcdef";
    std::uint64_t hash = XXH64(text.data(), text.size(), 0);
    std::string id(16, '0');
    for (auto digit = id.rbegin(); digit != id.rend(); ++digit, hash >>= 4)
        *digit = digits[hash & 15];
    return id;
}

} // namespace

Model::Model(std::unique_ptr<const Impl> impl)
    : m_impl(std::move(impl))
{
}
Model::~Model() = default;

const std::string& Model::path() const
{
    return m_impl->path;
}
std::string_view Model::format() const
{
    return m_impl->loaded->source.format;
}
const ModelConfig& Model::config() const
{
    return m_impl->loaded->config;
}
std::span<const FileInfo> Model::files() const
{
    return m_impl->files;
}
std::span<const TensorInfo> Model::tensors() const
{
    return m_impl->loaded->source.tensors;
}
std::span<const MetadataEntry> Model::metadata() const
{
    return m_impl->metadata;
}
std::span<const std::string> Model::notes() const
{
    return m_impl->loaded->source.notes;
}
const std::string& Model::id() const
{
    return m_impl->id;
}
std::uint64_t Model::parameters() const
{
    return m_impl->loaded->parameters;
}
std::uint64_t Model::activeParameters() const
{
    return m_impl->loaded->activeParameters;
}
ModelMemory Model::memory() const
{
    return {m_impl->loaded->mappedBytes, m_impl->loaded->copied.bytes()};
}
bool Model::hasTable() const
{
    return m_impl->loaded->source.table.has_value();
}
bool Model::hasRouterLogits() const
{
    return m_impl->loaded->source.routerLogits.has_value();
}
bool Model::hasTokenizer() const
{
    return m_impl->tokenizer != nullptr;
}
Result<void> Model::checkMappings() const
{
    return m_impl->loaded->checkMappings();
}

bool Model::hasRouter() const
{
    return m_impl->loaded->hasRouter();
}

Result<std::vector<TokenId>> Model::tokenize(std::string_view text) const
{
    if (m_impl->tokenizerRefused)
        return *m_impl->tokenizerRefused;
    if (!m_impl->tokenizer)
        return Error{Errc::Unsupported, "tokenize a text", m_impl->path, std::nullopt,
            std::string("the model has no ")
                + (format() == "gguf" ? "tokenizer that this version reads" : "tokenizer.json")
                + "; give token ids instead"};
    auto ids = m_impl->tokenizer->encode(text);
    if (!ids)
        return ids;
    const TextFrame& frame = m_impl->tokenizer->frame();
    ids->insert(ids->begin(), frame.begin.begin(), frame.begin.end());
    ids->insert(ids->end(), frame.end.begin(), frame.end.end());
    if (!frame.stated && config().addBeginOfText)
        ids->insert(ids->begin(), *config().beginOfText);
    return ids;
}

std::string_view Model::tokenBytes(TokenId id) const
{
    return m_impl->tokenizer ? m_impl->tokenizer->bytes(id) : std::string_view();
}
bool Model::isSpecialToken(TokenId id) const
{
    return m_impl->tokenizer && m_impl->tokenizer->isSpecial(id);
}
bool Model::isByteToken(TokenId id) const
{
    return m_impl->tokenizer && m_impl->tokenizer->texts().isByte(id);
}
const TextRules& Model::textRules() const
{
    static const TextRules usual;
    return m_impl->tokenizer ? m_impl->tokenizer->texts().rules() : usual;
}
std::string Model::detokenize(std::span<const TokenId> ids) const
{
    return m_impl->tokenizer ? m_impl->tokenizer->decode(ids) : std::string();
}

std::vector<FileInfo> filesOf(const ModelSource& source)
{
    std::vector<FileInfo> files;
    for (const auto& file : source.files)
        files.push_back({file->path(), file->bytes().size(), file->isAbsent()});
    return files;
}

Result<ModelSource> readSource(
    const std::string& path, const OpenOptions& options, std::stop_token stop, Incomplete incomplete)
{
    const std::string folder = path == "demo" ? demoModelPath() : path;
    if (folder.empty())
        return Error{Errc::NotFound, "open the demo model", {}, std::nullopt,
            "its folder was not found beside the program; set COLIBRI_DATA to the folder that holds demo/"};
    return readModelSource(folder, options.raw, std::move(stop), incomplete);
}

Result<ModelPtr> openSource(const std::string& path, ModelSource source, std::optional<ModelConfig> config,
    const OpenOptions& options, OpenProgress* progress, std::stop_token stop)
{
    auto loaded =
        config ? bindModel(std::move(source), std::move(*config), progress) : bindModel(std::move(source), progress);
    if (!loaded)
        return loaded.error();
    auto tokenizer = loadTokenizer((*loaded)->source, (*loaded)->config.vocabSize);
    if (!tokenizer)
        return tokenizer.error();
    if (tokenizer->refused)
        (*loaded)->source.notes.push_back("texts cannot be tokenized, " + tokenizer->refused->message());
    if (auto populated = populateModel(**loaded, options.load, progress, stop); !populated)
        return populated.error();
    auto impl = std::make_unique<Model::Impl>();
    impl->path = path;
    impl->tokenizer = std::move(tokenizer->tokenizer);
    impl->tokenizerRefused = std::move(tokenizer->refused);
    impl->files = filesOf((*loaded)->source);
    impl->metadata = listMetadata((*loaded)->source);
    impl->id = modelId(**loaded);
    impl->loaded = std::move(*loaded);
    return ModelPtr(std::make_shared<const Model>(std::move(impl)));
}

Result<ModelPtr> openModel(
    const std::string& path, const OpenOptions& options, OpenProgress* progress, std::stop_token stop)
{
    auto source = readSource(path, options, stop);
    return source ? openSource(path, std::move(*source), {}, options, progress, std::move(stop)) : source.error();
}

std::string demoModelPath()
{
    namespace fs = std::filesystem;
    std::error_code failed;
    const char* stated = std::getenv("COLIBRI_DATA");
    const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
    const std::array<fs::path, 3> places{
        stated ? fs::path(stated) : fs::path(), program / COLIBRI_INSTALLED_DATA, fs::path(COLIBRI_SOURCE_DATA)};
    for (const fs::path& place : places)
        if (!place.empty() && fs::exists(place / "demo" / "config.json", failed))
            return (place / "demo").lexically_normal().string();
    return {};
}

} // namespace colibri
