// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

namespace colibri {

/// XXH64, seed 0, of bytes that come in pieces.
class Hash {
public:
    Hash()
        : m_state(XXH64_createState())
    {
        XXH64_reset(m_state.get(), 0);
    }
    void add(std::span<const std::byte> bytes) { XXH64_update(m_state.get(), bytes.data(), bytes.size()); }
    std::uint64_t value() const { return XXH64_digest(m_state.get()); }

private:
    struct Free {
        void operator()(XXH64_state_t* state) const { XXH64_freeState(state); }
    };
    std::unique_ptr<XXH64_state_t, Free> m_state;
};

/// Compares a tensor's bytes with the checksum that its source gives it, if it gives one; Mismatch names both. Stopping
/// between blocks of 1 MiB gives Cancelled.
Result<void> verifyChecksum(const ModelSource& source, const TensorInfo& tensor, const std::stop_token& stop);

} // namespace colibri
