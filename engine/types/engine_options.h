// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/model_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

/// Reproducible: one stated order of operations on every instruction set. Scalar: the oracle, the same bits in plain
/// code.
enum class Numerics : std::uint8_t { Reproducible, Scalar };
/// Storage of the KV cache.
enum class KvType : std::uint8_t { F32, F16 };
/// For int8 weights. Q8: activations are rounded to 8 bits in blocks of 32. F32: never rounded.
enum class Activations : std::uint8_t { Q8, F32 };
/// Which kernels run. Auto: the best one this CPU has.
enum class Isa : std::uint8_t { Auto, Scalar, Avx2, Avx512 };
/// Live: the router decides. Table: the static table of the model does.
enum class RoutingSource : std::uint8_t { Live, Table };
/// What a non-finite value into or out of an expert does after it was counted: its output becomes zero, or the run
/// ends.
enum class Breaker : std::uint8_t { Zero, Fatal };
/// Auto: populate when the weights are below half of the available memory, else lazy.
enum class LoadMode : std::uint8_t { Auto, Lazy, Populate };

std::string_view name(Numerics);
std::string_view name(KvType);
std::string_view name(Activations);
std::string_view name(Isa);
std::string_view name(RoutingSource);
std::string_view name(Breaker);
std::string_view name(LoadMode);
/// The value with this name; empty when there is none. T is one of the enums above.
template <class T>
std::optional<T> optionNamed(std::string_view name);
/// All names of T in order, for help and for error texts.
template <class T>
std::vector<std::string> optionNames();

inline constexpr std::uint32_t usualContextLimit = 4096; ///< positions that EngineOptions::context 0 gives at most

struct EngineOptions {
    std::uint32_t threads = 0; ///< 0: all cores
    std::uint32_t batch = 256; ///< tokens of a prompt that go through the layers together, at least 1
    std::uint32_t context = 0; ///< positions of the KV cache; 0: the model's, at most usualContextLimit
    KvType kv = KvType::F32;
    Numerics numerics = Numerics::Reproducible;
    Activations activations = Activations::Q8;
    Isa isa = Isa::Auto; ///< ignored by Numerics::Scalar
    std::optional<RoutingSource> routing; ///< empty: live when the model has a router, else its table
    Breaker breaker = Breaker::Zero;

    bool operator==(const EngineOptions&) const = default;
};

/// Temperature 0 is greedy. Filters apply in this order: repeat penalty, temperature, top-k, top-p, min-p.
struct SamplingOptions {
    float temperature = 0.f;
    std::uint32_t topK = 0; ///< 0: off
    float topP = 1.f; ///< 1: off
    float minP = 0.f; ///< 0: off
    float repeatPenalty = 1.f; ///< 1: off; over the last 64 tokens
    std::uint64_t seed = 0;
};

/// How a result came about; every JSON and logits folder carries it, so that two machines can be compared.
struct EngineInfo {
    std::string version;
    std::string isa;
    Numerics numerics = Numerics::Reproducible;
    Activations activations = Activations::Q8;
    KvType kv = KvType::F32;
    std::uint32_t threads = 0;
    std::uint32_t batch = 0;
    std::uint32_t context = 0;
    RoutingSource routing = RoutingSource::Live;
    std::string modelId; ///< XXH64 of configuration and tensors used, 16 hex digits
};

} // namespace colibri
