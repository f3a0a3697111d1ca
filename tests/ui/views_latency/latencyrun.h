// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "ui/support/testrun.h"

#include <algorithm>
#include <memory>
#include <string>

namespace colibri::test {

/// A run that has timings and tokens, but no routing. Stages take fixed shares of a step: attention 28 %, router 2,
/// experts 50, head 12, sampling 3; 5 % are not measured.
class LatencyRun {
public:
    explicit LatencyRun(RunStore& store, std::uint32_t positions = 20'000, std::string counterNote = {})
        : m_store(store)
        , m_record(std::make_shared<RunRecord>(RunRecord::Shape{positions, 1, 4, 1, 0}))
        , m_ring(std::make_shared<TimingRing>(timingRingCapacity))
    {
        EngineInfo info;
        info.version = "1.2.3";
        info.isa = "avx2";
        info.modelId = "0123456789abcdef";
        store.begin({testModel(false), m_record, m_ring, info, 0, 0, {}, std::move(counterNote)});
    }

    void prompt(std::uint32_t tokens, std::uint32_t batch, double msPerToken)
    {
        m_record->setPrompt(std::vector<TokenId>(tokens, 7));
        for (std::uint32_t at = 0; at < tokens; at += batch) {
            const std::uint32_t count = std::min(batch, tokens - at);
            step(count, msPerToken * count, 0, true, true);
        }
    }
    void decode(double ms, double waitMs = 0, bool recorded = true)
    {
        m_record->appendToken(7);
        step(1, ms, waitMs, false, recorded);
    }
    void show() { m_store.catchUp(RunStore::Clock::time_point::max()); }

    std::uint32_t faults = 2; ///< minor ones of the next steps
    std::uint32_t misses = notCounted; ///< of the cache and of branches

private:
    void step(std::uint32_t tokens, double ms, double waitMs, bool prefill, bool recorded)
    {
        m_clockNs += static_cast<std::uint64_t>(waitMs * 1e6);
        TimingEvent event;
        event.startNs = m_clockNs;
        event.totalNs = static_cast<std::uint64_t>(ms * 1e6);
        event.position = m_position;
        event.tokens = tokens;
        event.prefill = prefill;
        const auto total = static_cast<float>(event.totalNs);
        event.attentionNs = 0.28F * total;
        event.routerNs = 0.02F * total;
        event.expertsNs = 0.50F * total;
        event.headNs = 0.12F * total;
        event.samplingNs = 0.03F * total;
        event.minorFaults = faults;
        event.majorFaults = 0;
        event.cacheMisses = event.branchMisses = misses;
        m_clockNs += event.totalNs;
        m_position += tokens;
        m_record->publishRouted(m_position);
        if (recorded)
            m_ring->tryPush(event);
    }

    RunStore& m_store;
    std::shared_ptr<RunRecord> m_record;
    std::shared_ptr<TimingRing> m_ring;
    std::uint32_t m_position = 0;
    std::uint64_t m_clockNs = 1'000'000'000;
};

} // namespace colibri::test
