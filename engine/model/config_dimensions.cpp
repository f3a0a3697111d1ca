// SPDX-License-Identifier: Apache-2.0
// Dimensions of a configuration, from whatever a source calls them, and what has to hold between them.
#include "model/config_keys.h"
#include "model/find_tensor.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr std::uint64_t dimensionLimit = 1u << 30;
constexpr std::uint64_t layerLimit = 4096;
constexpr std::uint64_t expertLimit = 0xFFFF; // ids are uint16 and 0xFFFF marks an unused place

/// A dimension: its spellings, where it goes and what it is at most.
struct DimensionKey {
    KeyNames names;
    std::uint32_t ModelConfig::*member;
    std::uint64_t limit;
};
constexpr DimensionKey dimensions[]{
    {{"vocab_size", {}, {"vocab_size"}}, &ModelConfig::vocabSize, dimensionLimit},
    {{"hidden_size", {}, {"embedding_length"}}, &ModelConfig::hiddenSize, dimensionLimit},
    {{"output_size", {}, {}}, &ModelConfig::outputSize, dimensionLimit},
    {{"num_layers", {"num_hidden_layers"}, {"block_count"}}, &ModelConfig::numLayers, layerLimit},
    {{"dense_layers", {"first_k_dense_replace"}, {"leading_dense_block_count"}}, &ModelConfig::denseLayers, layerLimit},
    {{"num_attention_heads", {}, {"attention.head_count"}}, &ModelConfig::numHeads, 4096},
    {{"num_key_value_heads", {}, {"attention.head_count_kv"}}, &ModelConfig::numKvHeads, 4096},
    {{"head_dim", {}, {"attention.key_length"}}, &ModelConfig::headDim, 65536},
    {{"value_head_dim", {"v_head_dim"}, {"attention.value_length_mla", "attention.value_length"}},
        &ModelConfig::valueDim, 65536},
    {{"q_lora_rank", {}, {"attention.q_lora_rank"}}, &ModelConfig::queryRank, dimensionLimit},
    {{"kv_lora_rank", {}, {"attention.kv_lora_rank"}}, &ModelConfig::latentRank, dimensionLimit},
    {{"rope_dim", {"qk_rope_head_dim"}, {"rope.dimension_count"}}, &ModelConfig::ropeDim, 65536},
    // of DeepSeek, instead of head_dim; completeLatent makes the one from the other
    {{"qk_nope_head_dim", {}, {"attention.key_length_mla", "attention.key_length"}}, &ModelConfig::headDim, 32768},
    {{"num_experts", {"num_local_experts", "n_routed_experts"}, {"expert_count"}}, &ModelConfig::numExperts,
        expertLimit},
    {{"num_active_experts", {"num_experts_per_tok", "experts_per_token"}, {"expert_used_count"}},
        &ModelConfig::numActiveExperts, expertLimit},
    {{"moe_intermediate_size", {"intermediate_size"}, {"expert_feed_forward_length", "feed_forward_length"}},
        &ModelConfig::expertFfnSize, dimensionLimit},
    {{"intermediate_size", {}, {"feed_forward_length"}}, &ModelConfig::denseFfnSize, dimensionLimit},
    // a number of experts, until completeShared multiplies it by their width
    {{"shared_experts", {"n_shared_experts"}, {"expert_shared_count"}}, &ModelConfig::sharedFfnSize, expertLimit},
    {{"shared_ffn_size", {"shared_expert_intermediate_size"}, {"expert_shared_feed_forward_length"}},
        &ModelConfig::sharedFfnSize, dimensionLimit},
    {{"sliding_window", {}, {"attention.sliding_window"}}, &ModelConfig::slidingWindow, dimensionLimit},
    {{"max_seq_len", {"max_position_embeddings"}, {"context_length"}}, &ModelConfig::maxSeqLen, dimensionLimit},
};

class DimensionsReader {
public:
    DimensionsReader(ConfigKeys& keys, ModelConfig& config)
        : m_keys(keys)
        , m_config(config)
    {
    }

