// SPDX-License-Identifier: Apache-2.0
#include "api/export_table.h"

#include "api/agreement.h"
#include "api/model_impl.h"
#include "api/session.h"
#include "types/checked.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace colibri {
namespace {

constexpr std::uint64_t memoryLimit = std::uint64_t{2} << 30;
constexpr std::size_t logitBudgetBytes = std::size_t{64} << 20;

Error refused(Errc code, const Model& model, std::string why)
{
    return {code, "make a routing table", model.path(), {}, std::move(why)};
}

/// What a table is made from, of some layers at a time: sums over the occurrences of each id, and of all ids at the
/// last place.
class Sums {
public:
    Sums(const RouterTablePlan& plan, std::size_t tokens, std::uint32_t layers)
        : m_plan(plan)
        , m_tokens(tokens)
        , m_occurrences(plan.ids.size() + 1)
        , m_counts(layers * m_occurrences.size() * plan.experts)
        , m_ranks(m_counts.size())
        , m_logits(m_counts.size())
        , m_chosen(layers * tokens * plan.k)
    {
    }

    /// For each id and layer.
    static constexpr std::uint64_t bytesPerExpert = sizeof(std::uint32_t) + sizeof(std::uint64_t) + sizeof(double);
    /// Of one layer.
    static std::uint64_t bytes(const RouterTablePlan& plan, std::size_t tokens)
    {
        return (plan.ids.size() + 1) * plan.experts * (sizeof(std::uint32_t) + sizeof(std::uint64_t) + sizeof(double))
            + tokens * plan.k * sizeof(std::uint16_t);
    }

    void clear()
    {
        std::ranges::fill(m_occurrences, 0u);
        std::ranges::fill(m_counts, 0u);
        std::ranges::fill(m_ranks, 0u);
        std::ranges::fill(m_logits, 0.0);
    }

    void count(std::size_t id)
    {
        ++m_occurrences[id];
        ++m_occurrences.back();
    }

    void add(std::uint32_t layer, std::size_t token, std::size_t id, std::span<const std::uint16_t> experts,
        std::span<const float> logits)
    {
        for (const std::size_t place : {m_plan.place(layer, id), m_plan.place(layer, m_plan.rest())}) {
            const std::size_t at = place * m_plan.experts;
            for (std::size_t rank = 0; rank < experts.size(); ++rank) {
                ++m_counts[at + experts[rank]];
                m_ranks[at + experts[rank]] += rank;
            }
            for (std::size_t expert = 0; expert < logits.size(); ++expert)
                m_logits[at + expert] += logits[expert];
        }
        std::ranges::copy(experts, chosen(layer, token).begin());
    }

    std::span<std::uint16_t> chosen(std::uint32_t layer, std::size_t token)
    {
        return std::span(m_chosen).subspan((layer * m_tokens + token) * m_plan.k, m_plan.k);
    }

    /// The k experts that were chosen most often, then those of the smaller sum of ranks, then of the lower id.
    /// `order` [experts] is scratch.
    void best(std::uint32_t layer, std::size_t id, std::span<std::uint16_t> order, std::span<std::uint16_t> row) const
    {
        const std::size_t at = m_plan.place(layer, id) * m_plan.experts;
        std::iota(order.begin(), order.end(), std::uint16_t{0});
        std::ranges::partial_sort(
            order, order.begin() + static_cast<std::ptrdiff_t>(row.size()), {}, [&](std::uint16_t expert) {
                return std::tuple(UINT32_MAX - m_counts[at + expert], m_ranks[at + expert], expert);
            });
        std::ranges::copy(order.first(row.size()), row.begin());
    }

