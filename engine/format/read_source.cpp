// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_layout.h"
#include "format/colibri_reader.h"
#include "format/output_folder.h"
#include "format/readers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

namespace colibri {
namespace {

constexpr std::string_view safetensorsSuffix = ".safetensors";
constexpr std::string_view lookedFor =
    "looked for config.json with \"format\": \"colibri\" (Colibri export), *.safetensors "
    "(Hugging Face folder) and expert_*.bin (raw export)";

/// What tells the kinds of folders apart.
struct FolderSigns {
    bool config = false;
    bool safetensors = false;
    bool rawExperts = false;
};

Error openError(Errc code, const std::string& path, std::string why)
{
    return {code, "open the model", path, {}, std::move(why)};
}

Error systemError(const std::string& path, const std::error_code& failed)
{
    const bool missing = failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
    return openError(missing ? Errc::NotFound : Errc::Io, path, missing ? "no such file or folder" : failed.message());
}

/// The folder that `path` names: itself, or the one that holds the config.json it is.
Result<std::string> modelFolder(const std::string& path)
{
    std::error_code failed;
    const std::filesystem::path given(path);
    const auto status = std::filesystem::status(given, failed);
    if (!std::filesystem::exists(status))
        return systemError(path, failed ? failed : std::make_error_code(std::errc::no_such_file_or_directory));
    if (std::filesystem::is_directory(status))
        return path;
    if (given.filename().native() == configFileName)
        return given.has_parent_path() ? given.parent_path().native() : std::string(".");
    return openError(Errc::Unsupported, path,
        "is a file, but no GGUF; a model is opened by a GGUF file, by its folder or by the path of the config.json in "
        "it");
}

/// Whether a file is to be read as GGUF: by its first bytes, or, so that a damaged one is named as such, by its name.
bool looksLikeGguf(const std::string& path)
{
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
        return false;
    std::array<char, 4> magic{};
    std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
    const std::string_view text(magic.data(), magic.size());
    return text == "GGUF" || text == "FUGG" || path.ends_with(".gguf");
}

/// An export that was never published, because its writer was ended, may lack anything.
Result<void> refuseUnfinished(const std::string& folder)
{
    std::error_code failed;
    const auto whole = std::filesystem::canonical(folder, failed);
    return !failed && isUnfinishedName(whole.filename().native())
        ? openError(Errc::Unsupported, folder, "is an export that was not finished; it can be deleted")
        : Result<void>{};
}

Result<FolderSigns> lookInto(const std::string& folder)
{
    FolderSigns signs;
    std::error_code failed;
    std::filesystem::directory_iterator entries(folder, failed);
    for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
        const std::string name = entries->path().filename().native();
        signs.config |= name == configFileName;
        signs.safetensors |= name.ends_with(safetensorsSuffix) || name == "model.safetensors.index.json";
        signs.rawExperts |= name.starts_with("expert_") && name.ends_with(".bin");
    }
    return failed ? Result<FolderSigns>(systemError(folder, failed)) : signs;
}

bool saysColibri(const ConfigFile& config)
{
    const JsonValue* const format = config.root.find(key::format);
    return format && format->string() && *format->string() == colibriFormatName;
}

} // namespace

Result<ModelSource> readModelSource(
    const std::string& path, const std::optional<RawOptions>& raw, std::stop_token stop, Incomplete incomplete)
{
    if (!raw && looksLikeGguf(path))
        return readGguf(path, std::move(stop), incomplete);
    const auto folder = modelFolder(path);
    if (!folder)
        return folder.error();
    if (auto done = refuseUnfinished(*folder); !done)
        return done.error();
    if (raw)
        return readRawExport(*folder, *raw, std::move(stop));
    const auto signs = lookInto(*folder);
    if (!signs)
        return signs.error();

    if (signs->config) {
        auto config = readConfigFile(*folder);
        if (!config)
            return config.error();
        if (saysColibri(*config))
            return readColibriExport(*folder, std::move(*config), std::move(stop), incomplete);
    }
    if (signs->safetensors)
        return readHuggingFaceFolder(*folder, std::move(stop), incomplete);
    if (signs->rawExperts)
        return readRawExport(*folder, {}, std::move(stop));
    return openError(Errc::NotFound, path, "holds no model: " + std::string(lookedFor));
}

} // namespace colibri