    Result<void> read()
    {
        if (auto done = readStated(); !done)
            return done;
        return complete();
    }

private:
    static bool lists(std::span<const std::string_view> names, std::string_view name)
    {
        return std::ranges::find(names, name) != names.end();
    }

    /// Where the source states a dimension; null: it does not.
    const JsonValue* statement(std::string_view dimension) const
    {
        const auto at =
            std::ranges::find(dimensions, dimension, [](const DimensionKey& one) { return one.names.name; });
        return m_keys.find(at->names).value;
    }

    Result<void> readStated()
    {
        for (const DimensionKey& dimension : dimensions) {
            const bool required = lists(m_keys.spec().required, dimension.names.name);
            if (!required && !lists(m_keys.spec().optional, dimension.names.name))
                continue;
            const auto found = m_keys.count(dimension.names, m_config.*dimension.member, dimension.limit);
            if (!found)
                return found.error();
            const std::uint32_t number = m_config.*dimension.member;
            if (*found)
                m_keys.note(std::string(dimension.names.name), std::to_string(number), *found);
            else if (required && !takenFromTensors(dimension))
                return missingKey(dimension.names);
            if (required && m_config.*dimension.member == 0)
                return m_keys.fail(Errc::OutOfRange, found->value, found->key + " is 0, it has to be at least 1");
        }
        return {};
    }

    /// Takes the vocabulary's size from the embedding, as llama.cpp does, where a GGUF file does not state it. Whether
    /// the dimension was taken from there.
    bool takenFromTensors(const DimensionKey& dimension)
    {
        if (!m_keys.isGguf() || dimension.names.name != "vocab_size")
            return false;
        const auto embedding = findTensor(m_keys.source(), m_keys.spec().tensors.front(), 0, 0);
        if (!embedding || embedding->part.shape.size() != 2 || embedding->part.shape[0] > dimension.limit)
            return false;
        m_config.vocabSize = static_cast<std::uint32_t>(embedding->part.shape[0]);
        m_keys.note("vocab_size", std::to_string(m_config.vocabSize), Origin::Tensors);
        return true;
    }

    Error missingKey(const KeyNames& names) const
    {
        std::string keys;
        const auto add = [&](std::string_view key) {
            if (!key.empty())
                keys += (keys.empty() ? "key \"" : " (or \"") + std::string(key) + (keys.empty() ? "\"" : "\")");
        };
        if (!m_keys.isGguf())
            add(names.name);
        for (const std::string_view key : m_keys.isGguf() ? names.gguf : names.others)
            add(key);
        return m_keys.fail(
            Errc::Malformed, nullptr, keys + " is missing, " + std::string(name(m_keys.spec().id)) + " needs it");
    }

    /// What follows from other dimensions when it is not stated, and what has to hold between them.
    Result<void> complete()
    {
        ModelConfig& c = m_config;
        if (auto done = c.latentRank ? completeLatent() : completeHeads(); !done)
            return done;
        if (c.numActiveExperts > c.numExperts)
            return m_keys.fail(Errc::OutOfRange, statement("num_active_experts"),
                "num_active_experts is " + std::to_string(c.numActiveExperts) + ", more than num_experts "
                    + std::to_string(c.numExperts));
        if (c.numActiveExperts == 0)
            return m_keys.fail(
                Errc::OutOfRange, statement("num_active_experts"), "num_active_experts is 0, it has to be at least 1");
        if (c.denseLayers >= c.numLayers)
            return m_keys.fail(Errc::OutOfRange, statement("dense_layers"),
                "dense_layers is " + std::to_string(c.denseLayers) + ", it has to be below num_layers "
                    + std::to_string(c.numLayers));
        if (c.denseLayers && c.denseFfnSize == 0)
            return m_keys.fail(Errc::Malformed, nullptr, "intermediate_size is missing, a dense layer needs it");
        if (c.denseLayers == 0)
            c.denseFfnSize = 0;
        if (c.outputSize == 0)
            c.outputSize = c.vocabSize ? c.vocabSize : c.hiddenSize;
        if (hasHead(c) && c.outputSize != c.vocabSize)
            return m_keys.fail(Errc::Mismatch, statement("output_size"),
                "output_size is " + std::to_string(c.outputSize) + ", with an output head it has to be vocab_size "
                    + std::to_string(c.vocabSize));
        c.qkNorm = std::ranges::any_of(m_keys.spec().tensors, [](const TensorSlot& slot) {
            const auto* at = std::get_if<Vector LayerWeights::*>(&slot.place);
            return at && *at == &LayerWeights::queryNorm;
        });
        if (c.architecture == Architecture::LinearMoe && c.numLayers != 1)
            return m_keys.fail(Errc::Unsupported, statement("num_layers"),
                "num_layers is " + std::to_string(c.numLayers) + ", linear_moe has exactly 1");
        return completeShared();
    }

