// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/tensor_info.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace colibri {

/// What a tensor is for. Shared: an expert that serves every token beside those that are chosen. Dense: the
/// feed-forward part of a layer without experts.
enum class PartKind : std::uint8_t { Embedding, Attention, Norm, Router, Expert, Shared, Dense, Head, Other };
inline constexpr std::size_t partKindCount = 9;

/// The part of a model that a tensor belongs to.
struct TensorPart {
    PartKind kind = PartKind::Other;
    std::int32_t layer = -1; ///< -1: of no layer
    std::int32_t expert = -1; ///< of kind Expert only, whose layer is >= 0; -1 there: all of the layer, stacked
    std::uint32_t nameRank = 0; ///< place of the name in naturalLess order; unique in a model

    bool operator==(const TensorPart&) const = default;
};

/// Layers and experts with larger numbers in a name are none: their tensors are Other.
inline constexpr std::int32_t partNumberLimit = 65534;

/// The part that a name says, by a table of Hugging Face's and GGUF's names; nameRank is 0. Any bytes will do: what no
/// row of the table knows is Other, with the layer when the name begins with model.layers.N or blk.N.
TensorPart partNamed(std::string_view name);

/// Digits compare as numbers ("layers.2" before "layers.10"), everything else as bytes; names that differ in leading
/// zeros only compare as bytes.
bool naturalLess(std::string_view a, std::string_view b);

/// The parts of all tensors of a model, with ranks.
std::vector<TensorPart> partsOf(std::span<const TensorInfo> tensors);

/// Elements of a tensor, without the scales of int8; 0 where its shape is not known; what does not fit into 64 bits
/// gives the largest number.
std::uint64_t elementsOf(const TensorInfo& tensor);

/// What is known of some tensors: parameters and bytes are least ones where some do not tell theirs.
struct PartSum {
    std::uint64_t tensors = 0;
    std::uint64_t parameters = 0;
    std::uint64_t bytes = 0; ///< in the files, with scales
    std::uint64_t shapeless = 0; ///< tensors that do not tell their parameters
    std::uint64_t sizeless = 0; ///< tensors that do not tell their bytes

    PartSum& operator+=(const PartSum& other);
    bool operator==(const PartSum&) const = default;
};
PartSum sumOf(const TensorInfo& tensor); ///< of this one alone
/// Sums by kind. `parts` is as long as `tensors`.
std::array<PartSum, partKindCount> sumsByKind(std::span<const TensorInfo> tensors, std::span<const TensorPart> parts);

} // namespace colibri
