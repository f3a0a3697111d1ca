// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"

#include "cli/arguments.h"
#include "cli/report.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace colibri::cli {
namespace {

constexpr std::size_t maxInputBytes = std::size_t{1} << 30;
constexpr const char* separators = ", \t\r\n";

Error readError(const std::string& name, int number)
{
    return {number == ENOENT ? Errc::NotFound : Errc::Io, "read", name, {}, std::strerror(number)};
}

Result<std::string> readAll(int descriptor, const std::string& name, std::stop_token stop)
{
    std::string text;
    char block[65536];
    while (true) {
        pollfd waiting{descriptor, POLLIN, 0};
        const int ready = poll(&waiting, 1, 100);
        if (stop.stop_requested())
            return Error{Errc::Cancelled, "read", name, {}, "interrupted"};
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        const ssize_t count = read(descriptor, block, sizeof block);
        if (count < 0 && errno != EINTR)
            return readError(name, errno);
        if (count == 0)
            return text;
        text.append(block, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (text.size() > maxInputBytes)
            return Error{Errc::OutOfRange, "read", name, {}, "longer than 1 GiB"};
    }
}

/// The inside of "[1, 2]"; anything else as it is.
std::string withoutBrackets(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(separators);
    const std::size_t last = text.find_last_not_of(separators);
    const bool array = first != std::string::npos && last > first && text[first] == '[' && text[last] == ']';
    return array ? text.substr(first + 1, last - first - 1) : text;
}

} // namespace

Result<std::string> readFile(const std::string& path)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return readError(path, errno);
    Result<std::string> text = readAll(descriptor, path, {});
    close(descriptor);
    return text;
}

Result<std::string> readStandardInput(std::stop_token stop)
{
    return readAll(STDIN_FILENO, "standard input", stop);
}

Result<std::vector<TokenId>> tokenList(const std::string& text, const std::string& where)
{
    const std::string list = withoutBrackets(text);
    std::vector<TokenId> ids;
    for (std::size_t at = list.find_first_not_of(separators); at != std::string::npos;) {
        const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
        const std::string word = list.substr(at, std::min<std::size_t>(end - at, 40));
        const Result<TokenId> id = numberFrom<TokenId>(word, 0, std::numeric_limits<TokenId>::max());
        if (!id)
            return usageError(where, id.error().why + ", as a token id has to be");
        ids.push_back(*id);
        at = list.find_first_not_of(separators, end);
    }
    if (ids.empty())
        return usageError(where, "holds no token id");
    return ids;
}

} // namespace colibri::cli
