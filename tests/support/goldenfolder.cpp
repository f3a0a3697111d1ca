// SPDX-License-Identifier: Apache-2.0
#include "support/goldenfolder.h"

#include <QFile>
#include <QJsonDocument>

#include <functional>

namespace colibri::test {
namespace {

using Tensors = std::map<std::string, GoldenTensor>;

/// A name in GGUF and in the folder; "#" stands for the layer, "@" for an expert.
struct Name {
    const char* gguf;
    const char* folder;
};
const Name names[]{
    {"token_embd.weight", "model.embed_tokens.weight"},
    {"output.weight", "lm_head.weight"},
    {"output_norm.weight", "model.norm.weight"},
    {"attn_norm.weight", "input_layernorm.weight"},
    {"attn_q.weight", "self_attn.q_proj.weight"},
    {"attn_k.weight", "self_attn.k_proj.weight"},
    {"attn_v.weight", "self_attn.v_proj.weight"},
    {"attn_q.bias", "self_attn.q_proj.bias"},
    {"attn_k.bias", "self_attn.k_proj.bias"},
    {"attn_v.bias", "self_attn.v_proj.bias"},
    {"attn_q_norm.weight", "self_attn.q_norm.weight"},
    {"attn_k_norm.weight", "self_attn.k_norm.weight"},
    {"attn_output.weight", "self_attn.o_proj.weight"},
    {"attn_output.bias", "self_attn.o_proj.bias"},
    {"attn_sinks.weight", "self_attn.sinks"},
    {"attn_q_a.weight", "self_attn.q_a_proj.weight"},
    {"attn_q_a_norm.weight", "self_attn.q_a_layernorm.weight"},
    {"attn_q_b.weight", "self_attn.q_b_proj.weight"},
    {"attn_kv_a_mqa.weight", "self_attn.kv_a_proj_with_mqa.weight"},
    {"attn_kv_a_norm.weight", "self_attn.kv_a_layernorm.weight"},
    {"attn_kv_b.weight", "self_attn.kv_b_proj.weight"},
    {"ffn_norm.weight", "post_attention_layernorm.weight"},
    {"post_attention_norm.weight", "post_attention_layernorm.weight"},
    {"ffn_gate.weight", "mlp.gate_proj.weight"},
    {"ffn_up.weight", "mlp.up_proj.weight"},
    {"ffn_down.weight", "mlp.down_proj.weight"},
    {"ffn_gate_inp.weight", "mlp.gate.weight"},
    {"ffn_gate_inp.bias", "mlp.router.bias"},
    {"exp_probs_b.bias", "mlp.gate.e_score_correction_bias"},
    {"ffn_gate_shexp.weight", "mlp.shared_experts.gate_proj.weight"},
    {"ffn_up_shexp.weight", "mlp.shared_experts.up_proj.weight"},
    {"ffn_down_shexp.weight", "mlp.shared_experts.down_proj.weight"},
    {"ffn_gate_inp_shexp.weight", "mlp.shared_expert_gate.weight"},
    {"ffn_gate_exps.weight", "mlp.experts.@.gate_proj.weight"},
    {"ffn_up_exps.weight", "mlp.experts.@.up_proj.weight"},
    {"ffn_down_exps.weight", "mlp.experts.@.down_proj.weight"},
};

/// Where a family names something otherwise: a part of the common name, and what stands there instead.
struct Family {
    const char* type;
    std::vector<std::pair<QString, QString>> renamed;
    const char* config; ///< members of config.json beside those that all have
};
const std::map<std::string, Family>& families()
{
    static const std::map<std::string, Family> all{
        {"mixtral-f32",
            {"mixtral",
                {{"mlp.gate.", "block_sparse_moe.gate."}, {"mlp.experts", "block_sparse_moe.experts"},
                    {"gate_proj", "w1"}, {"up_proj", "w3"}, {"down_proj", "w2"}},
                R"("num_key_value_heads":2,"num_local_experts":8,"intermediate_size":48,"rms_norm_eps":1e-5,"rope_theta":1e6,"sliding_window":null)"}},
        {"qwen2moe-f32",
            {"qwen2_moe", {{"shared_experts", "shared_expert"}},
                R"("num_key_value_heads":4,"num_experts":10,"intermediate_size":96,"moe_intermediate_size":24,"shared_expert_intermediate_size":56,"rms_norm_eps":1e-6,"rope_theta":1e6,"norm_topk_prob":false,"decoder_sparse_step":1,"use_sliding_window":false,"sliding_window":32768)"}},
        {"qwen3moe-f32",
            {"qwen3_moe", {},
                R"("num_key_value_heads":2,"head_dim":64,"num_experts":6,"intermediate_size":192,"moe_intermediate_size":64,"rms_norm_eps":1e-6,"rope_theta":1e6,"norm_topk_prob":true,"mlp_only_layers":[])"}},
        {"olmoe-f32",
            {"olmoe", {},
                R"("num_key_value_heads":4,"num_experts":12,"intermediate_size":24,"rms_norm_eps":1e-5,"rope_theta":10000.0,"norm_topk_prob":false,"clip_qkv":null)"}},
        {"deepseek2-lite-f32",
            {"deepseek_v2", {},
                R"("num_key_value_heads":4,"n_routed_experts":8,"n_shared_experts":2,"first_k_dense_replace":1,"intermediate_size":96,"moe_intermediate_size":32,"q_lora_rank":null,"kv_lora_rank":32,"qk_nope_head_dim":24,"qk_rope_head_dim":8,"v_head_dim":16,"n_group":1,"topk_group":1,"topk_method":"greedy","scoring_func":"softmax","norm_topk_prob":false,"routed_scaling_factor":1.0,"rms_norm_eps":1e-6,"rope_theta":10000)"}},
        {"deepseek2-v3-f32",
            {"deepseek_v3", {},
                R"("num_key_value_heads":4,"n_routed_experts":16,"n_shared_experts":1,"first_k_dense_replace":1,"intermediate_size":96,"moe_intermediate_size":32,"q_lora_rank":40,"kv_lora_rank":32,"qk_nope_head_dim":24,"qk_rope_head_dim":8,"v_head_dim":16,"n_group":4,"topk_group":2,"topk_method":"noaux_tc","scoring_func":"sigmoid","norm_topk_prob":true,"routed_scaling_factor":2.5,"rms_norm_eps":1e-6,"rope_theta":10000,"rope_scaling":{"type":"yarn","factor":40,"original_max_position_embeddings":4096,"beta_fast":32,"beta_slow":1,"mscale":1.0,"mscale_all_dim":1.0})"}},
        {"gpt-oss-f32",
            {"gpt_oss", {{"mlp.gate.weight", "mlp.router.weight"}},
                R"("num_key_value_heads":2,"head_dim":32,"num_local_experts":8,"intermediate_size":32,"rms_norm_eps":1e-5,"rope_theta":150000,"attention_bias":true,"sliding_window":6,"layer_types":["sliding_attention","full_attention","sliding_attention"],"swiglu_limit":7.0,"rope_scaling":{"rope_type":"yarn","factor":32.0,"original_max_position_embeddings":4096,"beta_fast":32.0,"beta_slow":1.0,"truncate":true})"}},
    };
    return all;
}

/// A tensor of this shape whose element (indices) is value(indices).
GoldenTensor made(std::vector<std::uint64_t> shape, const std::function<float(const std::vector<std::size_t>&)>& value)
{
    GoldenTensor tensor{std::move(shape), {}};
    std::vector<std::size_t> at(tensor.shape.size());
    for (;;) {
        tensor.values.push_back(value(at));
        std::size_t dim = at.size();
        while (dim > 0 && ++at[dim - 1] == tensor.shape[dim - 1])
            at[--dim] = 0;
        if (dim == 0)
            return tensor;
    }
}

/// llama.cpp turns neighbouring components of Mixtral's heads, Hugging Face halves of a head: rows 2 i + j and j d / 2 + i.
GoldenTensor asHalves(const GoldenTensor& tensor, std::size_t headDim)
{
    const std::size_t cols = tensor.shape[1];
    return made(tensor.shape, [&](const auto& at) {
        const std::size_t head = at[0] / headDim;
        const std::size_t row = at[0] % headDim;
        const std::size_t from = head * headDim + row % (headDim / 2) * 2 + row / (headDim / 2);
        return tensor.values[from * cols + at[1]];
    });
}

class Writer {
public:
    Writer(const GoldenCase& golden, const Family& family)
        : m_golden(golden)
        , m_family(family)
    {
    }

