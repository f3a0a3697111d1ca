// SPDX-License-Identifier: Apache-2.0
#include "format/inside_folder.h"

#include "format/config_file.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace colibri {
namespace {

bool isPlain(std::string_view name)
{
    if (name.empty() || name.find('\0') != std::string_view::npos)
        return false;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..")
            return false;
        begin = end + 1;
    }
    return true;
}

/// Whether `path`, with all links followed, lies in `folder`. A path that does not exist does not.
bool liesInside(const std::filesystem::path& folder, const std::filesystem::path& path)
{
    std::error_code failed;
    const auto root = std::filesystem::canonical(folder, failed);
    const auto target = failed ? std::filesystem::path() : std::filesystem::canonical(path, failed);
    return !failed && std::ranges::mismatch(root, target).in1 == root.end();
}

} // namespace

Result<std::shared_ptr<const MappedFile>> mapInside(
    const std::string& folder, const std::string& name, const std::string& config, std::uint64_t offset)
{
    if (!isPlain(name))
        return Error{Errc::Malformed, "find a file of the model", config, offset,
            "\"" + name + "\" has to be a plain path inside of the folder"};
    const std::string path = joinPath(folder, name);
    auto mapped = MappedFile::open(path);
    if (mapped && !liesInside(folder, path))
        return Error{Errc::Malformed, "find a file of the model", config, offset,
            "\"" + name + "\" is a link that leads out of the folder"};
    return mapped;
}

} // namespace colibri
