// SPDX-License-Identifier: Apache-2.0
#include "model/config_writer.h"

#include "model/architecture.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace colibri {
namespace {

/// The double that is written with the fewest digits which still give this float: 1e-06, not 9.999999974752427e-07.
double shortest(float value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    double number = 0;
    std::from_chars(text, end, number);
    return number;
}

using Json = nlohmann::ordered_json;

// What only some families have is written where it is not what a model without it has.

void addNetworks(Json& json, const ModelConfig& c)
{
    if (c.denseLayers) {
        json["dense_layers"] = c.denseLayers;
        json["intermediate_size"] = c.denseFfnSize;
    }
    if (c.sharedFfnSize)
        json["shared_ffn_size"] = c.sharedFfnSize;
    if (c.activation != Activation::Swiglu) {
        json["activation"] = name(c.activation);
        json["activation_limit"] = shortest(c.activationLimit);
    }
}

void addPositions(Json& json, const ModelConfig& c)
{
    if (c.ropePairs != specOf(c.architecture).defaults.folderPairs)
        json["rope_pairs"] = name(c.ropePairs);
    if (const YarnRules& yarn = c.yarn; yarn.factor != 1)
        json["yarn"] = {{"factor", yarn.factor}, {"original_context", yarn.originalContext},
            {"beta_fast", yarn.betaFast}, {"beta_slow", yarn.betaSlow}, {"truncate", yarn.truncate},
            {"rotation_scale", yarn.rotationScale}};
    if (c.attentionFactor != 1.f)
        json["attention_factor"] = shortest(c.attentionFactor);
    if (c.slidingWindow) {
        json["sliding_window"] = c.slidingWindow;
        json["window_period"] = c.windowPeriod;
    }
}

void addAttention(Json& json, const ModelConfig& c)
{
    json["num_attention_heads"] = c.numHeads;
    if (c.latentRank) {
        json["qk_nope_head_dim"] = c.headDim - c.ropeDim;
        json["value_head_dim"] = c.valueDim;
        json["kv_lora_rank"] = c.latentRank;
        json["q_lora_rank"] = c.queryRank;
    } else {
        json["num_key_value_heads"] = c.numKvHeads;
        json["head_dim"] = c.headDim;
        if (c.valueDim != c.headDim)
            json["value_head_dim"] = c.valueDim;
    }
    if (c.ropeDim != c.headDim)
        json["rope_dim"] = c.ropeDim;
    json["rms_norm_eps"] = shortest(c.rmsNormEps);
    json["rope_theta"] = c.ropeTheta;
    json["tie_word_embeddings"] = c.tiedEmbeddings;
    addPositions(json, c);
}

Json routingOf(const RoutingRules& rules)
{
    Json json = {{"scoring", name(rules.scoring)}, {"order", name(rules.order)}, {"normalize", rules.normalize},
        {"weight_sum_floor", shortest(rules.weightSumFloor)}, {"scale", shortest(rules.scale)}};
    if (rules.groups > 1) {
        json["groups"] = rules.groups;
        json["groups_kept"] = rules.groupsKept;
        json["group_score"] = name(rules.groupScore);
    }
    if (rules.correctionBias)
        json["correction_bias"] = true;
    return json;
}

} // namespace

std::string canonicalConfig(const ModelConfig& c)
{
    Json json;
    json["architecture"] = name(c.architecture);
    const std::pair<const char*, std::uint32_t> dimensions[]{{"vocab_size", c.vocabSize}, {"hidden_size", c.hiddenSize},
        {"num_layers", c.numLayers}, {"num_experts", c.numExperts}, {"num_active_experts", c.numActiveExperts},
        {"max_seq_len", c.maxSeqLen}};
    for (const auto& [key, value] : dimensions)
        json[key] = value;
    if (c.outputSize != (c.vocabSize ? c.vocabSize : c.hiddenSize))
        json["output_size"] = c.outputSize;
    if (c.expertFfnSize)
        json["moe_intermediate_size"] = c.expertFfnSize;
    addNetworks(json, c);
    if (c.numHeads)
        addAttention(json, c);
    if (c.beginOfText) {
        json["bos_token_id"] = *c.beginOfText;
        json["add_bos_token"] = c.addBeginOfText;
    }
    if (!c.endOfText.empty())
        json["eos_token_id"] = c.endOfText;
    json["routing"] = routingOf(c.routing);
    return json.dump();
}

} // namespace colibri