    Tensors tensors()
    {
        for (const auto& [name, tensor] : m_golden.tensors())
            add(QString::fromStdString(name), tensor);
        return std::move(m_out);
    }

private:
    void add(const QString& gguf, const GoldenTensor& tensor)
    {
        const bool layered = gguf.startsWith("blk.");
        const QString layer = layered ? gguf.section('.', 1, 1) : QString();
        const QString plain = layered ? gguf.section('.', 2) : gguf;
        const QString prefix = layered ? "model.layers." + layer + "." : QString();
        const bool gptOss = qstrcmp(m_family.type, "gpt_oss") == 0;
        if (plain == "attn_k_b.weight")
            return fuse(prefix, tensor, m_golden.tensors().at("blk." + layer.toStdString() + ".attn_v_b.weight"));
        if (plain == "attn_v_b.weight" || (gptOss && plain.startsWith("ffn_up_exps")))
            return;
        if (gptOss && plain.contains("_exps"))
            return stack(prefix, plain, tensor, layer.toStdString());
        for (const Name& name : names)
            if (plain == name.gguf)
                return put(prefix + name.folder, qstrcmp(m_family.type, "mixtral") == 0
                        && (plain == "attn_q.weight" || plain == "attn_k.weight") ? asHalves(tensor, 16) : tensor);
        qFatal("no Hugging Face name for %s", qPrintable(gguf));
    }

