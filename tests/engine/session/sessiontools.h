// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/session.h"
#include "support/generatedmodel.h"
#include "support/outputrows.h"

#include <QTemporaryDir>

#include <cstring>
#include <vector>

namespace colibri::test {

/// A generated model in a temporary folder, opened.
struct OpenedModel {
    explicit OpenedModel(const GeneratedShape& shape = {}, const Plant& plant = {})
    {
        writeHuggingFaceModel(folder.path().toStdString(), shape, plant);
        auto opened = openModel(folder.path().toStdString());
        if (opened)
            model = *opened;
        else
            qFatal("%s", opened.error().message().c_str());
    }
    QTemporaryDir folder;
    ModelPtr model;
};

/// Everything that a reading of tokens gives, as bits.
struct Evaluation {
    std::vector<std::uint32_t> logits;
    std::vector<std::uint32_t> routerLogits;
    std::vector<std::uint16_t> experts;
    std::vector<std::uint32_t> weights;
    std::uint64_t breakerEvents = 0;
    std::string error;
    bool operator==(const Evaluation&) const = default;
};

inline void appendBits(std::vector<std::uint32_t>& to, std::span<const float> from)
{
    const std::size_t at = to.size();
    to.resize(at + from.size());
    std::memcpy(to.data() + at, from.data(), from.size_bytes());
}

inline Evaluation evaluate(const ModelPtr& model, const EngineOptions& options, std::span<const TokenId> tokens)
{
    Evaluation result;
    auto session = Session::create(model, options);
    if (!session) {
        result.error = session.error().message();
        return result;
    }
    const auto record = (*session)->makeRecord();
    if (const auto rows = outputRows(**session, tokens, record))
        appendBits(result.logits, *rows);
    else
        result.error = rows.error().message();
    std::vector<float> logits(record->shape().experts);
    for (std::uint32_t layer = 0; layer < record->shape().layers; ++layer)
        for (std::uint32_t position = 0; position < record->routed(); ++position) {
            if (record->copyRouterLogits(position, layer, logits))
                appendBits(result.routerLogits, logits);
            const auto experts = record->experts(position, layer);
            result.experts.insert(result.experts.end(), experts.begin(), experts.end());
            appendBits(result.weights, record->weights(position, layer));
        }
    result.breakerEvents = record->breakerEvents();
    return result;
}

inline std::vector<TokenId> someTokens(std::size_t count, TokenId vocabulary)
{
    std::vector<TokenId> tokens;
    for (std::size_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<TokenId>((i * 7919 + 13) % vocabulary));
    return tokens;
}

} // namespace colibri::test
