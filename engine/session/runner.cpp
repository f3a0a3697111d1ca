// SPDX-License-Identifier: Apache-2.0
#include "session/runner.h"

#include "kernels/floatenv.h"

#include <algorithm>
#include <thread>

namespace colibri {
namespace {

constexpr std::uint32_t threadLimit = 256;

Error refused(std::string why)
{
    return Error{Errc::OutOfRange, "start a session", {}, std::nullopt, std::move(why)};
}

/// The formats that activations are rounded to, by the types of the weights.
FormatSet roundedFormats(const LoadedModel& model, Activations activations)
{
    FormatSet formats{};
    for (std::size_t i = 0; i < model.matrixTypes.size() && activations == Activations::Q8; ++i)
        if (const auto format = quantFormatOf(static_cast<DType>(i)); format && model.matrixTypes[i])
            formats[static_cast<std::size_t>(*format)] = true;
    return formats;
}

std::uint32_t availableThreads()
{
    return std::max(1u, std::thread::hardware_concurrency());
}

/// Fills in defaults and checks what was given.
Result<EngineOptions> resolve(const LoadedModel& model, EngineOptions o)
{
    const std::uint32_t most = model.config.maxSeqLen;
    if (o.threads == 0)
        o.threads = availableThreads();
    if (o.threads > threadLimit)
        return refused(
            "threads is " + std::to_string(o.threads) + ", at most " + std::to_string(threadLimit) + " are supported");
    if (o.context == 0)
        o.context = std::min(most, usualContextLimit);
    if (o.context > most)
        return refused("context is " + std::to_string(o.context) + ", the model's is " + std::to_string(most));
    if (o.batch == 0)
        return refused("batch is 0, at least 1 token has to go through the layers");
    o.batch = std::min(o.batch, o.context);
    const bool router = model.hasRouter();
    if (!o.routing)
        o.routing = router ? RoutingSource::Live : RoutingSource::Table;
    if (*o.routing == RoutingSource::Live && !router)
        return refused("routing is live, the model has no router; it routes by its table");
    if (*o.routing == RoutingSource::Table && !model.source.table)
        return refused("routing is table, the model has no routing table");
    return o;
}

} // namespace

Result<std::unique_ptr<Runner>> Runner::create(const LoadedModel& model, const EngineOptions& options)
{
    const auto resolved = resolve(model, options);
    if (!resolved)
        return resolved.error();
    const Isa isa = resolved->numerics == Numerics::Scalar ? Isa::Scalar : resolved->isa;
    const KernelTable* kernels = kernelTable(isa);
    if (!kernels)
        return refused("instruction set is " + std::string(name(isa)) + ", this machine does not have it");
    std::unique_ptr<Runner> runner(new Runner(model, *resolved, *kernels));
    if (auto done = runner->allocate(); !done)
        return done.error();
    return runner;
}

Runner::Runner(const LoadedModel& model, const EngineOptions& options, const KernelTable& kernels)
    : m_model(model)
    , m_options(options)
    , m_isa(kernels.isa)
    , m_kernels(kernels)
    , m_plan{options.threads, options.batch, options.context, options.kv, roundedFormats(model, options.activations)}
    , m_pool(options.threads)
{
}

Result<void> Runner::allocate()
{
    const auto bytes = workspaceBytes(m_model.config, m_plan);
    const std::uint64_t candidateBytes =
        (m_model.config.outputSize * sizeof(Candidate) + Arena::alignment - 1) / Arena::alignment * Arena::alignment;
    if (!bytes || *bytes > UINT64_MAX - candidateBytes)
        return Error{Errc::OutOfMemory, "start a session", {}, std::nullopt,
            "the memory of a run does not fit in 64 bits; ask for a smaller context or batch"};
    auto arena = Arena::create(*bytes + candidateBytes);
    if (!arena)
        return arena.error();
    m_arena = std::move(*arena);
    m_workspace = makeWorkspace(m_model.config, m_plan, m_arena);
    m_candidates = m_arena.take<Candidate>(m_model.config.outputSize);
    ForwardOptions options{&m_kernels, m_options.kv, m_options.context, *m_options.routing, m_options.breaker};
    m_forward = std::make_unique<Forward>(m_model, options, m_workspace, m_pool);
    m_tokens.reserve(m_options.context);
    return {};
}

Result<void> Runner::checkTokens(std::span<const TokenId> tokens) const
{
    const std::uint32_t vocabulary = m_model.config.vocabSize;
    const auto fail = [](std::string why) {
        return Error{Errc::OutOfRange, "check the tokens", {}, std::nullopt, std::move(why)};
    };
    if (tokens.empty())
        return fail("there are none, a run needs at least one");
    if (tokens.size() > m_options.context)
        return fail(
            "there are " + std::to_string(tokens.size()) + ", the context holds " + std::to_string(m_options.context));
    for (std::size_t i = 0; vocabulary && i < tokens.size(); ++i)
        if (tokens[i] >= vocabulary)
            return fail("token " + std::to_string(tokens[i]) + " at position " + std::to_string(i)
                + ", the vocabulary has " + std::to_string(vocabulary));
    return {};
}

/// The calling thread takes part in the work; the pool's own threads were made with the default state.
Result<void> Runner::checkFloatEnvironment()
{
    if (const char* fault = floatEnvironmentFault())
        return Error{Errc::Mismatch, "start a run", {}, std::nullopt,
            std::string("in this thread ") + fault + "; results would differ from those of other machines"};
    return {};
}

/// Every token, or every position, has a row in the table that routes.
Result<void> Runner::checkTable(std::span<const TokenId> tokens, std::uint32_t position) const
{
    if (*m_options.routing != RoutingSource::Table)
        return {};
    const RouterTable& table = *m_model.source.table;
    const bool byToken = table.index == TableIndex::Token;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if ((byToken ? tokens[i] : position + i) >= table.rows)
            return Error{Errc::OutOfRange,
                "route token " + std::to_string(tokens[i]) + " at position " + std::to_string(position + i),
                m_model.source.files[table.file]->path(), std::nullopt,
                "the routing table is indexed by " + std::string(name(table.index)) + " and has "
                    + std::to_string(table.rows) + " rows"};
    return {};
}

Result<void> Runner::begin(RunRequest request, std::shared_ptr<RunRecord> record, std::shared_ptr<TimingRing> timings)
{
    m_sampler.reset();
    if (auto fine = checkFloatEnvironment(); !fine)
        return fine;
    if (auto fine = checkTokens(request.prompt); !fine)
        return fine;
    if (!hasHead(m_model.config))
        return Error{Errc::Unsupported, "start a run", {}, std::nullopt,
            "a model without an output head makes no tokens; evaluate its tokens instead"};
    if (const std::string fault = samplingFault(request.sampling); !fault.empty())
        return Error{Errc::OutOfRange, "check the sampling options", {}, std::nullopt, fault};
    for (const auto& file : m_model.source.files)
        if (file->changedOnDisk())
            return Error{Errc::Lost, "start a run", file->path(), std::nullopt,
                "the file changed on disk since the model was opened, open it again"};
    m_request = std::move(request);
    m_record = std::move(record);
    m_timingRing = std::move(timings);
    m_tokens.assign(m_request.prompt.begin(), m_request.prompt.end());
    m_promptTokens = static_cast<std::uint32_t>(m_tokens.size());
    m_position = m_lastBatch = 0;
    m_startNs = 0;
    m_timings = {};
    m_sampler.emplace(m_request.sampling);
    if (m_record)
        m_record->setPrompt(m_request.prompt);
    return {};
}

Result<void> Runner::feed(std::span<const TokenId> tokens, const std::stop_token& stop, bool prefill)
{
    while (!tokens.empty()) {
        const auto batch = tokens.first(std::min<std::size_t>(tokens.size(), m_options.batch));
        if (auto fine = checkTable(batch, m_position); !fine)
            return fine;
        m_event = TimingEvent{};
        m_stages = {};
        m_event.startNs = nowNs();
        m_event.position = m_position;
        m_event.tokens = static_cast<std::uint32_t>(batch.size());
        m_event.prefill = prefill;
        const Step step{batch, m_position, m_record.get(), &m_stages, stop};
        if (auto done = m_forward->run(step); !done)
            return done;
        m_lastBatch = static_cast<std::uint32_t>(batch.size());
        m_position += m_lastBatch;
        if (m_record)
            m_record->publishRouted(m_position);
        tokens = tokens.subspan(batch.size());
        if (!tokens.empty())
            finishStep(0, 0);
    }
    return {};
}

Result<TokenId> Runner::sample()
{
    const std::uint64_t begin = nowNs();
    if (auto done = m_forward->output(m_lastBatch - 1, 1); !done)
        return done.error();
    const std::uint64_t middle = nowNs();
    const TokenId token = m_sampler->draw(m_workspace.rows.first(m_model.config.outputSize), m_tokens, m_candidates);
    finishStep(middle - begin, nowNs() - middle);
    return token;
}

void Runner::finishStep(std::uint64_t headNs, std::uint64_t samplingNs)
{
    TimingEvent& event = m_event;
    event.attentionNs = static_cast<float>(m_stages.attentionNs);
    event.routerNs = static_cast<float>(m_stages.routerNs);
    event.expertsNs = static_cast<float>(m_stages.expertsNs);
    event.headNs = static_cast<float>(headNs);
    event.samplingNs = static_cast<float>(samplingNs);
    event.totalNs = nowNs() - event.startNs;
    const double seconds = static_cast<double>(event.totalNs) * 1e-9;
    (event.prefill ? m_timings.prefillS : m_timings.decodeS) += seconds;
    (event.prefill ? m_timings.prefillTokens : m_timings.decodeTokens) += event.tokens;
    if (!m_timingRing)
        return;
    m_counters.take(event);
    m_timingRing->tryPush(event);
}

std::optional<StopReason> Runner::finished() const
{
    const std::span<const TokenId> made = generated();
    const auto& ends = m_model.config.endOfText;
    if (!made.empty() && !m_request.ignoreEndOfText && std::ranges::find(ends, made.back()) != ends.end())
        return StopReason::EndOfText;
    if (made.size() >= m_request.maxTokens)
        return StopReason::MaxTokens;
    if (m_tokens.size() >= m_options.context)
        return StopReason::ContextFull;
    return std::nullopt;
}

Result<StopReason> Runner::advance(
    std::uint32_t tokens, const std::stop_token& stop, const std::function<void(TokenId)>& onToken)
{
    if (!m_sampler)
        return Error{Errc::OutOfRange, "go on with a run", {}, std::nullopt, "no run was started"};
    if (m_startNs == 0)
        m_startNs = nowNs();
    if (m_timingRing)
        m_counters.restart();
    for (std::uint32_t made = 0;; ++made) {
        if (const auto reason = finished())
            return *reason;
        if (made == tokens)
            return StopReason::Paused;
        const bool prefill = m_position < m_promptTokens;
        if (auto done = feed(std::span(m_tokens).subspan(m_position), stop, prefill); !done) {
            if (done.error().code == Errc::Cancelled)
                return StopReason::Cancelled;
            m_sampler.reset();
            return done.error();
        }
        const auto token = sample();
        if (!token) {
            m_sampler.reset();
            return token.error();
        }
        m_tokens.push_back(*token);
        if (m_record)
            m_record->appendToken(*token);
        if (m_timings.firstTokenS == 0)
            m_timings.firstTokenS = static_cast<double>(nowNs() - m_startNs) * 1e-9;
        if (onToken)
            onToken(*token);
    }
}

Result<void> Runner::evaluate(std::span<const TokenId> tokens, std::shared_ptr<RunRecord> record,
    const std::stop_token& stop, const RowSink& sink)
{
    m_sampler.reset();
    if (auto fine = checkFloatEnvironment(); !fine)
        return fine;
    if (auto fine = checkTokens(tokens); !fine)
        return fine;
    m_record = std::move(record);
    m_timingRing.reset();
    m_timings = {};
    m_position = 0;
    if (m_record)
        m_record->setPrompt(tokens);
    for (std::size_t at = 0; at < tokens.size(); at += m_options.batch) {
        const auto batch = tokens.subspan(at, std::min<std::size_t>(m_options.batch, tokens.size() - at));
        if (auto done = feed(batch, stop, true); !done)
            return done;
        for (std::uint32_t row = 0; row < batch.size(); row += m_workspace.rowCapacity) {
            const auto count =
                static_cast<std::uint32_t>(std::min<std::size_t>(m_workspace.rowCapacity, batch.size() - row));
            if (auto done = m_forward->output(row, count); !done)
                return done;
            if (!sink(static_cast<std::uint32_t>(at) + row, count,
                    m_workspace.rows.first(std::size_t{count} * m_model.config.outputSize)))
                return Error{Errc::Cancelled, "evaluate", {}, std::nullopt, "stopped"};
        }
        finishStep(0, 0);
    }
    return {};
}

} // namespace colibri
