// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/session/sessiontools.h"

#include "support/golden.h"

#include <QDir>
#include <QJsonArray>

#include <initializer_list>

namespace colibri::test {

/// The case of each family, all weights f32.
inline constexpr const char* plainCases[]{"mixtral-f32", "qwen2moe-f32", "qwen3moe-f32", "olmoe-f32",
    "deepseek2-lite-f32", "deepseek2-lite-kvb-f32", "deepseek2-v3-f32", "gpt-oss-f32"};

inline std::vector<TokenId> ids(const QJsonValue& array)
{
    std::vector<TokenId> tokens;
    for (const QJsonValue value : array.toArray())
        tokens.push_back(static_cast<TokenId>(value.toInt()));
    return tokens;
}

/// A GGUF file, or of a split its first one.
inline QString modelFile(const GoldenCase& golden)
{
    return golden.folder() + "/" + QDir(golden.folder()).entryList({"*.gguf"}, QDir::Files, QDir::Name).value(0);
}

/// Null, and why is printed, when it does not open.
inline ModelPtr opened(const QString& path)
{
    auto model = openModel(path.toStdString());
    if (!model)
        qWarning("%s", model.error().message().c_str());
    return model ? *model : ModelPtr();
}

inline ModelPtr opened(const GoldenCase& golden)
{
    return opened(modelFile(golden));
}

inline EngineOptions with(Activations activations)
{
    EngineOptions options;
    options.activations = activations;
    return options;
}

/// Which threads and batch give other bits than the scalar kernels on one thread, with the widest instruction set or
/// with AVX2 where the machine has it; empty: none.
inline QString otherBits(const ModelPtr& model, EngineOptions options, std::span<const TokenId> tokens,
    std::initializer_list<std::uint32_t> batches)
{
    options.numerics = Numerics::Scalar;
    options.threads = 1;
    const Evaluation oracle = evaluate(model, options, tokens);
    if (!oracle.error.empty())
        return QString::fromStdString(oracle.error);
    options.numerics = Numerics::Reproducible;
    for (const std::uint32_t threads : {1u, 2u, 3u})
        for (const std::uint32_t batch : batches)
            for (const Isa isa : {Isa::Auto, Isa::Avx2}) {
                options.threads = threads;
                options.batch = batch;
                options.isa = isa;
                const Evaluation result = evaluate(model, options, tokens);
                if (result.error.find("this machine does not have it") == std::string::npos && !(result == oracle))
                    return QString("%1 threads, batch %2 %3")
                        .arg(threads)
                        .arg(batch)
                        .arg(QString::fromStdString(result.error));
            }
    return {};
}

} // namespace colibri::test

#define REQUIRE_CASE(golden)                                                                                           \
    do {                                                                                                               \
        if (!(golden).exists())                                                                                        \
            QSKIP("COLIBRI_SHARED names no folder with golden data");                                                  \
    } while (false)
