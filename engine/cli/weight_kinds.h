// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace colibri::cli {

enum class WeightKind : std::uint8_t { Embedding, Attention, Router, Experts, Norms, Head, Shared, Dense, Other };
inline constexpr std::size_t weightKindCount = 9;
std::string_view name(WeightKind kind);

/// What a tensor is for, by its name in a Hugging Face folder or a GGUF file.
WeightKind kindOf(std::string_view tensorName);

/// Bytes of the tensors of each kind.
std::array<std::uint64_t, weightKindCount> bytesByKind(std::span<const TensorInfo> tensors);

/// Bytes of weights that a decode step of one token reads: everything but the experts, their k-th part of all, and one
/// row of the embedding (all of it when it is the head as well). The KV cache is not among them.
std::uint64_t decodeBytesPerToken(const Model& model);

} // namespace colibri::cli
