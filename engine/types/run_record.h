// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace colibri {

inline constexpr std::uint16_t noExpert = 0xFFFF; ///< an unused place among the chosen experts

/// The file that a record's numbers lie in.
class RecordFile {
public:
    virtual ~RecordFile() = default;
    virtual bool lost() const = 0; ///< a page could not be read; numbers of it read as zeros
    virtual void release() const = 0; ///< pages in memory may go; they come back when they are read
};

/// What a run decided, complete: for each position and MoE layer the chosen experts, their weights, the margin and
/// (within a budget) the router logits; and the token ids. Made before the run with all of its memory and shared with
/// it; or a view of a saved run.
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
    /// A run that has ended. What the record hands on as an index is its own, so that a file that somebody changes
    /// gives wrong numbers at worst; rows of positions from `routed` on are not looked at.
    struct Stored {
        std::vector<TokenId> tokens;
        std::vector<std::uint16_t> experts; ///< [tokens][layers][k], each below `experts` or noExpert
        std::span<const float> weights; ///< [routed][layers][k]
        std::span<const float> margins; ///< [routed][layers]
        std::span<const std::uint32_t> zeroed; ///< [routed][layers]; empty: all are 0
        std::span<const float> logits; ///< [layers][experts] of each of the newest routed positions
        std::uint32_t promptTokens = 0;
        std::uint32_t routed = 0;
        std::uint64_t breakerEvents = 0;
        std::shared_ptr<const RecordFile> file; ///< keeps what the spans see; may be null
    };
    explicit RunRecord(const Shape& shape);
    RunRecord(const Shape& shape, Stored stored); ///< takes no writes

    const Shape& shape() const { return m_shape; }
    std::size_t bytes() const; ///< memory this record holds, files not counted
    bool lost() const { return m_file && m_file->lost(); } ///< its file shrank or its disk failed
    /// Said by a reader that went through many positions: what lies in a file need not stay in memory.
    void release() const
    {
        if (m_file)
            m_file->release();
    }

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
    std::uint32_t zeroed(std::uint32_t position, std::uint32_t layer) const
    {
        return m_zeroed.empty() ? 0 : m_zeroed[row(position, layer)];
    }
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
    std::vector<float> m_ownWeights; ///< this and the others of its name: empty in a view
    std::vector<float> m_ownMargins;
    std::vector<std::uint32_t> m_ownZeroed;
    std::vector<std::atomic<float>> m_ownLogits; ///< ring over positions: a slot may be overwritten while it is read
    std::span<const float> m_weights;
    std::span<const float> m_margins;
    std::span<const std::uint32_t> m_zeroed;
    std::span<const float> m_storedLogits; ///< of a view
    std::shared_ptr<const RecordFile> m_file;
};

} // namespace colibri
