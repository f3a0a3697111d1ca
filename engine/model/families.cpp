// SPDX-License-Identifier: Apache-2.0
// The architectures as data. Names are Hugging Face's and llama.cpp's; defaults are those of the families' reference
// code.
#include "model/architecture.h"

namespace colibri {
namespace {

constexpr Dim hidden[]{Dim::Hidden};
constexpr Dim output[]{Dim::Output};
constexpr Dim heads[]{Dim::Heads};
constexpr Dim headDim[]{Dim::HeadDim};
constexpr Dim queryRows[]{Dim::QueryRows};
constexpr Dim keyRows[]{Dim::KeyRows};
constexpr Dim valueRows[]{Dim::ValueRows};
constexpr Dim queryRank[]{Dim::QueryRank};
constexpr Dim latentRank[]{Dim::LatentRank};
constexpr Dim experts[]{Dim::Experts};
constexpr Dim ffn[]{Dim::ExpertFfn};
constexpr Dim oneHidden[]{Dim::One, Dim::Hidden};
constexpr Dim vocabHidden[]{Dim::Vocab, Dim::Hidden};
constexpr Dim queryHidden[]{Dim::QueryRows, Dim::Hidden};
constexpr Dim keyHidden[]{Dim::KeyRows, Dim::Hidden};
constexpr Dim valueHidden[]{Dim::ValueRows, Dim::Hidden};
constexpr Dim hiddenAttended[]{Dim::Hidden, Dim::AttendedRows};
constexpr Dim rankHidden[]{Dim::QueryRank, Dim::Hidden};
constexpr Dim queryRankRows[]{Dim::QueryRows, Dim::QueryRank};
constexpr Dim latentHidden[]{Dim::LatentRows, Dim::Hidden};
constexpr Dim latentUp[]{Dim::LatentUpRows, Dim::LatentRank};
constexpr Dim latentKeys[]{Dim::Heads, Dim::LatentRank, Dim::PlainDim};
constexpr Dim latentValues[]{Dim::Heads, Dim::ValueDim, Dim::LatentRank};
constexpr Dim expertsHidden[]{Dim::Experts, Dim::Hidden};
constexpr Dim ffnHidden[]{Dim::ExpertFfn, Dim::Hidden};
constexpr Dim hiddenFfn[]{Dim::Hidden, Dim::ExpertFfn};
constexpr Dim outputHidden[]{Dim::Output, Dim::Hidden};
constexpr Dim sharedHidden[]{Dim::SharedFfn, Dim::Hidden};
constexpr Dim hiddenShared[]{Dim::Hidden, Dim::SharedFfn};
constexpr Dim denseHidden[]{Dim::DenseFfn, Dim::Hidden};
constexpr Dim hiddenDense[]{Dim::Hidden, Dim::DenseFfn};

using K = TensorKind;
using S = Scope;
using L = LayerWeights;
using E = ExpertWeights;

// ---- where a slot exists ----
constexpr bool hasQueryRank(const ModelConfig& c)
{
    return c.queryRank != 0;
}
constexpr bool hasShared(const ModelConfig& c)
{
    return c.sharedFfnSize != 0;
}

// ---- slots that families share ----
constexpr TensorSlot embedding{
    "model.embed_tokens.weight", {"token_embd.weight"}, K::Embedding, S::Model, &Weights::embedding, vocabHidden};
constexpr TensorSlot finalNorm{
    "model.norm.weight", {"output_norm.weight"}, K::Norm, S::Model, &Weights::finalNorm, hidden};
constexpr TensorSlot head{"lm_head.weight", {"output.weight"}, K::Head, S::Model, &Weights::head, vocabHidden,
    false}; // without it the embedding is the head
constexpr TensorSlot attentionNorm{"model.layers.{layer}.input_layernorm.weight", {"blk.{layer}.attn_norm.weight"},
    K::Norm, S::Layers, &L::attentionNorm, hidden};
constexpr TensorSlot query{"model.layers.{layer}.self_attn.q_proj.weight", {"blk.{layer}.attn_q.weight"}, K::Attention,
    S::Layers, &L::query, queryHidden, true, [](const ModelConfig& c) { return c.queryRank == 0; }};
constexpr TensorSlot key{"model.layers.{layer}.self_attn.k_proj.weight", {"blk.{layer}.attn_k.weight"}, K::Attention,
    S::Layers, &L::key, keyHidden};
constexpr TensorSlot value{"model.layers.{layer}.self_attn.v_proj.weight", {"blk.{layer}.attn_v.weight"}, K::Attention,
    S::Layers, &L::value, valueHidden};
constexpr TensorSlot attended{"model.layers.{layer}.self_attn.o_proj.weight", {"blk.{layer}.attn_output.weight"},
    K::Attention, S::Layers, &L::output, hiddenAttended};
constexpr TensorSlot queryBias{"model.layers.{layer}.self_attn.q_proj.bias", {"blk.{layer}.attn_q.bias"}, K::Norm,
    S::Layers, &L::queryBias, queryRows};
constexpr TensorSlot keyBias{"model.layers.{layer}.self_attn.k_proj.bias", {"blk.{layer}.attn_k.bias"}, K::Norm,
    S::Layers, &L::keyBias, keyRows};
constexpr TensorSlot valueBias{"model.layers.{layer}.self_attn.v_proj.bias", {"blk.{layer}.attn_v.bias"}, K::Norm,
    S::Layers, &L::valueBias, valueRows};
constexpr TensorSlot expertNorm{"model.layers.{layer}.post_attention_layernorm.weight",
    {"blk.{layer}.ffn_norm.weight", "blk.{layer}.post_attention_norm.weight"}, K::Norm, S::Layers, &L::expertNorm,
    hidden};
constexpr TensorSlot router{"model.layers.{layer}.mlp.gate.weight", {"blk.{layer}.ffn_gate_inp.weight"}, K::Router,
    S::MoeLayers, &L::router, expertsHidden};
constexpr TensorSlot expertGate{"model.layers.{layer}.mlp.experts.{expert}.gate_proj.weight",
    {"blk.{layer}.ffn_gate_exps.weight", "blk.{layer}.ffn_gate.{expert}.weight"}, K::Expert, S::Experts, &E::gate,
    ffnHidden, true, nullptr, {"model.layers.{layer}.mlp.experts.gate_up_proj", Take::FirstRows}};
constexpr TensorSlot expertUp{"model.layers.{layer}.mlp.experts.{expert}.up_proj.weight",
    {"blk.{layer}.ffn_up_exps.weight", "blk.{layer}.ffn_up.{expert}.weight"}, K::Expert, S::Experts, &E::up, ffnHidden,
    true, nullptr, {"model.layers.{layer}.mlp.experts.gate_up_proj", Take::SecondRows}};
constexpr TensorSlot expertDown{"model.layers.{layer}.mlp.experts.{expert}.down_proj.weight",
    {"blk.{layer}.ffn_down_exps.weight", "blk.{layer}.ffn_down.{expert}.weight"}, K::Expert, S::Experts, &E::down,
    hiddenFfn, true, nullptr, {"model.layers.{layer}.mlp.experts.down_proj"}};

constexpr TensorSlot headQueryNorm{"model.layers.{layer}.self_attn.q_norm.weight", {"blk.{layer}.attn_q_norm.weight"},
    K::Norm, S::Layers, &L::queryNorm, headDim};
constexpr TensorSlot headKeyNorm{"model.layers.{layer}.self_attn.k_norm.weight", {"blk.{layer}.attn_k_norm.weight"},
    K::Norm, S::Layers, &L::keyNorm, headDim};
constexpr TensorSlot denseGate{"model.layers.{layer}.mlp.gate_proj.weight", {"blk.{layer}.ffn_gate.weight"}, K::Dense,
    S::DenseLayers, NetworkPlace{&L::dense, &E::gate}, denseHidden};
constexpr TensorSlot denseUp{"model.layers.{layer}.mlp.up_proj.weight", {"blk.{layer}.ffn_up.weight"}, K::Dense,
    S::DenseLayers, NetworkPlace{&L::dense, &E::up}, denseHidden};
constexpr TensorSlot denseDown{"model.layers.{layer}.mlp.down_proj.weight", {"blk.{layer}.ffn_down.weight"}, K::Dense,
    S::DenseLayers, NetworkPlace{&L::dense, &E::down}, hiddenDense};
constexpr TensorSlot correction{"model.layers.{layer}.mlp.gate.e_score_correction_bias",
    {"blk.{layer}.exp_probs_b.bias", "blk.{layer}.exp_probs_b"}, K::Norm, S::MoeLayers, &L::correction, experts, true,
    [](const ModelConfig& c) { return c.routing.correctionBias; }};
constexpr TensorSlot sharedGate{"model.layers.{layer}.mlp.shared_experts.gate_proj.weight",
    {"blk.{layer}.ffn_gate_shexp.weight"}, K::Shared, S::MoeLayers, NetworkPlace{&L::shared, &E::gate}, sharedHidden,
    true, hasShared};
constexpr TensorSlot sharedUp{"model.layers.{layer}.mlp.shared_experts.up_proj.weight",
    {"blk.{layer}.ffn_up_shexp.weight"}, K::Shared, S::MoeLayers, NetworkPlace{&L::shared, &E::up}, sharedHidden, true,
    hasShared};
constexpr TensorSlot sharedDown{"model.layers.{layer}.mlp.shared_experts.down_proj.weight",
    {"blk.{layer}.ffn_down_shexp.weight"}, K::Shared, S::MoeLayers, NetworkPlace{&L::shared, &E::down}, hiddenShared,
    true, hasShared};

/// The slot under another Hugging Face name.
constexpr TensorSlot called(std::string_view name, TensorSlot slot)
{
    slot.name = name;
    return slot;
}

/// The slot with another part of the stacked tensor.
constexpr TensorSlot taking(Take take, TensorSlot slot)
{
    slot.stacked.take = take;
    return slot;
}

/// The slot under a second Hugging Face name.
constexpr TensorSlot orCalled(std::string_view name, TensorSlot slot)
{
    slot.otherName = name;
    return slot;
}

constexpr TensorSlot qwen3Tensors[]{
    embedding,
    attentionNorm,
    query,
    key,
    value,
    attended,
    headQueryNorm,
    headKeyNorm,
    expertNorm,
    router,
    expertGate,
    expertUp,
    expertDown,
    finalNorm,
    head,
};

constexpr TensorSlot olmoeTensors[]{
    embedding,
    attentionNorm,
    query,
    key,
    value,
    attended,
    {"model.layers.{layer}.self_attn.q_norm.weight", {"blk.{layer}.attn_q_norm.weight"}, K::Norm, S::Layers,
        &L::queryNorm, queryRows},
    {"model.layers.{layer}.self_attn.k_norm.weight", {"blk.{layer}.attn_k_norm.weight"}, K::Norm, S::Layers,
        &L::keyNorm, keyRows},
    expertNorm,
    router,
    expertGate,
    expertUp,
    expertDown,
    finalNorm,
    head,
};

constexpr TensorSlot mixtralTensors[]{
    embedding,
    attentionNorm,
    query,
    key,
    value,
    attended,
    expertNorm,
    // folders that transformers 5 writes without its conversion back to these names stack experts as all families do
    orCalled(router.name, called("model.layers.{layer}.block_sparse_moe.gate.weight", router)),
    called("model.layers.{layer}.block_sparse_moe.experts.{expert}.w1.weight", expertGate),
    called("model.layers.{layer}.block_sparse_moe.experts.{expert}.w3.weight", expertUp),
    called("model.layers.{layer}.block_sparse_moe.experts.{expert}.w2.weight", expertDown),
    finalNorm,
    head,
};

constexpr TensorSlot qwen2Tensors[]{
    embedding,
    attentionNorm,
    query,
    key,
    value,
    queryBias,
    keyBias,
    valueBias,
    attended,
    expertNorm,
    router,
    expertGate,
    expertUp,
    expertDown,
    called("model.layers.{layer}.mlp.shared_expert.gate_proj.weight", sharedGate),
    called("model.layers.{layer}.mlp.shared_expert.up_proj.weight", sharedUp),
    called("model.layers.{layer}.mlp.shared_expert.down_proj.weight", sharedDown),
    {"model.layers.{layer}.mlp.shared_expert_gate.weight", {"blk.{layer}.ffn_gate_inp_shexp.weight"}, K::Shared,
        S::MoeLayers, &L::sharedGate, oneHidden},
    finalNorm,
    head,
};

constexpr TensorSlot deepSeek2Tensors[]{
    embedding,
    attentionNorm,
    query,
    {"model.layers.{layer}.self_attn.q_a_proj.weight", {"blk.{layer}.attn_q_a.weight"}, K::Attention, S::Layers,
        &L::queryDown, rankHidden, true, hasQueryRank},
    {"model.layers.{layer}.self_attn.q_a_layernorm.weight", {"blk.{layer}.attn_q_a_norm.weight"}, K::Norm, S::Layers,
        &L::queryDownNorm, queryRank, true, hasQueryRank},
    {"model.layers.{layer}.self_attn.q_b_proj.weight", {"blk.{layer}.attn_q_b.weight"}, K::Attention, S::Layers,
        &L::query, queryRankRows, true, hasQueryRank},
    {"model.layers.{layer}.self_attn.kv_a_proj_with_mqa.weight", {"blk.{layer}.attn_kv_a_mqa.weight"}, K::Attention,
        S::Layers, &L::latentDown, latentHidden},
    {"model.layers.{layer}.self_attn.kv_a_layernorm.weight", {"blk.{layer}.attn_kv_a_norm.weight"}, K::Norm, S::Layers,
        &L::latentNorm, latentRank},
    // either this one or the next two; the last two are named for exports, Hugging Face knows the first one only
    {"model.layers.{layer}.self_attn.kv_b_proj.weight", {"blk.{layer}.attn_kv_b.weight"}, K::Attention, S::Layers,
        &L::latentUp, latentUp, false},
    {"model.layers.{layer}.self_attn.k_b_proj.weight", {"blk.{layer}.attn_k_b.weight"}, K::Attention, S::Layers,
        &L::latentKeys, latentKeys, false},
    {"model.layers.{layer}.self_attn.v_b_proj.weight", {"blk.{layer}.attn_v_b.weight"}, K::Attention, S::Layers,
        &L::latentValues, latentValues, false},
    attended,
    expertNorm,
    denseGate,
    denseUp,
    denseDown,
    router,
    correction,
    expertGate,
    expertUp,
    expertDown,
    sharedGate,
    sharedUp,
    sharedDown,
    finalNorm,
    head,
};

constexpr TensorSlot gptOssTensors[]{
    embedding,
    attentionNorm,
    query,
    key,
    value,
    queryBias,
    keyBias,
    valueBias,
    {"model.layers.{layer}.self_attn.sinks", {"blk.{layer}.attn_sinks.weight", "blk.{layer}.attn_sinks"}, K::Norm,
        S::Layers, &L::sinks, heads},
    attended,
    {"model.layers.{layer}.self_attn.o_proj.bias", {"blk.{layer}.attn_output.bias"}, K::Norm, S::Layers, &L::outputBias,
        hidden},
    expertNorm,
    called("model.layers.{layer}.mlp.router.weight", router),
    {"model.layers.{layer}.mlp.router.bias", {"blk.{layer}.ffn_gate_inp.bias"}, K::Norm, S::MoeLayers, &L::routerBias,
        experts},
    taking(Take::EvenColumns, expertGate),
    taking(Take::OddColumns, expertUp),
    taking(Take::Columns, expertDown),
    {"model.layers.{layer}.mlp.experts.{expert}.gate_proj.bias", {"blk.{layer}.ffn_gate_exps.bias"}, K::Expert,
        S::Experts, &E::gateBias, ffn, true, nullptr,
        {"model.layers.{layer}.mlp.experts.gate_up_proj_bias", Take::EvenColumns}},
    {"model.layers.{layer}.mlp.experts.{expert}.up_proj.bias", {"blk.{layer}.ffn_up_exps.bias"}, K::Expert, S::Experts,
        &E::upBias, ffn, true, nullptr, {"model.layers.{layer}.mlp.experts.gate_up_proj_bias", Take::OddColumns}},
    {"model.layers.{layer}.mlp.experts.{expert}.down_proj.bias", {"blk.{layer}.ffn_down_exps.bias"}, K::Expert,
        S::Experts, &E::downBias, hidden, true, nullptr, {"model.layers.{layer}.mlp.experts.down_proj_bias"}},
    finalNorm,
    head,
};

constexpr TensorSlot linearTensors[]{
    {"model.layers.{layer}.mlp.gate.weight", {}, K::Router, S::MoeLayers, &L::router, expertsHidden, false},
    {"model.layers.{layer}.mlp.experts.{expert}.weight", {}, K::Expert, S::Experts, &E::down, outputHidden},
    {"model.layers.{layer}.mlp.experts.{expert}.bias", {}, K::Expert, S::Experts, &E::downBias, output, false},
};

// ---- keys ----
constexpr std::string_view attentionRequired[]{"vocab_size", "hidden_size", "num_layers", "num_attention_heads",
    "num_experts", "num_active_experts", "moe_intermediate_size", "max_seq_len"};
constexpr std::string_view attentionOptional[]{"output_size", "num_key_value_heads", "head_dim"};
constexpr std::string_view qwen2Required[]{"vocab_size", "hidden_size", "num_layers", "num_attention_heads",
    "num_experts", "num_active_experts", "moe_intermediate_size", "shared_ffn_size", "max_seq_len"};
constexpr std::string_view deepSeekRequired[]{"vocab_size", "hidden_size", "num_layers", "num_attention_heads",
    "num_experts", "num_active_experts", "moe_intermediate_size", "max_seq_len", "kv_lora_rank", "qk_nope_head_dim",
    "rope_dim", "value_head_dim"};
constexpr std::string_view deepSeekOptional[]{
    "dense_layers", "intermediate_size", "q_lora_rank", "shared_experts", "shared_ffn_size"};
constexpr std::string_view gptOssRequired[]{"vocab_size", "hidden_size", "num_layers", "num_attention_heads",
    "num_experts", "num_active_experts", "moe_intermediate_size", "max_seq_len", "sliding_window"};
constexpr std::string_view linearRequired[]{
    "hidden_size", "num_layers", "num_experts", "num_active_experts", "max_seq_len"};
constexpr std::string_view linearOptional[]{"vocab_size", "output_size"};

constexpr FixedKey qwenFixed[]{{"hidden_act", "silu"}, {"decoder_sparse_step", "1"}, {"attention_bias", "false"},
    {"use_sliding_window", "false"}, {"mlp_only_layers", "[]"}};
constexpr FixedKey mixtralFixed[]{{"hidden_act", "silu"}, {"sliding_window", "null"}};
constexpr FixedKey olmoeFixed[]{
    {"hidden_act", "silu"}, {"attention_bias", "false"}, {"clip_qkv", "null"}, {"attention.clamp_kqv", "null"}};
constexpr FixedKey deepSeekFixed[]{{"hidden_act", "silu"}, {"attention_bias", "false"}, {"moe_layer_freq", "1"}};
constexpr FixedKey gptOssFixed[]{{"hidden_act", "silu"}, {"attention_bias", "true"}};

// ---- rules ----
constexpr float sumFloor = 0x1p-14f; ///< llama.cpp's, the smallest normal f16; Hugging Face adds 1e-20 instead
constexpr RoutingRules normalized{.normalize = true};
constexpr RoutingRules plain{.normalize = false};
constexpr RoutingRules chosenSoftmax{.order = ScoreOrder::SelectThenScore};
constexpr RoutingRules deepSeek2Rules{.weightSumFloor = sumFloor, .groupScore = GroupScore::Best};
constexpr RoutingRules deepSeek3Rules{
    .scoring = Scoring::Sigmoid, .normalize = true, .weightSumFloor = sumFloor, .correctionBias = true};
constexpr RopePairs neighbours = RopePairs::Neighbours;

constexpr ArchitectureSpec specs[]{
    {Architecture::LinearMoe, "", "", linearRequired, linearOptional, {}, linearTensors, {plain}},
    {Architecture::Qwen3Moe, "qwen3_moe", "qwen3moe", attentionRequired, attentionOptional, qwenFixed, qwen3Tensors,
        {plain, true}},
    {Architecture::Mixtral, "mixtral", "llama", attentionRequired, attentionOptional, mixtralFixed, mixtralTensors,
        {normalized, true, 1e-5, 1e6, RopePairs::Halves, neighbours}},
    {Architecture::Qwen2Moe, "qwen2_moe", "qwen2moe", qwen2Required, attentionOptional, qwenFixed, qwen2Tensors,
        {plain}},
    {Architecture::Olmoe, "olmoe", "olmoe", attentionRequired, attentionOptional, olmoeFixed, olmoeTensors,
        {plain, false, 1e-5}},
    {Architecture::DeepSeek2, "deepseek_v2", "deepseek2", deepSeekRequired, deepSeekOptional, deepSeekFixed,
        deepSeek2Tensors, {deepSeek2Rules, false, 1e-6, 1e4, neighbours, neighbours}},
    {Architecture::DeepSeek2, "deepseek_v3", "", deepSeekRequired, deepSeekOptional, deepSeekFixed, deepSeek2Tensors,
        {deepSeek3Rules, false, 1e-6, 1e4, neighbours, neighbours}},
    {Architecture::GptOss, "gpt_oss", "gpt-oss", gptOssRequired, attentionOptional, gptOssFixed, gptOssTensors,
        {chosenSoftmax, false, 1e-5, 150000.0, RopePairs::Halves, RopePairs::Halves, Activation::ClampedSwiglu, 7.f,
            2}},
};

} // namespace

std::span<const ArchitectureSpec> architectures()
{
    return specs;
}

} // namespace colibri
