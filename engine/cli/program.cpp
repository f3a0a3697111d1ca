// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include "cli/command.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/refusals.h"
#include "cli/report.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <new>

namespace colibri::cli {
namespace {

Result<int> act(const Action& action)
{
    const Interrupt interrupt;
    Result<int> code = action(interrupt.token());
    if (const Result<void> written = flushOutput(); code && !written)
        return written.error();
    return code;
}

Result<int> runCommand(const Command& command, std::vector<std::string> arguments)
{
    CLI::App app;
    app.set_help_flag("-h,--help", "this page");
    app.allow_extras();
    const Action action = command.configure(app);
    std::ranges::reverse(arguments); // CLI11 takes them from the back
    try {
        app.parse(arguments);
    } catch (const CLI::CallForHelp&) {
        print(commandHelp(command, app));
        return exitDone;
    } catch (const CLI::ParseError& error) {
        return usageError(error.what(), {});
    }
    const std::vector<std::string> extras = app.remaining();
    if (!extras.empty()) {
        const auto option =
            std::ranges::find_if(extras, [](const std::string& extra) { return extra.starts_with('-'); });
        return argumentRefused(command.name, option == extras.end() ? extras.front() : *option, optionsOf(app));
    }
    return act(action);
}

Result<int> dispatch(const std::vector<std::string>& arguments)
{
    const std::string first = arguments.empty() ? std::string() : arguments.front();
    if (first == "--help" || first == "-h") {
        print(programHelp());
        return exitDone;
    }
    if (first == "--version") {
        print("colibri " COLIBRI_VERSION "\n");
        return exitDone;
    }
    if (first.empty())
        return usageError("no command", "colibri --help lists them");
    const Command* const command = commandNamed(first);
    if (!command)
        return commandRefused(first);
    return runCommand(*command, {arguments.begin() + 1, arguments.end()});
}

} // namespace

int runProgram(const std::vector<std::string>& arguments)
{
    try {
        const Result<int> code = dispatch(arguments);
        return code ? *code : reportError(code.error());
    } catch (const std::bad_alloc&) {
        return reportError({Errc::OutOfMemory, "run out of memory", {}, {}, "the system gave no more"});
    }
}

} // namespace colibri::cli
