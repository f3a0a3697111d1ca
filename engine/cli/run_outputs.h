// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/session.h"

#include <stop_token>
#include <vector>

namespace colibri::cli {

/// `run` for a model without an output head: prints what comes out for each token, as one line of position, token id,
/// experts (of several layers separated by semicolons) and values, with tabs between them; or all of it as one JSON
/// value.
Result<int> runOutputs(
    Session& session, const std::vector<TokenId>& ids, double loadS, bool json, std::stop_token stop);

} // namespace colibri::cli
