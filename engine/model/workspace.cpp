// SPDX-License-Identifier: Apache-2.0
#include "model/workspace.h"

#include "kernels/math.h"
#include "types/checked.h"

#include <algorithm>
#include <cmath>

namespace colibri {
namespace {

constexpr std::uint64_t rowBytesAtOnce = std::uint64_t{8} << 20;

/// Adds up sizes, or takes them from an arena: the same walk serves the plan and the layout.
class Taker {
public:
    explicit Taker(Arena* arena)
        : m_arena(arena)
    {
    }

    template <class T>
    std::span<T> take(std::initializer_list<std::uint64_t> dimensions)
    {
        std::optional<std::uint64_t> bytes = sizeof(T);
        for (const std::uint64_t dimension : dimensions)
            bytes = bytes ? checkedMultiply(*bytes, dimension) : bytes;
        const auto rounded = bytes ? checkedRoundUp(*bytes, Arena::alignment) : bytes;
        m_total = m_total && rounded ? checkedAdd(*m_total, *rounded) : std::nullopt;
        return m_arena && m_total ? m_arena->take<T>(*bytes / sizeof(T)) : std::span<T>();
    }

    ActivationRows takeRows(std::uint64_t rows, std::uint32_t width, const FormatSet& formats)
    {
        ActivationRows taken{take<float>({rows, width}), {}, width};
        for (const QuantFormat format : quantFormats) {
            const auto index = static_cast<std::size_t>(format);
            const std::uint64_t count = formats[index] ? rows : 0;
            const std::uint64_t summed = format == QuantFormat::Groups32 ? 0 : count;
            taken.rounded[index] = {take<std::int8_t>({count, width}),
                take<float>({count, (width + groupSize(format) - 1) / groupSize(format)}),
                take<std::int16_t>({summed, (width + sumSize - 1) / sumSize})};
        }
        return taken;
    }

    std::optional<std::uint64_t> total() const { return m_total; }

private:
    Arena* m_arena;
    std::optional<std::uint64_t> m_total = 0;
};

std::uint32_t rowsAtOnce(const ModelConfig& c, const WorkspacePlan& plan)
{
    const std::uint64_t fit = rowBytesAtOnce / (sizeof(float) * std::max<std::uint64_t>(1, c.outputSize));
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, 1, plan.batch));
}

Workspace layout(const ModelConfig& c, const WorkspacePlan& plan, Taker& taker)
{
    const std::uint64_t batch = plan.batch;
    const std::uint64_t slots = batch * c.numActiveExperts;
    const std::uint32_t queryWidth = c.numHeads * c.headDim;
    const std::uint64_t keyWidth = std::uint64_t{c.numKvHeads} * cachedKeyDim(c);
    const std::uint64_t valueWidth = std::uint64_t{c.numKvHeads} * cachedValueDim(c);
    const std::uint64_t headRows = c.latentRank ? batch * c.numHeads : 0;
    const std::uint32_t wide = std::max(c.denseFfnSize, c.sharedFfnSize);
    const std::uint64_t expertOut = expertOutputSize(c);
    const std::uint64_t cached = plan.kv == KvType::F16 ? 2 : 4;
    Workspace w;
    w.residual = taker.take<float>({batch, c.hiddenSize});
    w.normed = taker.takeRows(batch, c.hiddenSize, plan.rounded);
    w.query = taker.take<float>({batch, queryWidth});
    w.key = taker.take<float>({batch, keyWidth});
    w.value = taker.take<float>({batch, valueWidth});
    w.queryDown = taker.takeRows(batch, c.queryRank, plan.rounded);
    w.plainQuery = taker.takeRows(headRows, c.headDim - (c.latentRank ? c.ropeDim : 0), plan.rounded);
    w.latentQuery = taker.take<float>({headRows, cachedKeyDim(c)});
    w.latentMix = taker.takeRows(headRows, c.latentRank, plan.rounded);
    w.attended = taker.takeRows(batch, c.numHeads * c.valueDim, plan.rounded);
    w.projected = taker.take<float>({batch, std::max<std::uint64_t>(c.hiddenSize, expertOut)});
    w.scores = taker.take<float>({c.numHeads ? plan.threads : 0, plan.context});
    w.cosine = taker.take<float>({plan.context, c.ropeDim / 2});
    w.sine = taker.take<float>({plan.context, c.ropeDim / 2});
    w.keys = taker.take<std::byte>({c.numLayers, plan.context, keyWidth, cached});
    w.values = taker.take<std::byte>({c.numLayers, plan.context, valueWidth, cached});
    w.routerLogits = taker.take<float>({batch, c.numExperts});
    w.chosen = taker.take<std::uint16_t>({slots});
    w.chosenWeights = taker.take<float>({slots});
    w.expertBegin = taker.take<std::uint32_t>({std::uint64_t{c.numExperts} + 1});
    w.slotOf = taker.take<std::uint32_t>({slots});
    w.slotToken = taker.take<std::uint32_t>({slots});
    w.gathered = taker.takeRows(slots, c.hiddenSize, plan.rounded);
    w.up = taker.take<float>({slots, c.expertFfnSize});
    w.gate = taker.takeRows(slots, c.expertFfnSize, plan.rounded);
    w.expertOut = taker.take<float>({slots, expertOut});
    w.slotBad = taker.take<std::uint8_t>({slots});
    w.wideUp = taker.take<float>({batch, wide});
    w.wideGate = taker.takeRows(batch, wide, plan.rounded);
    w.shared = taker.take<float>({c.sharedFfnSize ? batch : 0, c.hiddenSize});
    w.sharedWeights = taker.take<float>({c.sharedFfnSize ? batch : 0});
    w.jobs = taker.take<ProductJob>({std::max<std::uint64_t>({3, 2 * std::uint64_t{c.numExperts}, c.numHeads})});
    w.rowCapacity = rowsAtOnce(c, plan);
    w.rows = taker.take<float>({w.rowCapacity, c.outputSize});
    return w;
}

