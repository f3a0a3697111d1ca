// SPDX-License-Identifier: Apache-2.0
#include "cli/weight_kinds.h"

#include <algorithm>

namespace colibri::cli {
namespace {

constexpr std::string_view kindNames[]{
    "embedding", "attention", "router", "experts", "norms", "head", "shared", "dense", "other"};

struct Pattern {
    std::string_view part;
    WeightKind kind;
};
/// The first part found in a name decides.
constexpr Pattern patterns[]{
    {"shexp", WeightKind::Shared}, {"shared_expert", WeightKind::Shared}, {"_exps.", WeightKind::Experts},
    {"experts.", WeightKind::Experts}, {"mlp.gate.", WeightKind::Router}, {"mlp.router.", WeightKind::Router},
    {"block_sparse_moe.gate.", WeightKind::Router}, {"ffn_gate_inp", WeightKind::Router},
    {"exp_probs_b", WeightKind::Router}, {"norm", WeightKind::Norms}, {"embed_tokens", WeightKind::Embedding},
    {"token_embd", WeightKind::Embedding}, {"lm_head", WeightKind::Head}, {"attn", WeightKind::Attention},
    {"output.weight", WeightKind::Head}, {"mlp.", WeightKind::Dense}, {"ffn_gate.weight", WeightKind::Dense},
    {"ffn_up.weight", WeightKind::Dense}, {"ffn_down.weight", WeightKind::Dense},
    {"ffn_", WeightKind::Experts}, // "ffn_gate.3.weight": one tensor for each expert
};

} // namespace

std::string_view name(WeightKind kind)
{
    return kindNames[static_cast<std::size_t>(kind)];
}

WeightKind kindOf(std::string_view tensorName)
{
    const auto found = std::ranges::find_if(
        patterns, [&](const Pattern& pattern) { return tensorName.find(pattern.part) != std::string_view::npos; });
    return found == std::end(patterns) ? WeightKind::Other : found->kind;
}

std::array<std::uint64_t, weightKindCount> bytesByKind(std::span<const TensorInfo> tensors)
{
    std::array<std::uint64_t, weightKindCount> bytes{};
    for (const TensorInfo& tensor : tensors)
        bytes[static_cast<std::size_t>(kindOf(tensor.name))] += tensor.size;
    return bytes;
}

std::uint64_t decodeBytesPerToken(const Model& model)
{
    const ModelConfig& config = model.config();
    std::uint64_t total = 0;
    std::uint64_t experts = 0;
    for (const TensorInfo& tensor : model.tensors()) {
        const WeightKind kind = kindOf(tensor.name);
        if (kind == WeightKind::Experts)
            experts += tensor.size;
        else if (kind == WeightKind::Embedding && !config.tiedEmbeddings)
            total += tensor.size / std::max<std::uint64_t>(1, config.vocabSize);
        else
            total += tensor.size;
    }
    return total + experts * config.numActiveExperts / std::max(1u, config.numExperts);
}

} // namespace colibri::cli
