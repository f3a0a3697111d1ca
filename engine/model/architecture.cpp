// SPDX-License-Identifier: Apache-2.0
#include "model/architecture.h"

#include <algorithm>
#include <array>

namespace colibri {
namespace {

constexpr Dim hidden[]{Dim::Hidden};
constexpr Dim headDim[]{Dim::HeadDim};
constexpr Dim output[]{Dim::Output};
constexpr Dim vocabHidden[]{Dim::Vocab, Dim::Hidden};
constexpr Dim queryHidden[]{Dim::QueryRows, Dim::Hidden};
constexpr Dim kvHidden[]{Dim::KvRows, Dim::Hidden};
constexpr Dim hiddenQuery[]{Dim::Hidden, Dim::QueryRows};
constexpr Dim expertsHidden[]{Dim::Experts, Dim::Hidden};
constexpr Dim ffnHidden[]{Dim::ExpertFfn, Dim::Hidden};
constexpr Dim hiddenFfn[]{Dim::Hidden, Dim::ExpertFfn};
constexpr Dim outputHidden[]{Dim::Output, Dim::Hidden};

constexpr TensorSlot qwen3Tensors[]{
    {"model.embed_tokens.weight", {"token_embd.weight"}, TensorKind::Embedding, &Weights::embedding, vocabHidden},
    {"model.layers.{layer}.input_layernorm.weight", {"blk.{layer}.attn_norm.weight"}, TensorKind::Norm,
        &LayerWeights::attentionNorm, hidden},
    {"model.layers.{layer}.self_attn.q_proj.weight", {"blk.{layer}.attn_q.weight"}, TensorKind::Attention,
        &LayerWeights::query, queryHidden},
    {"model.layers.{layer}.self_attn.k_proj.weight", {"blk.{layer}.attn_k.weight"}, TensorKind::Attention,
        &LayerWeights::key, kvHidden},
    {"model.layers.{layer}.self_attn.v_proj.weight", {"blk.{layer}.attn_v.weight"}, TensorKind::Attention,
        &LayerWeights::value, kvHidden},
    {"model.layers.{layer}.self_attn.o_proj.weight", {"blk.{layer}.attn_output.weight"}, TensorKind::Attention,
        &LayerWeights::output, hiddenQuery},
    {"model.layers.{layer}.self_attn.q_norm.weight", {"blk.{layer}.attn_q_norm.weight"}, TensorKind::Norm,
        &LayerWeights::queryNorm, headDim},
    {"model.layers.{layer}.self_attn.k_norm.weight", {"blk.{layer}.attn_k_norm.weight"}, TensorKind::Norm,
        &LayerWeights::keyNorm, headDim},
    {"model.layers.{layer}.post_attention_layernorm.weight", {"blk.{layer}.ffn_norm.weight"}, TensorKind::Norm,
        &LayerWeights::expertNorm, hidden},
    {"model.layers.{layer}.mlp.gate.weight", {"blk.{layer}.ffn_gate_inp.weight"}, TensorKind::Router,
        &LayerWeights::router, expertsHidden},
    {"model.layers.{layer}.mlp.experts.{expert}.gate_proj.weight", {"blk.{layer}.ffn_gate_exps.weight"},
        TensorKind::Expert, &ExpertWeights::gate, ffnHidden},
    {"model.layers.{layer}.mlp.experts.{expert}.up_proj.weight", {"blk.{layer}.ffn_up_exps.weight"}, TensorKind::Expert,
        &ExpertWeights::up, ffnHidden},
    {"model.layers.{layer}.mlp.experts.{expert}.down_proj.weight", {"blk.{layer}.ffn_down_exps.weight"},
        TensorKind::Expert, &ExpertWeights::down, hiddenFfn},
    {"model.norm.weight", {"output_norm.weight"}, TensorKind::Norm, &Weights::finalNorm, hidden},
    {"lm_head.weight", {"output.weight"}, TensorKind::Head, &Weights::head, vocabHidden,
        false}, // without it the embedding is the head
};

constexpr TensorSlot linearTensors[]{
    {"model.layers.{layer}.mlp.gate.weight", {}, TensorKind::Router, &LayerWeights::router, expertsHidden, false},
    {"model.layers.{layer}.mlp.experts.{expert}.weight", {}, TensorKind::Expert, &ExpertWeights::down, outputHidden},
    {"model.layers.{layer}.mlp.experts.{expert}.bias", {}, TensorKind::Expert, &ExpertWeights::downBias, output, false},
};

constexpr std::string_view qwen3Required[]{"vocab_size", "hidden_size", "num_layers", "num_attention_heads",
    "num_experts", "num_active_experts", "moe_intermediate_size", "max_seq_len"};
constexpr std::string_view linearRequired[]{
    "hidden_size", "num_layers", "num_experts", "num_active_experts", "max_seq_len"};

constexpr ArchitectureSpec specs[]{
    {Architecture::LinearMoe, "", "", linearRequired, linearTensors, false, false},
    {Architecture::Qwen3Moe, "qwen3_moe", "qwen3moe", qwen3Required, qwen3Tensors, false, true},
};

constexpr std::string_view kindNames[]{"embedding", "attention", "norm", "router", "expert", "head"};

void replace(std::string& text, std::string_view what, std::uint32_t number)
{
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), std::to_string(number));
}

} // namespace

std::uint32_t extent(const ModelConfig& config, Dim dim)
{
    const std::array<std::uint32_t, 8> extents{config.vocabSize, config.hiddenSize, config.outputSize,
        config.numHeads * config.headDim, config.numKvHeads * config.headDim, config.headDim, config.numExperts,
        config.expertFfnSize};
    return extents[static_cast<std::size_t>(dim)];
}

std::string_view name(TensorKind kind)
{
    return kindNames[static_cast<std::size_t>(kind)];
}

std::span<const ArchitectureSpec> architectures()
{
    return specs;
}

const ArchitectureSpec& specOf(Architecture id)
{
    return *std::ranges::find(specs, id, &ArchitectureSpec::id);
}

bool isPerLayer(const TensorSlot& slot)
{
    return slot.name.find("{layer}") != std::string_view::npos;
}

bool isPerExpert(const TensorSlot& slot)
{
    return std::holds_alternative<Matrix ExpertWeights::*>(slot.place)
        || std::holds_alternative<Vector ExpertWeights::*>(slot.place);
}

std::string fillName(std::string_view name, std::uint32_t layer, std::uint32_t expert)
{
    std::string text(name);
    replace(text, "{layer}", layer);
    replace(text, "{expert}", expert);
    return text;
}

std::string tensorName(const TensorSlot& slot, std::uint32_t layer, std::uint32_t expert)
{
    return fillName(slot.name, layer, expert);
}

} // namespace colibri
