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

Result<std::shared_ptr<const MappedFile>> addFileInside(
    ModelSource& source, const std::string& name, const FileStatement& at)
{
    const auto failed = [&](Errc code, const std::string& rule) {
        return Error{
            code, "find a file of the model", at.config, at.offset, at.field + " is \"" + name + "\", " + rule};
    };
    if (!isPlain(name))
        return failed(Errc::Malformed, "it has to be a plain path inside of the folder");
    const std::string path = joinPath(source.path, name);
    auto mapped = MappedFile::open(path);
    if (!mapped && mapped.error().code == Errc::NotFound) {
        source.files.push_back(MappedFile::absent(path));
        return failed(Errc::NotFound, "which does not exist in the folder; it has to hold " + at.content);
    }
    if (!mapped)
        return mapped;
    if (!liesInside(source.path, path))
        return failed(Errc::Malformed, "a link that leads out of the folder");
    source.files.push_back(*mapped);
    return mapped;
}

} // namespace colibri
