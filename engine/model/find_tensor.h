// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "model/architecture.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace colibri {

/// A slot's tensor in a source.
struct FoundTensor {
    const TensorInfo* stored = nullptr; ///< as the source lists it
    TensorInfo part; ///< under the canonical name: all of it, or the expert's part of a stacked tensor
    bool stacked = false; ///< `stored` has all experts, outermost
    Take take = Take::Rows; ///< EvenColumns, OddColumns: `part` still lies among columns of another slot
    const TensorInfo* scales = nullptr; ///< of MXFP4 blocks that lie apart from them; null: of any other type
    const TensorInfo* factors = nullptr; ///< a tensor that multiplies the weights; null: they are what they say

    /// The bytes at `part` are not those of its shape: they have to be brought together.
    bool scattered() const { return scales || take == Take::EvenColumns || take == Take::OddColumns; }
};

/// Looks for the slot's tensor of a layer and an expert under all names that it has in sources of this format. Empty:
/// there is none.
std::optional<FoundTensor> findTensor(
    const ModelSource& source, const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert);

/// Visits every tensor of the architecture that the source has: the slots in their order, of each one the layers and
/// the experts in theirs.
using TensorVisitor =
    std::function<void(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert, const FoundTensor& found)>;
void forEachTensor(const ModelSource& source, const ModelConfig& config, const TensorVisitor& visit);

/// The tensors that multiply a stored tensor of the source: "..._scale_inv" and "..._scale", which are both scales,
/// whatever their names say. One at most in a good source. See weight_scales.h.
std::vector<const TensorInfo*> scalesOf(const ModelSource& source, const TensorInfo& stored);

/// Bytes of a scattered tensor, when brought together.
std::uint64_t gatheredBytes(const FoundTensor& found);
/// Brings a scattered tensor together, row-major: `part` as it is laid out then. `out` has gatheredBytes. Stored bytes
/// are in the mappings of the source; reads nothing else.
void gather(const ModelSource& source, const FoundTensor& found, std::uint32_t expert, std::byte* out);
/// Rows [first, first + count) of it; a vector is one row.
void gatherRows(const ModelSource& source, const FoundTensor& found, std::uint32_t expert, std::uint64_t first,
    std::uint64_t count, std::byte* out);

} // namespace colibri
