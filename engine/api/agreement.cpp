// SPDX-License-Identifier: Apache-2.0
#include "api/agreement.h"

#include "api/session.h"
#include "api/token_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

constexpr std::size_t budgetBytes = std::size_t{64} << 20; ///< of outputs, and of router logits, of a window
constexpr double noValue = std::numeric_limits<double>::quiet_NaN();

Error differ(std::string_view what, std::uint64_t source, std::uint64_t copy)
{
    return {Errc::Mismatch, "compare models", {}, {},
        std::string(what) + " are " + std::to_string(source) + " in the source and " + std::to_string(copy)
            + " in the copy"};
}

Result<void> checkShapes(const ModelConfig& a, const ModelConfig& b)
{
    struct Size {
        std::string_view name;
        std::uint32_t a;
        std::uint32_t b;
    };
    const Size sizes[]{{"outputs", a.outputSize, b.outputSize}, {"token ids", a.vocabSize, b.vocabSize},
        {"MoE layers", moeLayers(a), moeLayers(b)}, {"experts", a.numExperts, b.numExperts},
        {"active experts", a.numActiveExperts, b.numActiveExperts}};
    for (const Size& size : sizes)
        if (size.a != size.b)
            return differ(size.name, size.a, size.b);
    return {};
}

/// 0 for the same value, also where both are not a number.
double distance(float a, float b)
{
    return a == b || (std::isnan(a) && std::isnan(b)) ? 0.0 : std::abs(double{a} - double{b});
}

/// Keeps a NaN that comes.
void raise(float& most, double value)
{
    if (!(value <= most) && !std::isnan(most))
        most = static_cast<float>(value);
}

class Comparison {
public:
    Comparison(Session& source, Session& copy, std::span<const TokenId> tokens, OpenProgress* progress,
        const std::stop_token& stop)
        : m_source(source)
        , m_copy(copy)
        , m_tokens(tokens)
        , m_progress(progress)
        , m_stop(stop)
        , m_width(source.model()->config().outputSize)
        , m_predicts(source.model()->config().architecture != Architecture::LinearMoe)
    {
        const ModelConfig& config = source.model()->config();
        const std::size_t row = sizeof(float) * std::max(m_width, std::size_t{moeLayers(config)} * config.numExperts);
        m_result.window = static_cast<std::uint32_t>(std::min<std::size_t>(
            {std::max<std::size_t>(budgetBytes / row, 1), source.context(), copy.context(), tokens.size()}));
    }

    Result<Agreement> run()
    {
        m_rows.resize(std::size_t{m_result.window} * m_width);
        for (std::size_t at = 0; at < m_tokens.size(); at += m_result.window)
            if (auto done = compareWindow(at); !done)
                return done.error();
        m_result.tokens = static_cast<std::uint32_t>(m_tokens.size());
        const auto values = static_cast<double>(m_tokens.size() * m_width);
        m_result.rmsLogitDifference = std::sqrt(m_squaredDifferences / values);
        m_result.logitNmse = m_squaredDifferences == 0 ? 0.0 : m_squaredDifferences / m_squares;
        const double targets = m_predicts && m_tokens.size() > 1 ? static_cast<double>(m_tokens.size() - 1) : noValue;
        m_result.sourceLoss = m_sourceLoss / targets;
        m_result.exportLoss = m_copyLoss / targets;
        return m_result;
    }

private:
    using Record = std::shared_ptr<RunRecord>;

    Record makeRecord(std::size_t positions) const
    {
        const ModelConfig& c = m_source.model()->config();
        RunRecord::Shape shape{static_cast<std::uint32_t>(positions), moeLayers(c), c.numExperts, c.numActiveExperts};
        shape.logitBudgetBytes = positions * shape.layers * shape.experts * sizeof(float);
        return std::make_shared<RunRecord>(shape);
    }

