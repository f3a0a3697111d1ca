// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "models/parttext.h"

namespace colibri {

Cell textCell(std::string_view value); ///< out of a file, as displayName() shows it
Cell countCell(std::uint64_t value); ///< all digits
Cell shortCountCell(std::uint64_t value); ///< all digits in the tool tip
Cell bytesCell(std::uint64_t value);
/// What tensors have together. Numbers only where all tensors tell theirs.
Cell sizeCell(const PartSum& sum);
Cell parametersCell(const PartSum& sum, QString (*amount)(std::uint64_t) = countText);
Cell shareCell(const PartSum& sum, std::uint64_t whole); ///< of the bytes that are known
PartSum sumOfAll(const ModelFacts& model);

} // namespace colibri
