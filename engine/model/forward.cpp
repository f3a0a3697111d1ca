// SPDX-License-Identifier: Apache-2.0
#include "model/forward.h"

#include "model/stage_clock.h"

#include "memory/fault_guard.h"

#include <algorithm>

namespace colibri {

Forward::Forward(const LoadedModel& model, const ForwardOptions& options, Workspace& workspace, ThreadPool& pool)
    : m_model(model)
    , m_config(model.config)
    , m_options(options)
    , m_kernels(*options.kernels)
    , m_w(workspace)
    , m_pool(pool)
    , m_expertOut(expertOutputSize(m_config))
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
        if (auto done = feedForward(layer, index, step); !done)
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

/// The normed residual stream, with its rounded copies; without a norm the stream itself.
void Forward::norm(const Vector& weights, std::uint32_t tokens)
{
    const std::uint32_t hidden = m_config.hiddenSize;
    for (std::uint32_t t = 0; t < tokens; ++t) {
        const float* from = &m_w.residual[std::size_t{t} * hidden];
        float* to = &m_w.normed.values[std::size_t{t} * hidden];
        if (weights)
            m_kernels.rmsNorm(from, weights.values, m_config.rmsNormEps, hidden, to);
        else
            std::copy_n(from, hidden, to);
    }
    quantize(m_w.normed, tokens);
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
    product(m_model.weights.head, inputRows(m_w.normed, 0, count), m_w.rows.data());
    return intact();
}

void Forward::quantize(const ActivationRows& rows, std::uint32_t count)
{
    for (std::size_t t = 0; t < count; ++t)
        roundRow(m_kernels, rows, t);
}

void Forward::addJob(std::uint32_t& count, const Matrix& matrix, const Rows& rows, float* out, std::uint32_t outStride)
{
    m_w.jobs[count++] = ProductJob{&matrix, rows, out, outStride ? outStride : matrix.rows, 0};
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

/// Adds a bias to rows [first, last) of its width.
void Forward::addToRows(const Vector& bias, std::span<float> rows, std::size_t first, std::size_t last)
{
    for (std::size_t row = first; bias && row < last; ++row)
        m_kernels.add(&rows[row * bias.size], bias.values, bias.size);
}

} // namespace colibri
