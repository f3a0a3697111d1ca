// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/testrun.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace colibri::test {

std::vector<std::string> testVocabulary()
{
    std::vector<std::string> entries;
    for (int byte = 0; byte < 256; ++byte)
        entries.push_back(std::string(1, static_cast<char>(byte)));
    for (const char* word : {"The", " hum", "ming", "bird", " is", " small", ",", " fast", " and", " never", " still",
             ".", "\n", "\n\n", "    ", " return", " x", " +", " 1", ";", "int", " wing", "beat", "s", "(", ")", " {",
             "}", " 80", " per", " second", " flow", "er", " nect", "ar", "It", " drink", " sees", " colour", " that",
             " we", " do", " not", " price", "\t", " of", " a", " fl", "ight", "Caf", " na"})
        entries.emplace_back(word);
    entries.emplace_back("<|end|>");
    return entries;
}

ModelFactsPtr testModel(bool tokenizer)
{
    auto model = std::make_shared<ModelFacts>();
    model->path = "/models/test";
    model->format = "huggingface";
    model->config.numLayers = 6;
    model->config.numExperts = 16;
    model->config.numActiveExperts = 2;
    model->hasTokenizer = tokenizer;
    model->hasRouter = true;
    if (tokenizer) {
        model->tokenBytes = testVocabulary();
        model->specialToken.assign(model->tokenBytes.size(), false);
        model->specialToken.back() = true;
    }
    return model;
}

TestRun::TestRun(const Shape& shape, RunStore& store, bool tokenizer)
    : m_store(store)
    , m_model(testModel(tokenizer))
    , m_record(std::make_shared<RunRecord>(
          RunRecord::Shape{shape.positions, shape.layers, shape.experts, shape.k, shape.logitBudgetBytes}))
    , m_ring(std::make_shared<TimingRing>(timingRingCapacity))
    , m_drift(shape.layers, std::vector<float>(shape.experts))
{
    store.begin({m_model, m_record, m_ring, {}, 1 << 20, 1 << 18});
}

std::vector<TokenId> TestRun::ids(const std::string& text) const
{
    const std::vector<std::string> entries = testVocabulary();
    std::vector<TokenId> found;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t best = static_cast<unsigned char>(text[at]);
        for (std::size_t id = 256; id < entries.size(); ++id) {
            if (entries[id].size() > entries[best].size() && text.compare(at, entries[id].size(), entries[id]) == 0)
                best = id;
        }
        found.push_back(static_cast<TokenId>(best));
        at += entries[best].size();
    }
    return found;
}

void TestRun::setPrompt(const std::vector<TokenId>& prompt)
{
    m_record->setPrompt(prompt);
    routeUpTo(static_cast<std::uint32_t>(prompt.size()));
    TimingEvent event;
    event.tokens = static_cast<std::uint32_t>(prompt.size());
    event.totalNs = 1'300'000 * prompt.size();
    event.prefill = 1;
    m_clockNs = event.totalNs;
    m_ring->tryPush(event);
}

void TestRun::append(TokenId id)
{
    const std::uint32_t position = m_record->tokens() - 1;
    if (m_record->routed() <= position) {
        routeUpTo(position + 1);
        TimingEvent event;
        event.startNs = m_clockNs;
        event.position = position;
        event.tokens = 1;
        event.totalNs = 4'000'000 + m_random() % 500'000;
        event.attentionNs = 1'200'000;
        event.routerNs = 90'000;
        event.expertsNs = 2'100'000;
        event.headNs = 400'000;
        event.samplingNs = 30'000;
        m_clockNs += event.totalNs;
        m_ring->tryPush(event);
    }
    m_record->appendToken(id);
}

void TestRun::routeUpTo(std::uint32_t count)
{
    for (std::uint32_t position = m_record->routed(); position < count; ++position)
        route(position);
    m_record->publishRouted(count);
}

void TestRun::repeatUpTo(std::uint32_t count)
{
    const std::uint32_t period = m_record->routed();
    for (std::uint32_t position = period; position < count; ++position) {
        for (std::uint32_t layer = 0; layer < m_record->shape().layers; ++layer) {
            const std::uint32_t from = position % period;
            std::ranges::copy(m_record->experts(from, layer), m_record->writeExperts(position, layer).begin());
            std::ranges::copy(m_record->weights(from, layer), m_record->writeWeights(position, layer).begin());
            m_record->writeMargin(position, layer, m_record->margin(from, layer));
        }
    }
    m_record->publishRouted(count);
}

void TestRun::route(std::uint32_t position)
{
    const RunRecord::Shape& shape = m_record->shape();
    std::normal_distribution<float> noise;
    std::vector<int> order(shape.experts);
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
        std::vector<float>& logits = m_drift[layer];
        for (float& logit : logits)
            logit = 0.6f * logit + noise(m_random);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(
            order.begin(), order.end(), [&](int a, int b) { return logits[std::size_t(a)] > logits[std::size_t(b)]; });
        auto experts = m_record->writeExperts(position, layer);
        auto weights = m_record->writeWeights(position, layer);
        float sum = 0;
        for (std::uint32_t rank = 0; rank < shape.k; ++rank) {
            experts[rank] = static_cast<std::uint16_t>(order[rank]);
            weights[rank] = std::exp(logits[std::size_t(order[rank])]);
            sum += weights[rank];
        }
        for (std::uint32_t rank = 0; rank < shape.k; ++rank)
            weights[rank] /= sum;
        if (shape.k < shape.experts)
            m_record->writeMargin(
                position, layer, logits[std::size_t(order[shape.k - 1])] - logits[std::size_t(order[shape.k])]);
        m_record->writeRouterLogits(position, layer, logits);
        if (m_zeroNext && layer == std::min(1u, shape.layers - 1)) {
            m_zeroNext = false;
            m_record->writeZeroed(position, layer, 1);
            m_record->countBreakerEvent();
        }
    }
}

void TestRun::show()
{
    m_store.catchUp(RunStore::Clock::time_point::max());
}

void TestRun::fillWithStory()
{
    setPrompt(ids("The hummingbird is small, fast and never still.\n"));
    const std::string answer = "It sees colours that we do not. 80 wingbeats per second:\n\n\tint flight(int x) {\n\t  "
                               "  return x + 1;\n\t}\n\n"
                               "Caf\xc3\xa9, na\xc3\xafve; the price of a flower is 3 \xe2\x82\xac of nectar "
                               "\xf0\x9f\x90\xa6. It drinks nectar and never is still.";
    int made = 0;
    for (const TokenId id : ids(answer)) {
        if (++made == 20)
            zeroNext();
        append(id);
    }
    append(static_cast<TokenId>(testVocabulary().size() - 1));
    append(ids("\xe2")[0]); // a character that is not complete
    append(ids("\x82")[0]);
    show();
}

} // namespace colibri::test
