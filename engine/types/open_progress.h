// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace colibri {

/// What the opening knows of one expert.
enum class ExpertState : std::uint8_t { Pending, Mapped, Populated, Copied, Failed };

/// Progress of an opening, written by the opening thread and read by any other at any time.
/// The map of experts appears (layers() > 0) once the dimensions are known.
class OpenProgress {
public:
    std::uint32_t layers() const { return m_layers.load(std::memory_order_acquire); }
    std::uint32_t experts() const { return m_experts; } ///< of each layer; valid once layers() > 0
    ExpertState state(std::uint32_t layer, std::uint32_t expert) const
    {
        return m_states[std::size_t{layer} * m_experts + expert].load(std::memory_order_relaxed);
    }
    std::uint64_t bytesDone() const { return m_bytesDone.load(std::memory_order_relaxed); }
    std::uint64_t bytesTotal() const { return m_bytesTotal.load(std::memory_order_relaxed); }

    // ---- the opening thread ----
    void setDimensions(std::uint32_t layers, std::uint32_t experts)
    {
        m_states = std::make_unique<std::atomic<ExpertState>[]>(std::size_t{layers} * experts);
        m_experts = experts;
        m_layers.store(layers, std::memory_order_release);
    }
    void setState(std::uint32_t layer, std::uint32_t expert, ExpertState state)
    {
        m_states[std::size_t{layer} * m_experts + expert].store(state, std::memory_order_relaxed);
    }
    void setBytesTotal(std::uint64_t bytes) { m_bytesTotal.store(bytes, std::memory_order_relaxed); }
    void addBytes(std::uint64_t bytes) { m_bytesDone.fetch_add(bytes, std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> m_layers{0};
    std::uint32_t m_experts = 0;
    std::unique_ptr<std::atomic<ExpertState>[]> m_states;
    std::atomic<std::uint64_t> m_bytesDone{0};
    std::atomic<std::uint64_t> m_bytesTotal{0};
};

} // namespace colibri
