// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

namespace CLI {
class App;
}

namespace colibri::cli {

/// What a command does once its arguments are read: gives the exit code, or an error that the program prints.
/// Errc::Cancelled means that Ctrl-C ended it.
using Action = std::function<Result<int>(std::stop_token stop)>;

/// A row of the table of commands.
struct Command {
    std::string_view name;
    std::string_view arguments; ///< as in the usage line
    std::string_view summary; ///< half a line, for the list of commands
    std::string_view description; ///< what it does and prints
    std::string_view examples; ///< whole lines
    Action (*configure)(CLI::App& app); ///< adds its options to `app`; the action owns what they are stored in
};

std::span<const Command> commands();
/// nullptr when no command has this name.
const Command* commandNamed(std::string_view name);

Action configureInspect(CLI::App& app);
Action configureRun(CLI::App& app);
Action configureLogits(CLI::App& app);
Action configureTokenize(CLI::App& app);
Action configurePerplexity(CLI::App& app);
Action configureBench(CLI::App& app);
Action configureExport(CLI::App& app);

} // namespace colibri::cli
