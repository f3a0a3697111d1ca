// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/session.h"

#include <memory>
#include <span>
#include <vector>

namespace colibri::test {

/// All rows that Session::evaluate() hands out for `tokens`: [tokens][outputSize].
inline Result<std::vector<float>> outputRows(
    Session& session, std::span<const TokenId> tokens, const std::shared_ptr<RunRecord>& record = {})
{
    std::vector<float> all;
    const auto keep = [&](std::uint32_t, std::uint32_t, std::span<const float> rows) {
        all.insert(all.end(), rows.begin(), rows.end());
        return true;
    };
    if (auto done = session.evaluate(tokens, record, {}, keep); !done)
        return done.error();
    return all;
}

} // namespace colibri::test
