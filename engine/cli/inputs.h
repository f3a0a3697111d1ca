// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"
#include "types/result.h"

#include <stop_token>
#include <string>
#include <vector>

namespace colibri::cli {

/// The whole of a file, at most 1 GiB.
Result<std::string> readFile(const std::string& path);
/// Everything until the end of standard input; stopping gives Errc::Cancelled also while nothing comes.
Result<std::string> readStandardInput(std::stop_token stop);
/// Ids separated by commas or white space, or a JSON array of them; at least one. `where` names their source in errors.
Result<std::vector<TokenId>> tokenList(const std::string& text, const std::string& where);

} // namespace colibri::cli
