// SPDX-License-Identifier: Apache-2.0
#include "model/forward.h"

#include "model/stage_clock.h"

#include "memory/fault_guard.h"

#include <algorithm>
#include <cmath>

namespace colibri {

Forward::Forward(const LoadedModel& model, const ForwardOptions& options, Workspace& workspace, ThreadPool& pool)
    : m_model(model)
    , m_config(model.config)
    , m_options(options)
    , m_kernels(*options.kernels)
    , m_w(workspace)
    , m_pool(pool)
    , m_expertOut(m_config.vocabSize ? m_config.hiddenSize : m_config.outputSize)
{
}

Result<void> Forward::run(const Step& step)
{
    m_stop = step.stop;
    Result<void> done = layers(step);
    // A stop makes jobs skip their work, so a step that was stopped anywhere has no result.
    if (done && m_stop.stop_requested())
        done = stopped();
    m_stop = {};
    return done;
}

Error Forward::stopped() const
{
    return Error{Errc::Cancelled, "compute a step", {}, std::nullopt, "stopped"};
}

Result<void> Forward::layers(const Step& step)
{
    embed(step);
    for (std::uint32_t index = 0; index < m_config.numLayers; ++index) {
        if (m_stop.stop_requested())
            return stopped();
        const LayerWeights& layer = m_model.weights.layers[index];
        attention(layer, index, step);
        if (auto done = experts(layer, index, step); !done)
            return done;
        if (auto whole = intact(); !whole)
            return whole;
    }
    return {};
}

/// Looks at the mappings only when a fault hit any mapping of the process since the last look.
Result<void> Forward::intact()
{
    const std::uint64_t faults = mappingFaults();
    if (faults == m_faults)
        return {};
    auto whole = m_model.checkMappings();
    if (whole)
        m_faults = faults;
    return whole;
}

void Forward::embed(const Step& step)
{
    const std::uint32_t hidden = m_config.hiddenSize;
    for (std::size_t t = 0; t < step.tokens.size(); ++t) {
        const std::span<float> row = m_w.residual.subspan(t * hidden, hidden);
        if (m_model.weights.embedding.data)
            m_kernels.copyRow(m_model.weights.embedding, step.tokens[t], row.data());
        else
            std::ranges::fill(row, static_cast<float>(step.tokens[t]));
    }
}

void Forward::attention(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    if (!layer.query.data)
        return;
    const StageClock clock(step.times ? &step.times->attentionNs : nullptr);
    const auto tokens = static_cast<std::uint32_t>(step.tokens.size());
    const std::uint32_t hidden = m_config.hiddenSize;
    for (std::uint32_t t = 0; t < tokens; ++t)
        m_kernels.rmsNorm(&m_w.residual[std::size_t{t} * hidden], layer.attentionNorm.values, m_config.rmsNormEps,
            hidden, &m_w.normed.values[std::size_t{t} * hidden]);
    quantize(m_w.normed, tokens);

    const Rows rows = rowsOf(m_w.normed, 0, tokens);
    std::uint32_t jobs = 0;
    addJob(jobs, layer.query, rows, m_w.query.data());
    addJob(jobs, layer.key, rows, m_w.key.data());
    addJob(jobs, layer.value, rows, m_w.value.data());
    runJobs(jobs);

    placeInCache(layer, index, step);
    attendHeads(index, step);
    quantize(m_w.attended, tokens);
    product(layer.output, rowsOf(m_w.attended, 0, tokens), m_w.projected.data());
    m_kernels.add(m_w.residual.data(), m_w.projected.data(), tokens * hidden);
}

/// Norms and rotates queries and keys, and stores keys and values at their positions.
void Forward::placeInCache(const LayerWeights& layer, std::uint32_t index, const Step& step)
{
    const std::uint32_t dim = m_config.headDim;
    const auto normAndRotate = [&](float* head, const Vector& norm, std::uint32_t position) {
        if (norm)
            m_kernels.rmsNorm(head, norm.values, m_config.rmsNormEps, dim, head);
        const std::size_t angles = std::size_t{position} * (dim / 2);
        m_kernels.rope(head, &m_w.cosine[angles], &m_w.sine[angles], dim);
    };
    for (std::uint32_t t = 0; t < step.tokens.size(); ++t) {
        const std::uint32_t position = step.position + t;
        for (std::uint32_t head = 0; head < m_config.numHeads; ++head)
            normAndRotate(&m_w.query[(std::size_t{t} * m_config.numHeads + head) * dim], layer.queryNorm, position);
        for (std::uint32_t head = 0; head < m_config.numKvHeads; ++head) {
            const std::size_t from = (std::size_t{t} * m_config.numKvHeads + head) * dim;
            normAndRotate(&m_w.key[from], layer.keyNorm, position);
            const std::size_t at = cacheAt(index, head, position);
            m_kernels.storeKv(&m_w.key[from], dim, m_options.kv, &m_w.keys[at]);
            m_kernels.storeKv(&m_w.value[from], dim, m_options.kv, &m_w.values[at]);
        }
    }
}

void Forward::attendHeads(std::uint32_t index, const Step& step)
{
    const std::uint32_t dim = m_config.headDim;
    const std::uint32_t shared = m_config.numHeads / m_config.numKvHeads;
    const float scale = 1.f / std::sqrt(static_cast<float>(dim));
    m_pool.parallel(static_cast<std::uint32_t>(step.tokens.size()) * m_config.numHeads,
        [&](std::uint32_t item, std::uint32_t thread) {
            if (m_stop.stop_requested())
                return;
            const std::uint32_t t = item / m_config.numHeads;
            const std::uint32_t head = item % m_config.numHeads;
            const std::size_t cache = cacheAt(index, head / shared, 0);
            AttendArgs args;
            args.query = &m_w.query[std::size_t{item} * dim];
            args.keys = &m_w.keys[cache];
            args.values = &m_w.values[cache];
            args.kv = m_options.kv;
            args.positions = step.position + t + 1;
            args.headDim = dim;
            args.scale = scale;
            args.scores = &m_w.scores[std::size_t{thread} * m_options.context];
            args.out = &m_w.attended.values[std::size_t{item} * dim];
            m_kernels.attend(args);
        });
}

Result<void> Forward::output(std::uint32_t first, std::uint32_t count)
{
    const std::uint32_t hidden = m_config.hiddenSize;
    if (!m_model.weights.head.data) { // what the experts gave is the output
        std::ranges::copy(m_w.projected.subspan(std::size_t{first} * m_expertOut, std::size_t{count} * m_expertOut),
            m_w.rows.begin());
        return intact();
    }
    for (std::uint32_t t = 0; t < count; ++t)
        m_kernels.rmsNorm(&m_w.residual[std::size_t{first + t} * hidden], m_model.weights.finalNorm.values,
            m_config.rmsNormEps, hidden, &m_w.normed.values[std::size_t{t} * hidden]);
    quantize(m_w.normed, count);
    product(m_model.weights.head, rowsOf(m_w.normed, 0, count), m_w.rows.data());
    return intact();
}

Rows Forward::rowsOf(const ActivationRows& rows, std::uint32_t first, std::uint32_t count) const
{
    const std::size_t at = std::size_t{first} * rows.width;
    const std::size_t groups = (rows.width + int8GroupSize - 1) / int8GroupSize;
    return {rows.values.data() + at, m_options.quantize ? rows.quants.data() + at : nullptr,
        m_options.quantize ? rows.quantScales.data() + first * groups : nullptr, count, rows.width};
}

void Forward::quantize(const ActivationRows& rows, std::uint32_t count)
{
    if (!m_options.quantize)
        return;
    const std::size_t groups = (rows.width + int8GroupSize - 1) / int8GroupSize;
    for (std::size_t t = 0; t < count; ++t)
        m_kernels.quantizeRow(
            &rows.values[t * rows.width], rows.width, &rows.quants[t * rows.width], &rows.quantScales[t * groups]);
}

void Forward::addJob(std::uint32_t& count, const Matrix& matrix, const Rows& rows, float* out)
{
    m_w.jobs[count++] = ProductJob{&matrix, rows, out, matrix.rows, 0};
}

void Forward::product(const Matrix& matrix, const Rows& rows, float* out)
{
    std::uint32_t jobs = 0;
    addJob(jobs, matrix, rows, out);
    runJobs(jobs);
}

void Forward::runJobs(std::uint32_t count, bool inDouble)
{
    const std::span<ProductJob> jobs = m_w.jobs.first(count);
    std::uint64_t totalRows = 0;
    for (const ProductJob& job : jobs)
        totalRows += job.matrix->rows;
    // Four pieces a thread even out a busy core; whole blocks of 16 rows suit the kernels.
    constexpr std::uint32_t block = 16;
    const std::uint64_t pieces = m_pool.threads() == 1 ? 1 : std::uint64_t{m_pool.threads()} * 4;
    const auto grain =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(block, (totalRows / pieces + block - 1) / block * block));
    std::uint32_t items = 0;
    for (ProductJob& job : jobs) {
        job.firstItem = items;
        items += (job.matrix->rows + grain - 1) / grain;
    }
    const auto multiply = inDouble ? m_kernels.matmulDouble : m_kernels.matmul;
    m_pool.parallel(items, [&](std::uint32_t item, std::uint32_t) {
        if (m_stop.stop_requested())
            return;
        const auto after = std::ranges::upper_bound(jobs, item, {}, &ProductJob::firstItem);
        const ProductJob& job = *std::prev(after);
        const std::uint32_t begin = (item - job.firstItem) * grain;
        multiply(*job.matrix, job.rows, begin, std::min(begin + grain, job.matrix->rows), job.out, job.outStride);
    });
}

std::size_t Forward::cacheAt(std::uint32_t layer, std::uint32_t head, std::uint32_t position) const
{
    const std::size_t elementSize = m_options.kv == KvType::F16 ? 2 : 4;
    const std::size_t row = (std::size_t{layer} * m_config.numKvHeads + head) * m_options.context + position;
    return row * m_config.headDim * elementSize;
}

} // namespace colibri
