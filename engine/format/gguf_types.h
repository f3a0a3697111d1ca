// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"

#include <cstdint>
#include <optional>
#include <string>

namespace colibri {

/// The element type with this number in a GGUF tensor directory; empty for numbers that this program cannot size.
std::optional<DType> ggmlType(std::uint32_t number);
/// The inverse; empty for types that GGUF does not have.
std::optional<std::uint32_t> ggmlNumber(DType dtype);

/// What to call a number without a DType: its name where it had one, as types that ggml removed, else "type 139".
std::string ggmlTypeText(std::uint32_t number);

} // namespace colibri
