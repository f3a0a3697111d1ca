// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace colibri::cli {

struct Command;

std::string programHelp();
/// `app` holds the options of `command`.
std::string commandHelp(const Command& command, const CLI::App& app);
/// "-n", "--json" ...: every name under which `command` takes an option.
std::vector<std::string> optionsOf(const Command& command);
std::vector<std::string> optionsOf(const CLI::App& app);

} // namespace colibri::cli
