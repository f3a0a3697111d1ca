// SPDX-License-Identifier: Apache-2.0
#include "api/agreement.h"
#include "api/model_impl.h"

#include <algorithm>

namespace colibri {
namespace {

/// Prose, a table, source, a record, sums, and a few scripts, so that experts of many kinds have something to do.
constexpr std::string_view neutralText =
    "The river rises in the hills above the town and runs for forty miles before it reaches the sea. In spring the "
    "water is high and brown; by late summer a child can walk across it on the stones below the bridge. On market days "
    "people come from the villages on both banks. They sell bread, apples, wool and tools, and they talk about the "
    "weather, the price of grain and the new road. \"Will it be finished this year?\" one of them asks. \"Perhaps,\" "
    "says another, \"but they said so last year as well.\"\n\n"
    "How a clock works: a weight or a spring turns a wheel, and the escapement lets the wheel move by one tooth at a "
    "time. The pendulum decides when. A longer pendulum swings more slowly, so the clock is set by moving the bob up "
    "or down. Because metal grows when it is warm, a simple clock loses a few seconds a day in summer.\n\n"
    "def mean(values):\n    total = 0.0\n    for value in values:\n        total += value\n"
    "    return total / len(values) if values else None\n\n"
    "for (int i = 0; i < n; ++i) {\n    sum += weights[i] * inputs[i];\n}\n\n"
    "{\"id\": 17, \"name\": \"bridge\", \"length_m\": 84.5, \"open\": true, \"tags\": [\"stone\", \"old\"]}\n\n"
    "12 + 30 = 42; 7 * 8 = 56; 100 / 4 = 25; 3.14159; 2024-02-29; 18:45\n\n"
    "| city | people |\n| --- | --- |\n| north | 1200 |\n| south | 850 |\n\n"
    "Der Fluss entspringt in den Bergen. La rivière coule vers la mer. El agua baja en verano. Река течёт к морю. "
    "河水流向大海。川は海へ流れる。\n\n"
    "Questions and answers. What is the largest number below one hundred? Ninety-nine. Which comes first, the third or "
    "the second? The second. If every box holds six eggs, how many boxes hold thirty? Five.\n";

constexpr std::uint32_t randomTokens = 1024; ///< at most that many, when nobody asks for fewer

/// The sequence of splitmix64.
std::uint64_t nextRandom(std::uint64_t& state)
{
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// Ids that every run of the model takes.
std::vector<TokenId> pseudoRandomTokens(const Model& model, std::uint32_t limit)
{
    std::uint64_t bound = model.config().vocabSize ? model.config().vocabSize : randomTokens;
    std::uint32_t count = std::min(limit, randomTokens);
    if (const auto& table = model.impl().loaded->source.table; table && !model.hasRouter()) {
        if (table->index == TableIndex::Token)
            bound = std::min<std::uint64_t>(bound, table->rows);
        else
            count = std::min(count, table->rows);
    }
    std::uint64_t state = 0;
    std::vector<TokenId> tokens;
    while (tokens.size() < count)
        tokens.push_back(static_cast<TokenId>(nextRandom(state) % bound));
    return tokens;
}

} // namespace

std::vector<TokenId> defaultTokens(const Model& model, std::uint32_t limit)
{
    if (!model.hasTokenizer())
        return pseudoRandomTokens(model, limit);
    auto tokens = model.tokenize(neutralText);
    const std::uint32_t vocabulary = model.config().vocabSize;
    const auto outside = [&](TokenId id) { return vocabulary && id >= vocabulary; };
    if (!tokens || tokens->empty() || std::ranges::any_of(*tokens, outside))
        return pseudoRandomTokens(model, limit); // a tokenizer that is not this model's
    tokens->resize(std::min<std::size_t>(tokens->size(), limit));
    return std::move(*tokens);
}

} // namespace colibri
