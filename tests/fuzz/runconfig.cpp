// SPDX-License-Identifier: Apache-2.0
#include "fuzz/runconfig.h"

#include "model/architecture.h"
#include "model/config_writer.h"
#include "model/loaded_model.h"
#include "session/runner.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace colibri::test {
namespace {

constexpr std::uint64_t mostElements = 1u << 14; ///< of a tensor
constexpr std::size_t mostTensors = 256;
constexpr std::uint64_t mostHeads = 64;

/// A file of zeros that all tensors lie in.
std::shared_ptr<const MappedFile> zeros()
{
    static const std::shared_ptr<const MappedFile> file = [] {
        const int handle = memfd_create("zeros", 0);
        if (handle < 0 || ftruncate(handle, static_cast<off_t>(mostElements * sizeof(float))) != 0)
            std::abort();
        auto mapped = MappedFile::open("/proc/self/fd/" + std::to_string(handle));
        return mapped ? *mapped : nullptr;
    }();
    return file;
}

/// One way to store the latent vector's weights excludes the other.
bool isOtherWay(const TensorSlot& slot)
{
    const auto* const at = std::get_if<Matrix LayerWeights::*>(&slot.place);
    return at && *at == &LayerWeights::latentUp;
}

/// All tensors of the configuration; none when they are too many or too large.
std::vector<TensorInfo> tensorsOf(const ModelConfig& config)
{
    std::vector<TensorInfo> tensors;
    for (const TensorSlot& slot : specOf(config.architecture).tensors) {
        if (isOtherWay(slot))
            continue;
        std::uint64_t elements = 1;
        std::vector<std::uint64_t> shape;
        for (const Dim dim : slot.shape) {
            shape.push_back(extent(config, dim));
            elements *= shape.back(); // three factors below 2^31 at most, bounded one by one
            if (elements > mostElements)
                return {};
        }
        const LayerRange layers = layersOf(slot, config);
        for (std::uint32_t layer = layers.first; layer < layers.last; ++layer)
            for (std::uint32_t expert = 0; expert < expertsOf(slot, config); ++expert) {
                if (tensors.size() == mostTensors)
                    return {};
                tensors.push_back({tensorName(slot, layer, expert), 0, 0, elements * sizeof(float), DType::F32,
                    Layout::RowMajor, shape, {}});
            }
    }
    std::ranges::sort(tensors, {}, &TensorInfo::name);
    return tensors;
}

} // namespace

void runConfig(const ModelConfig& config)
{
    if (config.numHeads > mostHeads || config.numLayers > mostTensors || config.numActiveExperts > mostTensors)
        return;
    ModelSource source;
    source.tensors = tensorsOf(config);
    if (source.tensors.empty())
        return;
    source.format = "colibri";
    source.configFile = "config.json";
    source.files.push_back(zeros());
    auto root = parseJson(canonicalConfig(config), source.configFile);
    if (!root)
        std::abort();
    source.config = std::move(*root);
    const auto model = bindModel(std::move(source), nullptr);
    if (!model)
        return;
    EngineOptions options;
    options.threads = 1;
    options.batch = 2;
    options.context = std::min(config.maxSeqLen, 4u);
    const auto runner = Runner::create(**model, options);
    if (!runner)
        return;
    constexpr std::array<TokenId, 3> tokens{0, 0, 0};
    const auto prompt = std::span(tokens).first(std::min<std::size_t>(tokens.size(), options.context));
    (void)(*runner)->evaluate(
        prompt, nullptr, {}, [&](std::uint32_t, std::uint32_t count, std::span<const float> rows) {
            if (rows.size() != std::size_t{count} * config.outputSize)
                std::abort();
            return true;
        });
    if ((*runner)->begin({{prompt.begin(), prompt.end()}, 2, {}, true}, nullptr, nullptr))
        (void)(*runner)->advance(2, {}, {});
    for (const TokenId token : (*runner)->generated())
        if (token >= config.vocabSize)
            std::abort();
}

} // namespace colibri::test
