// SPDX-License-Identifier: Apache-2.0
// The second half of a layer: one network for every token, or a mixture of experts: route every token, group the tokens
// by expert, compute each expert once for all of its tokens, and add the outputs of a token in rank order, a shared
// network's last.
#include "model/forward.h"

#include "kernels/math.h"
#include "model/stage_clock.h"
#include "routing/routing.h"

#include <algorithm>

namespace colibri {

Result<void> Forward::feedForward(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    if (index < m_config.denseLayers) {
        const StageClock clock(step.times ? &step.times->expertsNs : nullptr);
        norm(layer.expertNorm, tokens);
        network(layer.dense, tokens, m_w.projected.data());
    } else if (auto done = experts(layer, index - m_config.denseLayers, step); !done) {
        return done;
    }
    if (layer.query.data) // a layer with attention has a residual stream
        m_kernels.add(m_w.residual.data(), m_w.projected.data(), tokens * m_config.hiddenSize);
    return {};
}

/// out [tokens][hiddenSize] = what a network that every token takes makes of the normed rows.
void Forward::network(const ExpertWeights& weights, std::uint32_t tokens, float* out)
{
    const Rows rows = inputRows(m_w.normed, 0, tokens);
    ActivationRows gate = m_w.wideGate;
    gate.width = weights.gate.rows; // of the two widths there may be
    std::uint32_t jobs = 0;
    addJob(jobs, weights.gate, rows, gate.values.data());
    addJob(jobs, weights.up, rows, m_w.wideUp.data());
    runJobs(jobs);
    activate(gate, m_w.wideUp, tokens);
    product(weights.down, inputRows(gate, 0, tokens), out);
}

void Forward::sharedNetwork(const LayerWeights& layer, std::uint32_t tokens)
{
    if (!layer.shared.gate.data)
        return;
    network(layer.shared, tokens, m_w.shared.data());
    const std::span<float> weights = m_w.sharedWeights.first(tokens);
    std::ranges::fill(weights, 1.f);
    if (!layer.sharedGate.data)
        return;
    product(layer.sharedGate, inputRows(m_w.normed, 0, tokens), weights.data());
    for (float& weight : weights)
        weight = 1.f / (1.f + exactExp(-weight));
}

/// `index` counts MoE layers.
Result<void> Forward::experts(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    if (auto routed = route(layer, index, step); !routed)
        return routed;
    const StageClock clock(step.times ? &step.times->expertsNs : nullptr);
    group(tokens);
    gather();
    computeExperts(layer, index);
    if (m_stop.stop_requested())
        return stopped();
    if (auto done = breaker(index, step); !done)
        return done;
    sharedNetwork(layer, tokens);
    combine(layer, step);
    return {};
}

Result<void> Forward::route(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const StageClock clock(step.times ? &step.times->routerNs : nullptr);
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    norm(layer.expertNorm, tokens);
    if (layer.router.data) {
        std::uint32_t jobs = 0;
        addJob(jobs, layer.router, inputRows(m_w.normed, 0, tokens), m_w.routerLogits.data());
        runJobs(jobs, true);
        addToRows(layer.routerBias, m_w.routerLogits, 0, tokens);
    }
    const std::uint32_t k = m_config.numActiveExperts;
    for (std::uint32_t t = 0; t < tokens; ++t) {
        const std::uint32_t position = step.position + t;
        const std::span<const float> logits = layer.router.data
            ? m_w.routerLogits.subspan(std::size_t{t} * m_config.numExperts, m_config.numExperts)
            : std::span<float>();
        RoutingDecision decision{
            m_w.chosen.subspan(std::size_t{t} * k, k), m_w.chosenWeights.subspan(std::size_t{t} * k, k)};
        if (m_options.routing == RoutingSource::Live) {
            routeByLogits(m_config.routing, {logits, {layer.correction.values, layer.correction.size}}, decision);
        } else {
            const std::uint64_t row = m_config.tableIndex == TableIndex::Token ? step.tokens[t] : position;
            routeByTable(
                m_config.routing, m_model.tableRow(index, row), logits, decision); // the session checked the row
        }
        if (!step.record)
            continue;
        std::ranges::copy(decision.experts, step.record->writeExperts(position, index).begin());
        std::ranges::copy(decision.weights, step.record->writeWeights(position, index).begin());
        step.record->writeMargin(position, index, decision.margin);
        step.record->writeRouterLogits(position, index, logits);
    }
    return {};
}

/// A counting sort of (token, rank) by expert; within an expert tokens stay in order.
void Forward::group(std::uint32_t tokens)
{
    const std::uint32_t slots = tokens * m_config.numActiveExperts;
    std::ranges::fill(m_w.expertBegin, 0u);
    for (std::uint32_t i = 0; i < slots; ++i)
        ++m_w.expertBegin[m_w.chosen[i] + 1];
    for (std::uint32_t e = 0; e < m_config.numExperts; ++e)
        m_w.expertBegin[e + 1] += m_w.expertBegin[e];
    for (std::uint32_t i = 0; i < slots; ++i) { // begins move to ends, and back below
        const std::uint32_t slot = m_w.expertBegin[m_w.chosen[i]]++;
        m_w.slotOf[i] = slot;
        m_w.slotToken[slot] = i / m_config.numActiveExperts;
    }
    for (std::uint32_t e = m_config.numExperts; e > 0; --e)
        m_w.expertBegin[e] = m_w.expertBegin[e - 1];
    m_w.expertBegin[0] = 0;
}

void Forward::gather()
{
    const std::uint32_t slots = m_w.expertBegin[m_config.numExperts];
    for (std::size_t slot = 0; slot < slots; ++slot)
        copyRow(m_w.normed, m_w.slotToken[slot], m_w.gathered, slot);
}

void Forward::computeExperts(const LayerWeights& layer, std::uint32_t index)
{
    const std::uint32_t ffn = m_config.expertFfnSize;
    std::uint32_t jobs = 0;
    for (std::uint32_t e = 0; ffn && e < m_config.numExperts; ++e) {
        const std::uint32_t first = m_w.expertBegin[e];
        const std::uint32_t count = m_w.expertBegin[e + 1] - first;
        if (count == 0 || functionOf(index, e))
            continue;
        const Rows rows = inputRows(m_w.gathered, first, count);
        addJob(jobs, layer.experts[e].gate, rows, &m_w.gate.values[std::size_t{first} * ffn]);
        addJob(jobs, layer.experts[e].up, rows, &m_w.up[std::size_t{first} * ffn]);
    }
    runJobs(jobs);
    if (ffn) {
        addExpertBias(layer, &ExpertWeights::gateBias, m_w.gate.values);
        addExpertBias(layer, &ExpertWeights::upBias, m_w.up);
        activate(m_w.gate, m_w.up, m_w.expertBegin[m_config.numExperts]);
    }
    jobs = 0;
    for (std::uint32_t e = 0; e < m_config.numExperts; ++e) {
        const std::uint32_t first = m_w.expertBegin[e];
        const std::uint32_t count = m_w.expertBegin[e + 1] - first;
        if (count == 0 || functionOf(index, e))
            continue;
        const Rows rows = inputRows(ffn ? m_w.gate : m_w.gathered, first, count);
        addJob(jobs, layer.experts[e].down, rows, &m_w.expertOut[std::size_t{first} * m_expertOut]);
    }
    runJobs(jobs);
    addExpertBias(layer, &ExpertWeights::downBias, m_w.expertOut);
    computeReplaced(index);
}

/// The activation of gate and up, in place in gate, and its rounded copy.
void Forward::activate(const ActivationRows& gate, std::span<float> up, std::uint32_t count)
{
    const std::size_t width = gate.width;
    m_pool.parallel(count, [&](std::uint32_t row, std::uint32_t) {
        float* values = &gate.values[row * width];
        if (m_config.activation == Activation::Swiglu)
            m_kernels.swiglu(values, &up[row * width], gate.width, values);
        else
            m_kernels.clampedSwiglu(values, &up[row * width], m_config.activationLimit, gate.width, values);
        roundRow(m_kernels, gate, row);
    });
}

void Forward::computeReplaced(std::uint32_t index)
{
    for (std::uint32_t e = 0; !m_functions.empty() && e < m_config.numExperts; ++e) {
        const std::size_t first = m_w.expertBegin[e];
        const std::size_t count = m_w.expertBegin[e + 1] - first;
        if (const ExpertFunction function = functionOf(index, e); function && count)
            function(&m_w.gathered.values[first * m_config.hiddenSize], &m_w.expertOut[first * m_expertOut],
                static_cast<int>(count), static_cast<int>(m_config.hiddenSize));
    }
}

/// Each expert's bias to its slots' rows.
void Forward::addExpertBias(const LayerWeights& layer, Vector ExpertWeights::*bias, std::span<float> rows)
{
    for (std::uint32_t e = 0; e < m_config.numExperts; ++e)
        addToRows(layer.experts[e].*bias, rows, m_w.expertBegin[e], m_w.expertBegin[e + 1]);
}

/// A slot whose input or output is not finite gives zeros, is counted and marked in the record.
Result<void> Forward::breaker(std::uint32_t index, const Step& step)
{
    const std::uint32_t slots = m_w.expertBegin[m_config.numExperts];
    bool any = false;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const std::span<float> out = m_w.expertOut.subspan(slot * m_expertOut, m_expertOut);
        const bool fine = m_kernels.allFinite(out.data(), out.size())
            && m_kernels.allFinite(&m_w.gathered.values[slot * m_config.hiddenSize], m_config.hiddenSize);
        m_w.slotBad[slot] = !fine;
        any = any || !fine;
        if (!fine)
            std::ranges::fill(out, 0.f);
    }
    const std::uint32_t k = m_config.numActiveExperts;
    for (std::uint32_t t = 0; (any || step.record) && t < step.tokens.size(); ++t) {
        std::uint32_t ranks = 0;
        for (std::uint32_t r = 0; any && r < k; ++r) {
            if (!m_w.slotBad[m_w.slotOf[t * k + r]])
                continue;
            ranks |= 1u << std::min(r, 31u);
            if (step.record)
                step.record->countBreakerEvent();
            if (m_options.breaker == Breaker::Fatal)
                return Error{Errc::NonFinite,
                    "compute layer " + std::to_string(layerOfMoe(m_config, index)) + " expert "
                        + std::to_string(m_w.chosen[t * k + r]),
                    {}, std::nullopt,
                    "a value into or out of it is not finite at position " + std::to_string(step.position + t)};
        }
        if (step.record)
            step.record->writeZeroed(step.position + t, index, ranks);
    }
    return {};
}

