// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/testmodel.h"

#include <random>
#include <string>

namespace colibri::test {
namespace {

/// First multiple of 64 behind the last tensor of a file; an expert's file has 64 bytes in front.
std::uint64_t placeIn(const ModelFacts& model, std::uint32_t file)
{
    for (auto tensor = model.tensors.rbegin(); tensor != model.tensors.rend(); ++tensor) {
        if (tensor->file == file)
            return (tensor->offset + tensor->size + 63) / 64 * 64;
    }
    return file == 0 ? 0 : 64;
}

void addRules(ModelFacts& model)
{
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    const ModelConfig& c = model.config;
    model.config.origins = {
        {"vocab_size", number(c.vocabSize), Origin::Config, "vocab_size"},
        {"hidden_size", number(c.hiddenSize), Origin::Config, "hidden_size"},
        {"num_layers", number(c.numLayers), Origin::Config, "num_hidden_layers"},
        {"num_attention_heads", number(c.numHeads), Origin::Config, "num_attention_heads"},
        {"num_key_value_heads", number(c.numKvHeads), Origin::FamilyDefault, ""},
        {"head_dim", number(c.headDim), Origin::FamilyDefault, ""},
        {"num_experts", number(c.numExperts), Origin::FileSize, ""},
        {"num_active_experts", number(c.numActiveExperts), Origin::Config, "num_experts_per_tok"},
        {"moe_intermediate_size", number(c.expertFfnSize), Origin::Config, "moe_intermediate_size"},
        {"max_seq_len", number(c.maxSeqLen), Origin::Config, "max_position_embeddings"},
        {"rms_norm_eps", "1e-06", Origin::Config, "rms_norm_eps"},
        {"rope_theta", "10000", Origin::Config, "rope_theta"},
        {"routing.scoring", "softmax", Origin::FamilyDefault, ""},
        {"routing.normalize", "true", Origin::Config, "norm_topk_prob"},
        {"add_bos_token", "false", Origin::Option, ""},
    };
}

void setConfig(ModelFacts& model, const ModelShape& shape)
{
    ModelConfig& c = model.config;
    c.architecture = Architecture::Qwen3Moe;
    c.vocabSize = c.outputSize = shape.vocabulary;
    c.hiddenSize = shape.hidden;
    c.numLayers = shape.layers;
    c.numHeads = 4;
    c.numKvHeads = 2;
    c.headDim = 16;
    c.numExperts = shape.experts;
    c.numActiveExperts = 2;
    c.expertFfnSize = shape.ffn;
    c.maxSeqLen = 512;
    c.routing.normalize = true;
    addRules(model);
}

void addLayer(ModelFacts& model, const ModelShape& shape, std::uint32_t layer)
{
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    const std::uint64_t hidden = shape.hidden;
    addTensor(model, prefix + "input_layernorm.weight", 0, DType::F16, {hidden});
    for (const char* projection : {"q_proj", "k_proj", "v_proj", "o_proj"})
        addTensor(model, prefix + "self_attn." + projection + ".weight", 0, DType::F32, {hidden, hidden});
    addTensor(model, prefix + "self_attn.q_norm.weight", 0, DType::F16, {16});
    addTensor(model, prefix + "self_attn.k_norm.weight", 0, DType::F16, {16});
    addTensor(model, prefix + "post_attention_layernorm.weight", 0, DType::F16, {hidden});
    addTensor(model, prefix + "mlp.gate.weight", 0, DType::F32, {shape.experts, hidden});
}

void addExpert(ModelFacts& model, const ModelShape& shape, std::uint32_t layer, std::uint32_t expert)
{
    const std::string numbers = std::to_string(layer) + "_" + std::to_string(expert);
    const auto file = static_cast<std::uint32_t>(model.files.size());
    model.files.push_back({model.path + "/experts/" + numbers + ".bin", 0});
    const std::string prefix = "model.layers." + std::to_string(layer) + ".mlp.experts." + std::to_string(expert) + ".";
    addTensor(model, prefix + "gate_proj.weight", file, DType::Int8, {shape.ffn, shape.hidden});
    addTensor(model, prefix + "up_proj.weight", file, DType::Int8, {shape.ffn, shape.hidden});
    addTensor(model, prefix + "down_proj.weight", file, DType::Int8, {shape.hidden, shape.ffn});
}

} // namespace

void addTensor(
    ModelFacts& model, const std::string& name, std::uint32_t file, DType dtype, std::vector<std::uint64_t> shape)
{
    const std::uint64_t size = tensorBytes(dtype, shape).value_or(0);
    const std::uint64_t offset = placeIn(model, file);
    model.tensors.push_back({name, file, offset, size, dtype, Layout::RowMajor, std::move(shape), {}});
    model.files[file].size = offset + size;
}

std::shared_ptr<ModelFacts> makeModel(const ModelShape& shape)
{
    auto model = std::make_shared<ModelFacts>();
    model->path = "/models/hummingbird";
    model->format = "colibri";
    model->id = "5347fb3eeddd93ab";
    model->hasRouter = true;
    model->hasTokenizer = true;
    model->files.push_back({model->path + "/dense.bin", 0});
    setConfig(*model, shape);
    addTensor(*model, "model.embed_tokens.weight", 0, DType::F16, {shape.vocabulary, shape.hidden});
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
        addLayer(*model, shape, layer);
    addTensor(*model, "model.norm.weight", 0, DType::F16, {shape.hidden});
    addTensor(*model, "lm_head.weight", 0, DType::F16, {shape.vocabulary, shape.hidden});
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer)
        for (std::uint32_t expert = 0; expert < shape.experts; ++expert)
            addExpert(*model, shape, layer, expert);
    model->parts = partsOf(model->tensors);
    for (const TensorInfo& tensor : model->tensors) {
        model->parameters += elementsOf(tensor);
        model->mappedBytes += tensor.size;
    }
    model->activeParameters = model->parameters / 3;
    return model;
}

ModelFactsPtr randomModel(std::uint32_t count, std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    auto model = std::make_shared<ModelFacts>();
    model->path = "/models/random";
    for (int file = 0; file < 5; ++file)
        model->files.push_back({"/models/random/Part" + std::to_string(file) + ".bin", 1 << 20});
    static const char* const tails[]{"self_attn.q_proj.weight", "mlp.gate.weight", "mlp.experts.7.up_proj.weight",
        "input_layernorm.weight", "MLP.Strange", "mlp.experts.007.down_proj.bias", "self_attn.k_norm.weight"};
    for (std::uint32_t i = 0; i < count; ++i) {
        std::string name = "model.layers." + std::to_string(below(60)) + "." + tails[below(std::size(tails))];
        if (below(4) == 0)
            name = "model.layers." + std::to_string(below(48)) + ".mlp.experts." + std::to_string(below(128)) + ".x"
                + std::to_string(random());
        if (below(50) == 0)
            name = std::string(below(20), static_cast<char>(below(256)));
        const std::vector<std::uint64_t> shape(below(3), 1 + below(9));
        const auto dtype = exportDTypes[below(exportDTypes.size())];
        model->tensors.push_back({name, below(5), std::uint64_t{below(1 << 20)} << below(12),
            tensorBytes(dtype, shape).value_or(0), dtype, Layout::RowMajor, shape, {}});
    }
    model->parts = partsOf(model->tensors);
    return model;
}

} // namespace colibri::test
