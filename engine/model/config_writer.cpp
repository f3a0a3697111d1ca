// SPDX-License-Identifier: Apache-2.0
#include "model/config_writer.h"

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

} // namespace

std::string canonicalConfig(const ModelConfig& c)
{
    nlohmann::ordered_json json;
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
    if (c.numHeads) {
        json["num_attention_heads"] = c.numHeads;
        json["num_key_value_heads"] = c.numKvHeads;
        json["head_dim"] = c.headDim;
        json["rms_norm_eps"] = shortest(c.rmsNormEps);
        json["rope_theta"] = c.ropeTheta;
        json["tie_word_embeddings"] = c.tiedEmbeddings;
    }
    if (c.beginOfText) {
        json["bos_token_id"] = *c.beginOfText;
        json["add_bos_token"] = c.addBeginOfText;
    }
    if (!c.endOfText.empty())
        json["eos_token_id"] = c.endOfText;
    json["routing"] = {{"scoring", name(c.routing.scoring)}, {"order", name(c.routing.order)},
        {"normalize", c.routing.normalize}, {"weight_sum_floor", shortest(c.routing.weightSumFloor)},
        {"scale", shortest(c.routing.scale)}};
    return json.dump();
}

} // namespace colibri