void Forward::combine(const LayerWeights& layer, const Step& step)
{
    const std::uint32_t k = m_config.numActiveExperts;
    m_pool.parallel(static_cast<std::uint32_t>(step.tokens.size()), [&](std::uint32_t t, std::uint32_t) {
        const std::span<float> sum = m_w.projected.subspan(std::size_t{t} * m_expertOut, m_expertOut);
        std::ranges::fill(sum, 0.f);
        for (std::size_t r = 0; r < k; ++r) {
            const std::size_t place = std::size_t{t} * k + r;
            m_kernels.addScaled(sum.data(), &m_w.expertOut[std::size_t{m_w.slotOf[place]} * m_expertOut],
                m_w.chosenWeights[place], m_expertOut);
        }
        if (layer.shared.gate.data)
            m_kernels.addScaled(
                sum.data(), &m_w.shared[std::size_t{t} * m_expertOut], m_w.sharedWeights[t], m_expertOut);
    });
}

void Forward::setExpertFunction(std::uint32_t layer, std::uint32_t expert, ExpertFunction function)
{
    if (m_functions.empty())
        m_functions.resize(std::size_t{moeLayers(m_config)} * m_config.numExperts);
    m_functions[std::size_t{layer} * m_config.numExperts + expert] = function;
}

ExpertFunction Forward::functionOf(std::uint32_t layer, std::uint32_t expert) const
{
    return m_functions.empty() ? nullptr : m_functions[std::size_t{layer} * m_config.numExperts + expert];
}

} // namespace colibri
