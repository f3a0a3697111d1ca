// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace colibri {

inline constexpr std::uint16_t noExpert = 0xFFFF; ///< an unused place among the chosen experts

/// What a run decided, complete: for each position and MoE layer the chosen experts, their weights, the margin and
/// (within a budget) the router logits; and the token ids. Made before the run with all of its memory and shared with
/// it.
///
/// Threads: one writer (the engine thread) fills a position and then publishes it; any number of readers look at
/// positions below routed() and tokens below tokens(). Nothing waits, nothing is dropped.
class RunRecord {
public:
    struct Shape {
        std::uint32_t positions = 0; ///< the session's context
        std::uint32_t layers = 0; ///< MoE layers
        std::uint32_t experts = 0; ///< of each layer
        std::uint32_t k = 0; ///< chosen ones
        std::size_t logitBudgetBytes = std::size_t{64} << 20;
    };
    explicit RunRecord(const Shape& shape);

    const Shape& shape() const { return m_shape; }
    std::size_t bytes() const; ///< memory this record holds

    // ---- readers, any thread ----
    std::uint32_t tokens() const { return m_tokenCount.load(std::memory_order_acquire); } ///< prompt and generated ids
    std::uint32_t promptTokens() const { return m_promptTokens; } ///< valid once tokens() > 0
    std::uint32_t routed() const
    {
        return m_routed.load(std::memory_order_acquire);
    } ///< positions that went through all layers
    std::uint64_t breakerEvents() const { return m_breakerEvents.load(std::memory_order_relaxed); }
    TokenId token(std::uint32_t position) const { return m_tokens[position]; }
    /// Best first, noExpert where unused. [k]
    std::span<const std::uint16_t> experts(std::uint32_t position, std::uint32_t layer) const;
    /// What multiplies the experts' outputs, in the order of experts(). [k]
    std::span<const float> weights(std::uint32_t position, std::uint32_t layer) const;
    /// Last chosen minus first rejected selection score, in logit units for plain softmax; NaN when routing came from a
    /// table or nothing was rejected.
    float margin(std::uint32_t position, std::uint32_t layer) const { return m_margins[row(position, layer)]; }
    /// Bit r is set when the output of the expert of rank r was not finite and was zeroed (ranks above 31 share bit
    /// 31).
    std::uint32_t zeroed(std::uint32_t position, std::uint32_t layer) const { return m_zeroed[row(position, layer)]; }
    /// Copies the router logits [experts]; false when they are no longer (or not yet) held.
    bool copyRouterLogits(std::uint32_t position, std::uint32_t layer, std::span<float> out) const;
    /// Positions whose router logits fit into the budget; the newest that many are held.
    std::uint32_t logitPositions() const { return m_logitPositions; }

    // ---- the writer ----
    void setPrompt(std::span<const TokenId> prompt); ///< once, before anything else
    void appendToken(TokenId id); ///< publishes a generated token
    std::span<std::uint16_t> writeExperts(std::uint32_t position, std::uint32_t layer);
    std::span<float> writeWeights(std::uint32_t position, std::uint32_t layer);
    void writeMargin(std::uint32_t position, std::uint32_t layer, float margin);
    void writeZeroed(std::uint32_t position, std::uint32_t layer, std::uint32_t ranks);
    void writeRouterLogits(std::uint32_t position, std::uint32_t layer, std::span<const float> logits);
    void countBreakerEvent(std::uint64_t count = 1) { m_breakerEvents.fetch_add(count, std::memory_order_relaxed); }
    void publishRouted(std::uint32_t count); ///< positions below `count` are complete

private:
    std::size_t row(std::uint32_t position, std::uint32_t layer) const
    {
        return std::size_t{position} * m_shape.layers + layer;
    }

    Shape m_shape;
    std::uint32_t m_logitPositions;
    std::uint32_t m_promptTokens = 0;
    std::atomic<std::uint32_t> m_tokenCount{0};
    std::atomic<std::uint32_t> m_routed{0};
    std::atomic<std::uint32_t> m_logitsWriting{0}; ///< one past the newest position whose logits may be half written
    std::atomic<std::uint64_t> m_breakerEvents{0};
    std::vector<TokenId> m_tokens;
    std::vector<std::uint16_t> m_experts;
    std::vector<float> m_weights;
    std::vector<float> m_margins;
    std::vector<std::uint32_t> m_zeroed;
    std::vector<std::atomic<float>> m_logits; ///< ring over positions: a slot may be overwritten while it is read
};

} // namespace colibri
