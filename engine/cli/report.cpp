// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace colibri::cli {

int reportError(const Error& error)
{
    std::fflush(stdout);
    const std::string line = "colibri: " + error.message() + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    return error.code == Errc::Cancelled ? exitInterrupted : exitFailed;
}

Error usageError(std::string where, std::string why)
{
    return {Errc::OutOfRange, std::move(where), {}, {}, std::move(why)};
}

void print(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void printJson(const nlohmann::ordered_json& value)
{
    print(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

Result<void> flushOutput()
{
    if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return {};
    return Error{Errc::Io, "write to standard output", {}, {}, std::strerror(errno)};
}

} // namespace colibri::cli