    Result<void> compareWindow(std::size_t at)
    {
        const auto tokens = m_tokens.subspan(at, std::min<std::size_t>(m_result.window, m_tokens.size() - at));
        const Record source = makeRecord(tokens.size());
        const Record copy = makeRecord(tokens.size());
        const auto keep = [&](std::uint32_t position, std::uint32_t count, std::span<const float> rows) {
            std::ranges::copy(rows, m_rows.begin() + static_cast<std::ptrdiff_t>(position * m_width));
            advance(count);
            return true;
        };
        if (auto done = m_source.evaluate(tokens, source, m_stop, keep); !done)
            return done;
        const auto compare = [&](std::uint32_t position, std::uint32_t count, std::span<const float> rows) {
            for (std::size_t i = 0; i < count; ++i)
                compareRow(std::span(m_rows).subspan((position + i) * m_width, m_width),
                    rows.subspan(i * m_width, m_width), at + position + i);
            advance(count);
            return true;
        };
        if (auto done = m_copy.evaluate(tokens, copy, m_stop, compare); !done)
            return done;
        for (std::uint32_t position = 0; position < tokens.size(); ++position)
            for (std::uint32_t layer = 0; layer < source->shape().layers; ++layer)
                compareDecision(*source, *copy, position, layer, at);
        return {};
    }

    void advance(std::uint32_t tokens)
    {
        if (m_progress)
            m_progress->addBytes(tokens);
    }

    void compareRow(std::span<const float> source, std::span<const float> copy, std::size_t position)
    {
        for (std::size_t i = 0; i < m_width; ++i) {
            const double apart = distance(source[i], copy[i]);
            raise(m_result.maxLogitDifference, apart);
            m_squaredDifferences += apart * apart;
            m_squares += double{source[i]} * double{source[i]};
        }
        const auto greedy = [](std::span<const float> row) { return std::ranges::max_element(row) - row.begin(); };
        m_result.sameGreedy += greedy(source) == greedy(copy);
        if (!m_predicts || position + 1 >= m_tokens.size())
            return;
        m_sourceLoss += tokenLoss(source, m_tokens[position + 1]);
        m_copyLoss += tokenLoss(copy, m_tokens[position + 1]);
    }

    void compareDecision(
        const RunRecord& source, const RunRecord& copy, std::uint32_t position, std::uint32_t layer, std::size_t at)
    {
        ++m_result.decisions;
        if (std::ranges::is_permutation(source.experts(position, layer), copy.experts(position, layer)))
            ++m_result.sameExperts;
        else if (!m_result.firstDifference)
            m_result.firstDifference = {
                static_cast<std::uint32_t>(at) + position, layer, source.margin(position, layer)};
        if (!m_source.model()->hasRouter() || !m_copy.model()->hasRouter())
            return;
        m_sourceLogits.resize(source.shape().experts);
        m_copyLogits.resize(source.shape().experts);
        if (!source.copyRouterLogits(position, layer, m_sourceLogits)
            || !copy.copyRouterLogits(position, layer, m_copyLogits))
            return;
        for (std::size_t expert = 0; expert < m_sourceLogits.size(); ++expert)
            raise(m_result.maxRouterLogitDifference, distance(m_sourceLogits[expert], m_copyLogits[expert]));
    }

    Session& m_source;
    Session& m_copy;
    std::span<const TokenId> m_tokens;
    OpenProgress* m_progress;
    const std::stop_token& m_stop;
    std::size_t m_width;
    bool m_predicts; ///< outputs are logits of the next token
    Agreement m_result;
    std::vector<float> m_rows; ///< [window][width], of the source
    std::vector<float> m_sourceLogits; ///< [experts]
    std::vector<float> m_copyLogits;
    double m_squaredDifferences = 0;
    double m_squares = 0;
    double m_sourceLoss = 0;
    double m_copyLoss = 0;
};

} // namespace

Result<Agreement> compareModels(const ModelPtr& source, const ModelPtr& copy, std::span<const TokenId> tokens,
    const EngineOptions& options, OpenProgress* progress, std::stop_token stop)
{
    if (tokens.empty())
        return Error{Errc::OutOfRange, "compare models", {}, {}, "there are no tokens to compare"};
    if (auto fine = checkShapes(source->config(), copy->config()); !fine)
        return fine.error();
    if (progress)
        progress->setBytesTotal(2 * tokens.size());
    EngineOptions engine = options;
    if (engine.context == 0) // no cache for more than there is to read
        engine.context = static_cast<std::uint32_t>(std::min<std::size_t>(
            {tokens.size(), std::size_t{usualContextLimit}, source->config().maxSeqLen, copy->config().maxSeqLen}));
    const auto first = Session::create(source, engine);
    if (!first)
        return first.error();
    const auto second = Session::create(copy, engine);
    if (!second)
        return second.error();
    return Comparison(**first, **second, tokens, progress, stop).run();
}

} // namespace colibri