    void put(QString name, const GoldenTensor& tensor)
    {
        for (const auto& [part, other] : m_family.renamed)
            name.replace(part, other);
        if (!name.contains('@')) {
            m_out.emplace(name.toStdString(), tensor);
            return;
        }
        const std::size_t experts = tensor.shape.front();
        const std::size_t size = tensor.values.size() / experts;
        for (std::size_t e = 0; e < experts; ++e) {
            const auto from = tensor.values.begin() + static_cast<std::ptrdiff_t>(e * size);
            GoldenTensor one{{tensor.shape.begin() + 1, tensor.shape.end()},
                {from, from + static_cast<std::ptrdiff_t>(size)}};
            m_out.emplace(QString(name).replace("@", QString::number(e)).toStdString(), std::move(one));
        }
    }

    /// kv_b_proj: of each head the rows of its keys, which GGUF has turned, and those of its values.
    void fuse(const QString& prefix, const GoldenTensor& keys, const GoldenTensor& values)
    {
        const std::size_t rank = keys.shape[1];
        const std::size_t plain = keys.shape[2];
        const std::size_t rows = plain + values.shape[1];
        put(prefix + "self_attn.kv_b_proj.weight", made({keys.shape[0] * rows, rank}, [&](const auto& at) {
            const std::size_t head = at[0] / rows;
            const std::size_t row = at[0] % rows;
            return row < plain ? keys.values[(head * rank + at[1]) * plain + row]
                               : values.values[(head * (rows - plain) + row - plain) * rank + at[1]];
        }));
    }

    /// gpt-oss: [experts][in][out], gate and up in turn; biases likewise.
    void stack(const QString& prefix, const QString& plain, const GoldenTensor& tensor, const std::string& layer)
    {
        const bool bias = plain.endsWith("bias");
        const std::size_t rows = tensor.shape[1];
        const std::size_t cols = bias ? 1 : tensor.shape[2];
        const auto element = [&](const GoldenTensor& of, std::size_t e, std::size_t in, std::size_t out) {
            return of.values[(e * rows + out) * cols + in];
        };
        const QString end = bias ? "_bias" : "";
        if (plain.startsWith("ffn_down_exps"))
            return put(prefix + "mlp.experts.down_proj" + end,
                bias ? tensor : made({tensor.shape[0], cols, rows}, [&](const auto& at) {
                    return element(tensor, at[0], at[1], at[2]);
                }));
        const GoldenTensor& up = m_golden.tensors().at("blk." + layer + ".ffn_up_exps." + (bias ? "bias" : "weight"));
        const auto either = [&](std::size_t e, std::size_t in, std::size_t out) {
            return element(out % 2 ? up : tensor, e, in, out / 2);
        };
        put(prefix + "mlp.experts.gate_up_proj" + end,
            bias ? made({tensor.shape[0], 2 * rows}, [&](const auto& at) { return either(at[0], 0, at[1]); })
                 : made({tensor.shape[0], cols, 2 * rows}, [&](const auto& at) { return either(at[0], at[1], at[2]); }));
    }

    const GoldenCase& m_golden;
    const Family& m_family;
    Tensors m_out;
};

QByteArray safetensors(const Tensors& tensors)
{
    QByteArray header = "{";
    QByteArray data;
    for (const auto& [name, tensor] : tensors) {
        QByteArray shape;
        for (const std::uint64_t extent : tensor.shape)
            shape += (shape.isEmpty() ? "" : ",") + QByteArray::number(quint64(extent));
        const auto begin = data.size();
        data.append(reinterpret_cast<const char*>(tensor.values.data()),
            static_cast<qsizetype>(tensor.values.size() * sizeof(float)));
        header += QByteArray(header.size() > 1 ? "," : "") + "\"" + name.c_str() + "\":{\"dtype\":\"F32\",\"shape\":["
            + shape + "],\"data_offsets\":[" + QByteArray::number(begin) + "," + QByteArray::number(data.size()) + "]}";
    }
    header += "}";
    while (header.size() % 8)
        header += ' ';
    const quint64 length = static_cast<quint64>(header.size());
    return QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

bool write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

QString writeHuggingFaceFolder(const GoldenCase& golden, const QString& folder)
{
    std::string name = golden.golden()["name"].toString().toStdString();
    if (name == "deepseek2-lite-kvb-f32")
        name = "deepseek2-lite-f32";
    const auto family = families().find(name);
    if (family == families().end())
        return "no family for " + QString::fromStdString(name);
    const auto number = [&](const char* key) { return QByteArray::number(qulonglong(golden.number(key))); };
    const QByteArray config = QByteArray("{\"model_type\":\"") + family->second.type + "\",\"vocab_size\":"
        + number("n_vocab") + ",\"hidden_size\":" + number("n_embd") + ",\"num_hidden_layers\":" + number("n_layer")
        + ",\"num_attention_heads\":4,\"num_experts_per_tok\":" + number("n_expert_used")
        + ",\"max_position_embeddings\":512,\"hidden_act\":\"silu\",\"tie_word_embeddings\":false,"
        + family->second.config + "}";
    const QByteArray weights = safetensors(Writer(golden, family->second).tensors());
    return write(folder + "/config.json", config) && write(folder + "/model.safetensors", weights)
        ? QString()
        : "cannot write into " + folder;
}

} // namespace colibri::test
