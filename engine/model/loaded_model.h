// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "model/architecture.h"
#include "model/weights.h"
#include "types/engine_options.h"
#include "types/open_progress.h"
#include "types/result.h"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <vector>

namespace colibri {

/// Memory for weights that cannot be used where they lie; 64-byte aligned. Read-only by convention once the model is
/// open.
class CopiedWeights {
public:
    std::span<std::byte> take(std::size_t bytes);
    std::uint64_t bytes() const { return m_bytes; }

private:
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
    };
    std::vector<std::unique_ptr<std::byte, Free>> m_blocks;
    std::uint64_t m_bytes = 0;
};

/// A source with its configuration understood and every tensor bound to its place. Immutable once bound.
struct LoadedModel {
    ModelSource source;
    ModelConfig config;
    Weights weights;
    CopiedWeights copied;
    std::array<bool, dtypeCount> matrixTypes{}; ///< [DType]: some matrix is of it
    std::uint64_t parameters = 0;
    std::uint64_t activeParameters = 0;
    std::uint64_t mappedBytes = 0;

    /// Every MoE layer has one.
    bool hasRouter() const;
    /// Row of the static table for an MoE layer and a position or token; empty when there is no such row.
    std::span<const std::uint16_t> tableRow(std::uint32_t layer, std::uint64_t row) const;
    /// Fails with Lost when a mapping lost pages. Cheap: one load for each file.
    Result<void> checkMappings() const;
};

/// Applies the architecture's rules to a source: reads the configuration, finds each tensor, checks its shape, binds
/// it. Tensors that no place takes become notes. Refuses a source that has refusals. `progress` may be null.
Result<std::unique_ptr<LoadedModel>> bindModel(ModelSource source, OpenProgress* progress);
/// The same with what readConfig made of the source.
Result<std::unique_ptr<LoadedModel>> bindModel(ModelSource source, ModelConfig config, OpenProgress* progress);

/// Brings weights into memory as `mode` says, experts in parallel. Stopping gives Cancelled.
Result<void> populateModel(const LoadedModel& model, LoadMode mode, OpenProgress* progress, std::stop_token stop);

} // namespace colibri
