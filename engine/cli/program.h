// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace colibri::cli {

/// The whole program: `arguments` without the program's own name; returns the exit code.
int runProgram(const std::vector<std::string>& arguments);

} // namespace colibri::cli
