// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"
#include "stores/runstore.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace colibri::test {

/// A run without an engine: a real record, ring and store, filled with routing drawn from a fixed seed. The routing
/// keeps the engine's rules: the k best logits are chosen, weights are their softmax, the margin is the gap to the next
/// one.
class TestRun {
public:
    struct Shape {
        std::uint32_t positions = 512;
        std::uint32_t layers = 6;
        std::uint32_t experts = 16;
        std::uint32_t k = 2;
        std::size_t logitBudgetBytes = std::size_t{64} << 20;
    };
    explicit TestRun(const Shape& shape, RunStore& store, bool tokenizer = true);

    /// Ids of a text over testVocabulary(): the longest entry that fits, else single bytes.
    std::vector<TokenId> ids(const std::string& text) const;

    void setPrompt(const std::vector<TokenId>& prompt); ///< and routes it
    void append(TokenId id); ///< routes the token before it, then publishes this one
    void routeUpTo(std::uint32_t count);
    /// Routes like routeUpTo(), but repeats the decisions of the first positions: for very long runs.
    void repeatUpTo(std::uint32_t count);
    void zeroNext() { m_zeroNext = true; } ///< the next position has a zeroed expert in layer 1, rank 0
    void show(); ///< the store takes over what was published
    /// A prompt and an answer that have everything: words, line feeds, tabs, split characters, special tokens.
    void fillWithStory();

    RunStore& store() { return m_store; }
    const RunRecord& record() const { return *m_record; }
    TimingRing& ring() { return *m_ring; }
    const ModelFactsPtr& model() const { return m_model; }

private:
    void route(std::uint32_t position);

    RunStore& m_store;
    ModelFactsPtr m_model;
    std::shared_ptr<RunRecord> m_record;
    std::shared_ptr<TimingRing> m_ring;
    std::mt19937 m_random{7};
    std::uint64_t m_clockNs = 0;
    bool m_zeroNext = false;
    std::vector<std::vector<float>> m_drift; ///< a slow walk, so that neighbours route alike
};

ModelFactsPtr testModel(bool tokenizer);
/// Ids 0 to 255 are bytes, then words, then one special token, which is the last id.
std::vector<std::string> testVocabulary();

} // namespace colibri::test
