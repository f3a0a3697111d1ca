// SPDX-License-Identifier: Apache-2.0
#include "support/generatedmodel.h"

#include "types/half.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace colibri::test {
namespace {

struct Entry {
    std::string name;
    std::vector<std::uint64_t> shape;
    float gain = 1.f; ///< spread of the values
    float centre = 0.f;
    std::uint64_t elements() const
    {
        std::uint64_t product = 1;
        for (const std::uint64_t extent : shape)
            product *= extent;
        return product;
    }
};

std::vector<Entry> entries(const GeneratedShape& s)
{
    const auto spread = [](std::uint64_t inputs) { return 1.f / std::sqrt(static_cast<float>(inputs)); };
    std::vector<Entry> all{{"model.embed_tokens.weight", {s.vocab, s.hidden}, 1.f}};
    for (std::uint32_t layer = 0; layer < s.layers; ++layer) {
        const std::string p = "model.layers." + std::to_string(layer) + ".";
        const std::uint64_t query = s.heads * s.headDim;
        const std::uint64_t kv = s.kvHeads * s.headDim;
        all.insert(all.end(),
            {{p + "input_layernorm.weight", {s.hidden}, 0.1f, 1.f},
                {p + "post_attention_layernorm.weight", {s.hidden}, 0.1f, 1.f},
                {p + "self_attn.q_proj.weight", {query, s.hidden}, spread(s.hidden)},
                {p + "self_attn.k_proj.weight", {kv, s.hidden}, spread(s.hidden)},
                {p + "self_attn.v_proj.weight", {kv, s.hidden}, spread(s.hidden)},
                {p + "self_attn.o_proj.weight", {s.hidden, query}, spread(query)},
                {p + "self_attn.q_norm.weight", {s.headDim}, 0.1f, 1.f},
                {p + "self_attn.k_norm.weight", {s.headDim}, 0.1f, 1.f},
                {p + "mlp.gate.weight", {s.experts, s.hidden}, 2.f * spread(s.hidden)}});
        for (std::uint32_t e = 0; e < s.experts; ++e) {
            const std::string q = p + "mlp.experts." + std::to_string(e) + ".";
            all.insert(all.end(),
                {{q + "gate_proj.weight", {s.ffn, s.hidden}, spread(s.hidden)},
                    {q + "up_proj.weight", {s.ffn, s.hidden}, spread(s.hidden)},
                    {q + "down_proj.weight", {s.hidden, s.ffn}, spread(s.ffn)}});
        }
    }
    all.insert(all.end(),
        {{"model.norm.weight", {s.hidden}, 0.1f, 1.f},
            {"lm_head.weight", {s.vocab, s.hidden}, 3.f * spread(s.hidden)}});
    return all;
}

std::string header(const std::vector<Entry>& all, DType dtype)
{
    std::ostringstream text;
    std::uint64_t at = 0;
    text << "{";
    for (const Entry& entry : all) {
        const std::uint64_t bytes = entry.elements() * elementBytes(dtype);
        text << (at ? "," : "") << '"' << entry.name << "\":{\"dtype\":\"" << (dtype == DType::F16 ? "F16" : "F32")
             << "\",\"shape\":[";
        for (std::size_t i = 0; i < entry.shape.size(); ++i)
            text << (i ? "," : "") << entry.shape[i];
        text << "],\"data_offsets\":[" << at << "," << at + bytes << "]}";
        at += bytes;
    }
    std::string json = text.str() + "}";
    json.resize((json.size() + 7) / 8 * 8, ' ');
    return json;
}

std::string config(const GeneratedShape& s)
{
    std::ostringstream text;
    text << "{\"model_type\":\"qwen3_moe\",\"vocab_size\":" << s.vocab << ",\"hidden_size\":" << s.hidden
         << ",\"num_hidden_layers\":" << s.layers << ",\"num_attention_heads\":" << s.heads
         << ",\"num_key_value_heads\":" << s.kvHeads << ",\"head_dim\":" << s.headDim
         << ",\"num_experts\":" << s.experts << ",\"num_experts_per_tok\":" << s.active
         << ",\"moe_intermediate_size\":" << s.ffn << ",\"max_position_embeddings\":" << s.context
         << ",\"rms_norm_eps\":1e-6,\"rope_theta\":10000.0,\"norm_topk_prob\":true}";
    return text.str();
}

} // namespace

bool writeFile(const std::string& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary);
    out << text;
    return static_cast<bool>(out.flush());
}

bool writeHuggingFaceModel(const std::string& folder, const GeneratedShape& shape, const Plant& plant)
{
    const std::vector<Entry> all = entries(shape);
    const std::string json = header(all, shape.dtype);
    std::ofstream out(folder + "/model.safetensors", std::ios::binary);
    const std::uint64_t length = json.size();
    out.write(reinterpret_cast<const char*>(&length), sizeof length);
    out << json;
    std::uint64_t state = shape.seed * 0x9E3779B97F4A7C15u + 1;
    std::vector<char> bytes;
    for (const Entry& entry : all) {
        bytes.clear();
        for (std::uint64_t i = 0; i < entry.elements(); ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const float unit = static_cast<float>(state >> 40) * 0x1p-23f - 1.f; // uniform in [-1, 1)
            float value = entry.centre + entry.gain * unit * 1.7f;
            if (plant)
                value = plant(entry.name, i, value);
            const std::uint16_t half = f32ToF16(value);
            const char* from = shape.dtype == DType::F16 ? reinterpret_cast<const char*>(&half)
                                                         : reinterpret_cast<const char*>(&value);
            bytes.insert(bytes.end(), from, from + elementBytes(shape.dtype));
        }
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    return static_cast<bool>(out.flush()) && writeFile(folder + "/config.json", config(shape));
}

} // namespace colibri::test
