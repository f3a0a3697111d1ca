// SPDX-License-Identifier: Apache-2.0
// The attention half of a layer: queries, keys and values, straight or through low ranks; positions; the cache; heads.
//
// With a latent vector (MLA) the cache holds that vector and the rotated part of the key, which all heads share. What a
// head would make of it, k = K c and v = V c, is never formed: its query q meets c as K^T q, and its output is V times
// the mixture of the vectors. That is the same sum in another order, and one way for both layouts of the weights.
#include "model/forward.h"

#include "model/stage_clock.h"

#include <algorithm>
#include <cmath>

namespace colibri {

void Forward::attention(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    if (!layer.query.data)
        return;
    const StageClock clock(step.times ? &step.times->attentionNs : nullptr);
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    norm(layer.attentionNorm, tokens);
    if (layer.latentDown.data) {
        projectLatent(layer, tokens);
        placeLatent(layer, index, step);
        latentQueries(layer, step);
        attendHeads(layer, index, step);
        latentOutputs(layer, tokens);
    } else {
        project(layer, tokens);
        placeInCache(layer, index, step);
        attendHeads(layer, index, step);
    }
    quantize(m_w.attended, tokens);
    product(layer.output, inputRows(m_w.attended, 0, tokens), m_w.projected.data());
    addToRows(layer.outputBias, m_w.projected, 0, tokens);
    m_kernels.add(m_w.residual.data(), m_w.projected.data(), tokens * m_config.hiddenSize);
}

void Forward::project(const LayerWeights& layer, std::uint32_t tokens)
{
    const Rows rows = inputRows(m_w.normed, 0, tokens);
    std::uint32_t jobs = 0;
    addJob(jobs, layer.query, rows, m_w.query.data());
    addJob(jobs, layer.key, rows, m_w.key.data());
    addJob(jobs, layer.value, rows, m_w.value.data());
    runJobs(jobs);
    addToRows(layer.queryBias, m_w.query, 0, tokens);
    addToRows(layer.keyBias, m_w.key, 0, tokens);
    addToRows(layer.valueBias, m_w.value, 0, tokens);
}

void Forward::projectLatent(const LayerWeights& layer, std::uint32_t tokens)
{
    const Rows rows = inputRows(m_w.normed, 0, tokens);
    const bool ranked = layer.queryDown.data != nullptr;
    std::uint32_t jobs = 0;
    addJob(jobs, layer.latentDown, rows, m_w.key.data());
    if (ranked)
        addJob(jobs, layer.queryDown, rows, m_w.queryDown.values.data());
    else
        addJob(jobs, layer.query, rows, m_w.query.data());
    runJobs(jobs);
    if (!ranked)
        return;
    for (std::size_t t = 0; t < tokens; ++t) {
        float* row = &m_w.queryDown.values[t * m_config.queryRank];
        m_kernels.rmsNorm(row, layer.queryDownNorm.values, m_config.rmsNormEps, m_config.queryRank, row);
    }
    quantize(m_w.queryDown, tokens);
    product(layer.query, inputRows(m_w.queryDown, 0, tokens), m_w.query.data());
}

/// The first ropeDim components of `head`.
void Forward::rotate(float* head, std::uint32_t position) const
{
    const std::size_t angles = std::size_t{position} * (m_config.ropeDim / 2);
    const auto turn = m_config.ropePairs == RopePairs::Halves ? m_kernels.rope : m_kernels.ropeNeighbours;
    turn(head, &m_w.cosine[angles], &m_w.sine[angles], m_config.ropeDim);
}

/// Each head by itself, or all together, as wide as the norm is.
void Forward::normHeads(const Vector& norm, std::span<float> heads) const
{
    for (std::size_t at = 0; norm && at < heads.size(); at += norm.size)
        m_kernels.rmsNorm(&heads[at], norm.values, m_config.rmsNormEps, norm.size, &heads[at]);
}

/// Norms and rotates queries and keys, and stores keys and values at their positions.
void Forward::placeInCache(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const std::uint32_t dim = m_config.headDim;
    const std::uint32_t valueDim = m_config.valueDim;
    const std::size_t queryWidth = std::size_t{m_config.numHeads} * dim;
    const std::size_t keyWidth = std::size_t{m_config.numKvHeads} * dim;
    for (std::uint32_t t = 0; t < step.tokens.size(); ++t) {
        const std::uint32_t position = step.position + t;
        const std::span<float> query = m_w.query.subspan(t * queryWidth, queryWidth);
        const std::span<float> key = m_w.key.subspan(t * keyWidth, keyWidth);
        normHeads(layer.queryNorm, query);
        normHeads(layer.keyNorm, key);
        for (std::size_t head = 0; head < m_config.numHeads; ++head)
            rotate(&query[head * dim], position);
        for (std::uint32_t head = 0; head < m_config.numKvHeads; ++head) {
            float* const from = &key[std::size_t{head} * dim];
            rotate(from, position);
            m_kernels.storeKv(from, dim, m_options.kv, &m_w.keys[cacheAt(index, head, position, dim)]);
            m_kernels.storeKv(&m_w.value[(std::size_t{t} * m_config.numKvHeads + head) * valueDim], valueDim,
                m_options.kv, &m_w.values[cacheAt(index, head, position, valueDim)]);
        }
    }
}

/// Norms the latent vectors, rotates the part behind them and stores both.
void Forward::placeLatent(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const std::uint32_t rank = m_config.latentRank;
    const std::uint32_t dim = cachedKeyDim(m_config);
    for (std::uint32_t t = 0; t < step.tokens.size(); ++t) {
        float* const row = &m_w.key[std::size_t{t} * dim];
        m_kernels.rmsNorm(row, layer.latentNorm.values, m_config.rmsNormEps, rank, row);
        rotate(row + rank, step.position + t);
        m_kernels.storeKv(row, dim, m_options.kv, &m_w.keys[cacheAt(index, 0, step.position + t, dim)]);
    }
}

/// Queries in the space of what the cache holds: the head's matrix takes the plain part there, the rotated part
/// follows.
void Forward::latentQueries(const LayerWeights& layer, const Step& step)
{
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    const std::uint32_t heads = m_config.numHeads;
    const std::uint32_t plain = m_config.headDim - m_config.ropeDim;
    const std::uint32_t dim = cachedKeyDim(m_config);
    for (std::uint32_t t = 0; t < tokens; ++t)
        for (std::size_t head = 0; head < heads; ++head) {
            float* const query = &m_w.query[(std::size_t{t} * heads + head) * m_config.headDim];
            std::copy_n(query, plain, &m_w.plainQuery.values[(head * tokens + t) * plain]);
            rotate(query + plain, step.position + t);
            std::copy_n(query + plain, m_config.ropeDim,
                &m_w.latentQuery[(std::size_t{t} * heads + head) * dim + m_config.latentRank]);
        }
    quantize(m_w.plainQuery, heads * tokens);
    std::uint32_t jobs = 0;
    for (std::uint32_t head = 0; head < heads; ++head)
        addJob(jobs, layer.latentHeads[head].key, inputRows(m_w.plainQuery, head * tokens, tokens),
            &m_w.latentQuery[std::size_t{head} * dim], heads * dim);
    runJobs(jobs);
}

void Forward::attendHeads(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    const std::uint32_t heads = m_config.numHeads;
    const std::uint32_t shared = heads / m_config.numKvHeads;
    const bool latent = m_config.latentRank != 0;
    const std::uint32_t dim = cachedKeyDim(m_config);
    const std::uint32_t valueDim = latent ? m_config.latentRank : m_config.valueDim;
    const std::uint32_t window = isWindowed(m_config, index) ? m_config.slidingWindow : m_options.context;
    const float scale = 1.f / std::sqrt(static_cast<float>(m_config.headDim)) * m_config.attentionFactor;
    m_pool.parallel(tokens * heads, [&](std::uint32_t item, std::uint32_t thread) {
        if (m_stop.stop_requested())
            return;
        const std::uint32_t t = item / heads;
        const std::uint32_t head = item % heads;
        const std::uint32_t seen = std::min(step.position + t + 1, window);
        const std::uint32_t first = step.position + t + 1 - seen;
        AttendArgs args;
        args.query = latent ? &m_w.latentQuery[std::size_t{item} * dim] : &m_w.query[std::size_t{item} * dim];
        args.keys = &m_w.keys[cacheAt(index, head / shared, first, dim)];
        args.values = latent ? args.keys : &m_w.values[cacheAt(index, head / shared, first, valueDim)];
        args.kv = m_options.kv;
        args.positions = seen;
        args.headDim = dim;
        args.scale = scale;
        args.scores = &m_w.scores[std::size_t{thread} * m_options.context];
        args.out = latent ? &m_w.latentMix.values[(std::size_t{head} * tokens + t) * valueDim]
                          : &m_w.attended.values[std::size_t{item} * valueDim];
        args.valueDim = valueDim;
        args.valueStride = latent ? dim : valueDim;
        args.sink = layer.sinks ? &layer.sinks.values[head] : nullptr;
        m_kernels.attend(args);
    });
}

/// From mixtures of latent vectors to the heads' outputs.
void Forward::latentOutputs(const LayerWeights& layer, std::uint32_t tokens)
{
    const std::uint32_t heads = m_config.numHeads;
    quantize(m_w.latentMix, heads * tokens);
    std::uint32_t jobs = 0;
    for (std::uint32_t head = 0; head < heads; ++head)
        addJob(jobs, layer.latentHeads[head].value, inputRows(m_w.latentMix, head * tokens, tokens),
            &m_w.attended.values[std::size_t{head} * m_config.valueDim], heads * m_config.valueDim);
    runJobs(jobs);
}

std::size_t Forward::cacheAt(std::uint32_t layer, std::uint32_t head, std::uint32_t position, std::uint32_t dim) const
{
    const std::size_t elementSize = m_options.kv == KvType::F16 ? 2 : 4;
    const std::size_t row = (std::size_t{layer} * m_config.numKvHeads + head) * m_options.context + position;
    return row * dim * elementSize;
}

} // namespace colibri