    /// Mean router logits [experts], in the place of their sums.
    std::span<const double> meanLogits(std::uint32_t layer, std::size_t id)
    {
        const auto logits = std::span(m_logits).subspan(m_plan.place(layer, id) * m_plan.experts, m_plan.experts);
        for (double& logit : logits)
            logit /= m_occurrences[id];
        return logits;
    }

private:
    const RouterTablePlan& m_plan;
    std::size_t m_tokens;
    std::vector<std::uint32_t> m_occurrences; ///< [ids + 1]
    std::vector<std::uint32_t> m_counts; ///< [layers][ids + 1][experts]: times chosen
    std::vector<std::uint64_t> m_ranks; ///< the same: sum of the ranks
    std::vector<double> m_logits; ///< the same: sum of router logits
    std::vector<std::uint16_t> m_chosen; ///< [layers][tokens][k]
};

/// What the rows of so many ids and the sums of one layer take has to stay within reason, whatever a file says.
Result<void> checkMemory(const Model& model, std::uint64_t ids)
{
    const ModelConfig& c = model.config();
    const std::uint64_t row =
        moeLayers(c) * (2 * std::uint64_t{c.numActiveExperts} + c.numExperts + sizeof(LogitScale));
    const auto bytes = checkedMultiply(ids + 1, row + Sums::bytesPerExpert * c.numExperts);
    if (bytes && *bytes <= memoryLimit)
        return {};
    return refused(Errc::OutOfMemory, model,
        "rows of " + std::to_string(ids) + " token ids over " + std::to_string(moeLayers(c)) + " MoE layers of "
            + std::to_string(c.numExperts) + " experts need more than the " + std::to_string(memoryLimit >> 20)
            + " MiB that a table may take");
}

Result<std::vector<TokenId>> tokensToRead(const Model& model, const RouterTableOptions& options, bool exact)
{
    const std::uint32_t vocabulary = model.config().vocabSize;
    if (exact) {
        if (auto fits = checkMemory(model, vocabulary); !fits)
            return fits.error();
        std::vector<TokenId> all(vocabulary);
        std::iota(all.begin(), all.end(), TokenId{0});
        return all;
    }
    if (options.tokens.empty() && !model.hasTokenizer())
        return refused(Errc::Unsupported, model,
            "the model routes by context, so a table is a profile of a text, and without a tokenizer there is none; "
            "give token ids");
    std::vector<TokenId> tokens = options.tokens.empty() ? defaultTokens(model, UINT32_MAX) : options.tokens;
    const auto outside = std::ranges::find_if(tokens, [&](TokenId id) { return id >= vocabulary; });
    if (outside != tokens.end())
        return refused(Errc::OutOfRange, model,
            "token " + std::to_string(*outside) + " at position " + std::to_string(outside - tokens.begin())
                + " of the text, the vocabulary has " + std::to_string(vocabulary));
    return tokens;
}

RouterTableTask keptTask(const RouterTable& table)
{
    RouterTableTask task;
    task.kept = true;
    task.report = {.exact = true, .rows = table.rows, .rowsSeen = table.rows};
    task.report.decisions = task.report.reproduced = std::uint64_t{table.layers} * table.rows;
    task.notes.emplace_back("The source has no router, so its own routing table goes along as it is.");
    return task;
}

class Profiler {
public:
    Profiler(Session& session, const RouterTableOptions& options, RouterTableTask& task, const TableProgress& progress,
        const std::stop_token& stop)
        : m_session(session)
        , m_options(options)
        , m_task(task)
        , m_plan(task.plan)
        , m_progress(progress)
        , m_stop(stop)
        , m_logits(task.plan.experts)
        , m_order(task.plan.experts)
    {
        for (const TokenId token : task.tokens)
            m_ids.push_back(
                static_cast<std::uint32_t>(std::ranges::lower_bound(m_plan.ids, token) - m_plan.ids.begin()));
    }

    /// As many layers at a time as the budget holds, the whole text for each of these stretches.
    Result<void> run()
    {
        const std::size_t tokens = m_task.tokens.size();
        const auto atOnce = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(m_options.sumBytes / Sums::bytes(m_plan, tokens), 1, m_plan.layers));
        Sums sums(m_plan, tokens, atOnce);
        m_work = std::uint64_t{(m_plan.layers + atOnce - 1) / atOnce} * tokens;
        for (std::uint32_t first = 0; first < m_plan.layers; first += atOnce) {
            const std::uint32_t count = std::min(atOnce, m_plan.layers - first);
            sums.clear();
            if (auto done = readText(sums, first, count); !done)
                return done;
            for (std::uint32_t layer = 0; layer < count; ++layer)
                if (auto done = finishLayer(sums, layer, first + layer); !done)
                    return done;
        }
        return {};
    }

private:
    Result<void> readText(Sums& sums, std::uint32_t first, std::uint32_t count)
    {
        const std::span<const TokenId> tokens = m_task.tokens;
        const std::size_t window = m_session.context();
        for (std::size_t at = 0; at < tokens.size(); at += window) {
            const auto read = tokens.subspan(at, std::min(window, tokens.size() - at));
            RunRecord::Shape shape{static_cast<std::uint32_t>(read.size()), m_plan.layers, m_plan.experts, m_plan.k};
            shape.logitBudgetBytes = std::max(
                logitBudgetBytes, std::size_t{m_session.info().batch} * m_plan.layers * m_plan.experts * sizeof(float));
            const auto record = std::make_shared<RunRecord>(shape);
            std::uint32_t taken = 0; // positions
            const auto take = [&](std::uint32_t, std::uint32_t, std::span<const float>) {
                for (; taken < record->routed(); ++taken)
                    takePosition(*record, taken, at + taken, sums, first, count);
                return true;
            };
            if (auto done = m_session.evaluate(read, record, m_stop, take); !done)
                return done;
        }
        return {};
    }