/// How far YaRN stretches the frequency of a dimension: 0 not at all, 1 by its factor. The limits are the dimensions
/// that make betaFast and betaSlow turns over the original context (Peng et al. 2023, as Hugging Face and llama.cpp
/// compute it).
double yarnShare(const ModelConfig& c, std::uint32_t i)
{
    const YarnRules& yarn = c.yarn;
    const auto dimension = [&](double turns) {
        constexpr double twoPi = 6.283185307179586;
        return c.ropeDim * naturalLog(yarn.originalContext / (turns * twoPi)) / (2 * naturalLog(c.ropeTheta));
    };
    double low = dimension(yarn.betaFast);
    double high = dimension(yarn.betaSlow);
    if (yarn.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, c.ropeDim - 1.0);
    return std::clamp((i - low) / std::max(high - low, 0.001), 0.0, 1.0);
}

/// Angles as Hugging Face forms them: the inverse frequency base^(-2i / ropeDim) and its product with the position are
/// rounded to f32; cosine and sine are exact for that angle.
void fillAngles(const ModelConfig& c, std::uint32_t context, Workspace& w)
{
    const std::uint32_t half = c.ropeDim / 2;
    for (std::uint32_t i = 0; i < half; ++i) {
        double frequency = power(c.ropeTheta, -2.0 * i / c.ropeDim);
        if (c.yarn.factor != 1) {
            const double share = yarnShare(c, i);
            frequency = frequency / c.yarn.factor * share + frequency * (1 - share);
        }
        const auto inverse = static_cast<float>(frequency);
        for (std::uint32_t position = 0; position < context; ++position) {
            double sine = 0;
            double cosine = 0;
            sineCosine(static_cast<float>(position) * inverse, sine, cosine);
            w.cosine[std::size_t{position} * half + i] = static_cast<float>(cosine * c.yarn.rotationScale);
            w.sine[std::size_t{position} * half + i] = static_cast<float>(sine * c.yarn.rotationScale);
        }
    }
}

} // namespace

std::optional<std::uint64_t> workspaceBytes(const ModelConfig& config, const WorkspacePlan& plan)
{
    Taker taker(nullptr);
    layout(config, plan, taker);
    return taker.total();
}

Workspace makeWorkspace(const ModelConfig& config, const WorkspacePlan& plan, Arena& arena)
{
    Taker taker(&arena);
    Workspace workspace = layout(config, plan, taker);
    fillAngles(config, plan.context, workspace);
    return workspace;
}

} // namespace colibri
