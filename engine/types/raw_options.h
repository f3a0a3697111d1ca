// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"
#include "types/model_config.h"

#include <cstdint>
#include <optional>

namespace colibri {

/// What the user says of a raw export (no header, no or little config.json); 0 and empty mean "from config.json or the
/// file sizes".
struct RawOptions {
    std::uint32_t in = 0; ///< inputs of an expert
    std::uint32_t out = 0; ///< outputs of an expert
    std::optional<DType> dtype;
    std::optional<Layout> layout;
    std::optional<bool> bias; ///< of the dtype of the weights, behind them
    std::optional<TableIndex> index; ///< what a row of the table stands for
};

} // namespace colibri