    Result<void> completeHeads()
    {
        ModelConfig& c = m_config;
        if (c.numHeads == 0)
            return {};
        if (!c.numKvHeads)
            inherit("num_key_value_heads", c.numKvHeads, c.numHeads);
        if (!c.headDim)
            inherit("head_dim", c.headDim, c.hiddenSize / c.numHeads);
        if (!c.valueDim)
            c.valueDim = c.headDim;
        c.ropeDim = c.headDim;
        if (c.numHeads % c.numKvHeads)
            return m_keys.fail(Errc::Mismatch, statement("num_attention_heads"),
                "num_attention_heads is " + std::to_string(c.numHeads) + ", no multiple of num_key_value_heads "
                    + std::to_string(c.numKvHeads));
        if (c.headDim == 0 || c.headDim % 2)
            return m_keys.fail(Errc::OutOfRange, statement("head_dim"),
                "head_dim is " + std::to_string(c.headDim) + ", rotary positions need an even number above 0");
        return {};
    }

    /// In a folder a head's key is stated in two parts, in GGUF whole. All heads share one latent vector.
    Result<void> completeLatent()
    {
        ModelConfig& c = m_config;
        (void)m_keys.find({"num_key_value_heads", {}, {"attention.head_count_kv"}}); // says nothing here
        c.numKvHeads = 1;
        if (m_keys.isGguf())
            m_keys.renameRule("qk_nope_head_dim", "head_dim");
        else
            c.headDim += c.ropeDim;
        if (c.ropeDim % 2 || c.ropeDim >= c.headDim)
            return m_keys.fail(Errc::OutOfRange, statement("rope_dim"),
                "rope_dim is " + std::to_string(c.ropeDim) + " of " + std::to_string(c.headDim)
                    + " components of a head's key, it has to be even and below that");
        return {};
    }

    Result<void> completeShared()
    {
        ModelConfig& c = m_config;
        const auto stated = [&](std::string_view wanted) {
            return lists(m_keys.spec().optional, wanted) && statement(wanted);
        };
        if (!stated("shared_experts") || stated("shared_ffn_size"))
            return {};
        const std::uint64_t width = std::uint64_t{c.sharedFfnSize} * c.expertFfnSize;
        if (width > dimensionLimit)
            return m_keys.fail(Errc::OutOfRange, statement("shared_experts"),
                "shared_experts is " + std::to_string(c.sharedFfnSize) + ", of width " + std::to_string(c.expertFfnSize)
                    + " that is more than " + std::to_string(dimensionLimit));
        c.sharedFfnSize = static_cast<std::uint32_t>(width);
        return {};
    }

    void inherit(std::string rule, std::uint32_t& member, std::uint32_t value)
    {
        member = value;
        m_keys.note(std::move(rule), std::to_string(value), FoundKey{});
    }

    ConfigKeys& m_keys;
    ModelConfig& m_config;
};

} // namespace

Result<void> readDimensions(ConfigKeys& keys, ModelConfig& config)
{
    return DimensionsReader(keys, config).read();
}

} // namespace colibri