    void takePosition(const RunRecord& record, std::uint32_t position, std::size_t token, Sums& sums,
        std::uint32_t first, std::uint32_t count)
    {
        sums.count(m_ids[token]);
        for (std::uint32_t layer = 0; layer < count; ++layer) {
            // The record holds the logits of a whole batch, so they are there.
            record.copyRouterLogits(position, first + layer, m_logits);
            sums.add(layer, token, m_ids[token], record.experts(position, first + layer), m_logits);
            m_task.report.nearTies += record.margin(position, first + layer) < m_options.nearTie; // false for NaN
        }
        if (m_progress)
            m_progress(++m_done, m_work);
    }

    /// `layer` counts within `sums`, `moeLayer` within the model.
    Result<void> finishLayer(Sums& sums, std::uint32_t layer, std::uint32_t moeLayer)
    {
        for (std::size_t id = 0; id <= m_plan.ids.size(); ++id) {
            const std::size_t place = m_plan.place(moeLayer, id);
            sums.best(layer, id, m_order, m_plan.chosenAt(place));
            const auto scale = quantizeLogits(sums.meanLogits(layer, id), m_plan.logitsAt(place));
            if (!scale)
                return Error{Errc::NonFinite, "make a routing table", m_session.model()->path(), {},
                    "router logits of MoE layer " + std::to_string(moeLayer) + ", "
                        + (id < m_plan.ids.size() ? "token " + std::to_string(m_plan.ids[id]) : "all tokens together")
                        + " are not finite"};
            m_plan.scales[place] = *scale;
        }
        for (std::size_t token = 0; token < m_ids.size(); ++token)
            m_task.report.reproduced += std::ranges::is_permutation(
                sums.chosen(layer, token), m_plan.chosenAt(m_plan.place(moeLayer, m_ids[token])));
        m_task.report.decisions += m_ids.size();
        return {};
    }

    Session& m_session;
    const RouterTableOptions& m_options;
    RouterTableTask& m_task;
    RouterTablePlan& m_plan;
    const TableProgress& m_progress;
    const std::stop_token& m_stop;
    std::vector<std::uint32_t> m_ids; ///< of each token, its place among the plan's ids
    std::vector<float> m_logits; ///< [experts]
    std::vector<std::uint16_t> m_order; ///< [experts]
    std::uint64_t m_done = 0; ///< tokens
    std::uint64_t m_work = 0;
};

} // namespace

Result<RouterTableTask> routerTableTask(const Model& model, const RouterTableOptions& options)
{
    const ModelConfig& config = model.config();
    const ModelSource& source = model.impl().loaded->source;
    if (!model.hasRouter())
        return keptTask(*source.table); // a model that opens has one of both
    if (config.vocabSize == 0)
        return refused(Errc::Unsupported, model, "the model states no vocab_size, so its token ids have no end");
    const bool exact = config.architecture == Architecture::LinearMoe;
    auto tokens = tokensToRead(model, options, exact);
    if (!tokens)
        return tokens.error();
    RouterTableTask task;
    task.tokens = std::move(*tokens);
    task.plan.layers = moeLayers(config);
    task.plan.rows = config.vocabSize;
    task.plan.k = config.numActiveExperts;
    task.plan.experts = config.numExperts;
    task.plan.ids = task.tokens;
    std::ranges::sort(task.plan.ids);
    task.plan.ids.erase(std::unique(task.plan.ids.begin(), task.plan.ids.end()), task.plan.ids.end());
    if (auto fits = checkMemory(model, task.plan.ids.size()); !fits)
        return fits.error();
    task.report = {.exact = exact, .rows = config.vocabSize, .nearTie = options.nearTie};
    task.report.rowsSeen = static_cast<std::uint32_t>(task.plan.ids.size());
    if (const std::uint32_t unseen = task.report.rows - task.report.rowsSeen)
        task.notes.push_back(std::to_string(unseen) + " of " + std::to_string(task.report.rows)
            + " token ids do not occur in the text; their rows name what each layer chose most often.");
    if (source.table)
        task.notes.emplace_back("The routing table of the source was replaced.");
    return task;
}

Result<void> computeRouterTable(const Model& model, const RouterTableOptions& options, RouterTableTask& task,
    const TableProgress& progress, const std::stop_token& stop)
{
    EngineOptions engine = options.engine;
    engine.routing = RoutingSource::Live;
    if (engine.context == 0) // no cache for more than there is to read
        engine.context = static_cast<std::uint32_t>(
            std::min<std::size_t>({task.tokens.size(), std::size_t{usualContextLimit}, model.config().maxSeqLen}));
    // The session lives within this call, so it need not own the model.
    auto session = Session::create(ModelPtr(ModelPtr(), &model), engine);
    if (!session)
        return session.error();
    task.plan.allocate();
    return Profiler(**session, options, task, progress, stop).run();
}

} // namespace colibri
