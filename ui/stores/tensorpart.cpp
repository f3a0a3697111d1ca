// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/tensorpart.h"

#include "types/checked.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <numeric>

namespace colibri {
namespace {

/// {layer} and {expert} stand for a number, * at the end for all that follows, which is not empty.
struct Pattern {
    std::string_view name;
    PartKind kind;
};
/// The first that fits counts.
constexpr Pattern patterns[]{
    {"model.embed_tokens.*", PartKind::Embedding},
    {"lm_head.*", PartKind::Head},
    {"model.norm.*", PartKind::Norm},
    {"model.layers.{layer}.mlp.experts.{expert}.*", PartKind::Expert},
    {"model.layers.{layer}.mlp.gate.*", PartKind::Router},
    {"model.layers.{layer}.self_attn.q_norm.*", PartKind::Norm},
    {"model.layers.{layer}.self_attn.k_norm.*", PartKind::Norm},
    {"model.layers.{layer}.self_attn.q_a_layernorm.*", PartKind::Norm},
    {"model.layers.{layer}.self_attn.kv_a_layernorm.*", PartKind::Norm},
    {"model.layers.{layer}.self_attn.*", PartKind::Attention},
    {"model.layers.{layer}.input_layernorm.*", PartKind::Norm},
    {"model.layers.{layer}.post_attention_layernorm.*", PartKind::Norm},
    {"model.layers.{layer}.mlp.shared_expert.*", PartKind::Shared},
    {"model.layers.{layer}.mlp.shared_experts.*", PartKind::Shared},
    {"model.layers.{layer}.mlp.shared_expert_gate.*", PartKind::Shared},
    {"model.layers.{layer}.mlp.gate_proj.*", PartKind::Dense},
    {"model.layers.{layer}.mlp.up_proj.*", PartKind::Dense},
    {"model.layers.{layer}.mlp.down_proj.*", PartKind::Dense},
    {"model.layers.{layer}.block_sparse_moe.experts.{expert}.*", PartKind::Expert},
    {"model.layers.{layer}.block_sparse_moe.gate.*", PartKind::Router},
    {"model.layers.{layer}.mlp.router.*", PartKind::Router},
    {"model.layers.{layer}.mlp.experts.gate_up_proj", PartKind::Expert}, // all of a layer in one tensor
    {"model.layers.{layer}.mlp.experts.gate_up_proj_*", PartKind::Expert},
    {"model.layers.{layer}.mlp.experts.down_proj", PartKind::Expert},
    {"model.layers.{layer}.mlp.experts.down_proj_*", PartKind::Expert},
    {"model.layers.{layer}.*", PartKind::Other},
    // of GGUF
    {"token_embd.*", PartKind::Embedding},
    {"output.*", PartKind::Head},
    {"output_norm.*", PartKind::Norm},
    {"blk.{layer}.attn_norm.*", PartKind::Norm},
    {"blk.{layer}.attn_q_norm.*", PartKind::Norm},
    {"blk.{layer}.attn_k_norm.*", PartKind::Norm},
    {"blk.{layer}.attn_q_a_norm.*", PartKind::Norm},
    {"blk.{layer}.attn_kv_a_norm.*", PartKind::Norm},
    {"blk.{layer}.post_attention_norm.*", PartKind::Norm},
    {"blk.{layer}.ffn_norm.*", PartKind::Norm},
    {"blk.{layer}.attn_*", PartKind::Attention},
    {"blk.{layer}.ffn_gate_inp_shexp.*", PartKind::Shared},
    {"blk.{layer}.ffn_gate_inp.*", PartKind::Router},
    {"blk.{layer}.exp_probs_b*", PartKind::Router},
    {"blk.{layer}.ffn_gate_exps.*", PartKind::Expert},
    {"blk.{layer}.ffn_up_exps.*", PartKind::Expert},
    {"blk.{layer}.ffn_down_exps.*", PartKind::Expert},
    {"blk.{layer}.ffn_gate_up_exps.*", PartKind::Expert},
    {"blk.{layer}.ffn_gate.{expert}.*", PartKind::Expert},
    {"blk.{layer}.ffn_up.{expert}.*", PartKind::Expert},
    {"blk.{layer}.ffn_down.{expert}.*", PartKind::Expert},
    {"blk.{layer}.ffn_gate_shexp.*", PartKind::Shared},
    {"blk.{layer}.ffn_up_shexp.*", PartKind::Shared},
    {"blk.{layer}.ffn_down_shexp.*", PartKind::Shared},
    {"blk.{layer}.ffn_*", PartKind::Dense},
    {"blk.{layer}.*", PartKind::Other},
};

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Takes a number off the front of `text`; -1: there is none, or it is too large or has leading zeros.
std::int32_t takeNumber(std::string_view& text)
{
    std::int32_t number = -1;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (status != std::errc{} || number < 0 || number > partNumberLimit || (length > 1 && text.front() == '0')
        || !isDigit(text.front()))
        return -1;
    text.remove_prefix(length);
    return number;
}

bool fits(std::string_view name, std::string_view pattern, TensorPart& part)
{
    while (!pattern.empty()) {
        if (pattern == "*")
            return !name.empty();
        if (pattern.front() == '{') {
            const std::int32_t number = takeNumber(name);
            if (number < 0)
                return false;
            (pattern.starts_with("{layer}") ? part.layer : part.expert) = number;
            pattern.remove_prefix(pattern.find('}') + 1);
            continue;
        }
        const std::string_view text = pattern.substr(0, pattern.find_first_of("{*"));
        if (!name.starts_with(text))
            return false;
        name.remove_prefix(text.size());
        pattern.remove_prefix(text.size());
    }
    return name.empty();
}

/// Length of the digits at the front.
std::size_t digitsAt(std::string_view text)
{
    return std::min(text.find_first_not_of("0123456789"), text.size());
}

/// Bytes that two texts begin with both.
std::size_t equalInFront(std::string_view a, std::string_view b)
{
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= most; at += sizeof(std::uint64_t)) {
        std::uint64_t x = 0;
        std::uint64_t y = 0;
        std::memcpy(&x, a.data() + at, sizeof x);
        std::memcpy(&y, b.data() + at, sizeof y);
        if (x != y)
            break;
    }
    while (at < most && a[at] == b[at])
        ++at;
    return at;
}

/// -1, 0, 1 for two runs of digits as numbers of any length.
int compareNumbers(std::string_view a, std::string_view b)
{
    a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
    b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
    if (a.size() != b.size())
        return a.size() < b.size() ? -1 : 1;
    const int order = a.compare(b);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

} // namespace

TensorPart partNamed(std::string_view name)
{
    for (const Pattern& pattern : patterns) {
        TensorPart part{pattern.kind};
        if (fits(name, pattern.name, part))
            return part;
    }
    return {};
}

bool naturalLess(std::string_view a, std::string_view b)
{
    // What is the same in front decides nothing, except that a number begins where its first digit is.
    std::size_t same = equalInFront(a, b);
    while (same > 0 && isDigit(a[same - 1]))
        --same;
    std::string_view x = a.substr(same);
    std::string_view y = b.substr(same);
    while (!x.empty() && !y.empty()) {
        if (isDigit(x.front()) && isDigit(y.front())) {
            const std::size_t xDigits = digitsAt(x);
            const std::size_t yDigits = digitsAt(y);
            if (const int order = compareNumbers(x.substr(0, xDigits), y.substr(0, yDigits)); order != 0)
                return order < 0;
            x.remove_prefix(xDigits);
            y.remove_prefix(yDigits);
            continue;
        }
        if (x.front() != y.front())
            return static_cast<unsigned char>(x.front()) < static_cast<unsigned char>(y.front());
        x.remove_prefix(1);
        y.remove_prefix(1);
    }
    return x.empty() && y.empty() ? a < b : x.empty();
}

std::vector<TensorPart> partsOf(std::span<const TensorInfo> tensors)
{
    std::vector<TensorPart> parts;
    parts.reserve(tensors.size());
    for (const TensorInfo& tensor : tensors)
        parts.push_back(partNamed(tensor.name));
    std::vector<std::uint32_t> order(tensors.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
        [&](std::uint32_t a, std::uint32_t b) { return naturalLess(tensors[a].name, tensors[b].name); });
    for (std::uint32_t rank = 0; rank < order.size(); ++rank)
        parts[order[rank]].nameRank = rank;
    return parts;
}

std::uint64_t elementsOf(const TensorInfo& tensor)
{
    if (tensor.presence == Presence::NameOnly)
        return 0;
    return checkedProduct(tensor.shape).value_or(std::numeric_limits<std::uint64_t>::max());
}

PartSum& PartSum::operator+=(const PartSum& other)
{
    tensors += other.tensors;
    parameters += other.parameters;
    bytes += other.bytes;
    shapeless += other.shapeless;
    sizeless += other.sizeless;
    return *this;
}

PartSum sumOf(const TensorInfo& tensor)
{
    return {
        1, elementsOf(tensor), tensor.size, tensor.presence == Presence::NameOnly ? 1U : 0U, hasSize(tensor) ? 0U : 1U};
}

std::array<PartSum, partKindCount> sumsByKind(std::span<const TensorInfo> tensors, std::span<const TensorPart> parts)
{
    std::array<PartSum, partKindCount> sums{};
    for (std::size_t i = 0; i < tensors.size(); ++i)
        sums[static_cast<std::size_t>(parts[i].kind)] += sumOf(tensors[i]);
    return sums;
}

} // namespace colibri
