// SPDX-License-Identifier: GPL-3.0-or-later
#include "generatedfolder.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtEndian>

namespace {

class Directory {
public:
    void add(const QString& name, const QList<int>& shape)
    {
        qint64 bytes = 4;
        QJsonArray dimensions;
        for (const int dimension : shape) {
            bytes *= dimension;
            dimensions.append(dimension);
        }
        m_tensors[name] =
            QJsonObject{{"dtype", "F32"}, {"shape", dimensions}, {"data_offsets", QJsonArray{m_end, m_end + bytes}}};
        m_end += bytes;
    }
    const QJsonObject& tensors() const { return m_tensors; }
    qint64 end() const { return m_end; }

private:
    QJsonObject m_tensors;
    qint64 m_end = 0;
};

Directory tensorsOf(const GeneratedModel& m)
{
    Directory directory;
    directory.add("model.embed_tokens.weight", {m.vocabulary, m.hidden});
    directory.add("model.norm.weight", {m.hidden});
    directory.add("lm_head.weight", {m.vocabulary, m.hidden});
    for (int layer = 0; layer < m.layers; ++layer) {
        const QString prefix = QStringLiteral("model.layers.%1.").arg(layer);
        directory.add(prefix + "input_layernorm.weight", {m.hidden});
        directory.add(prefix + "post_attention_layernorm.weight", {m.hidden});
        directory.add(prefix + "self_attn.q_proj.weight", {m.heads * m.headDim, m.hidden});
        directory.add(prefix + "self_attn.k_proj.weight", {m.kvHeads * m.headDim, m.hidden});
        directory.add(prefix + "self_attn.v_proj.weight", {m.kvHeads * m.headDim, m.hidden});
        directory.add(prefix + "self_attn.o_proj.weight", {m.hidden, m.heads * m.headDim});
        directory.add(prefix + "self_attn.q_norm.weight", {m.headDim});
        directory.add(prefix + "self_attn.k_norm.weight", {m.headDim});
        directory.add(prefix + "mlp.gate.weight", {m.experts, m.hidden});
        for (int expert = 0; expert < m.experts; ++expert) {
            const QString blob = prefix + QStringLiteral("mlp.experts.%1.").arg(expert);
            directory.add(blob + "gate_proj.weight", {m.ffn, m.hidden});
            directory.add(blob + "up_proj.weight", {m.ffn, m.hidden});
            directory.add(blob + "down_proj.weight", {m.hidden, m.ffn});
        }
    }
    return directory;
}

QJsonObject configOf(const GeneratedModel& m)
{
    return {{"architectures", QJsonArray{"Qwen3MoeForCausalLM"}}, {"model_type", "qwen3_moe"},
        {"vocab_size", m.vocabulary}, {"hidden_size", m.hidden}, {"num_hidden_layers", m.layers},
        {"num_attention_heads", m.heads}, {"num_key_value_heads", m.kvHeads}, {"head_dim", m.headDim},
        {"num_experts", m.experts}, {"num_experts_per_tok", m.activeExperts}, {"moe_intermediate_size", m.ffn},
        {"intermediate_size", m.ffn}, {"rope_theta", 1000000.0}, {"rms_norm_eps", 1e-6},
        {"max_position_embeddings", m.context}, {"hidden_act", "silu"}, {"norm_topk_prob", true},
        {"decoder_sparse_step", 1}, {"mlp_only_layers", QJsonArray{}}, {"tie_word_embeddings", false},
        {"attention_bias", false}, {"torch_dtype", "float32"}};
}

bool writeFile(const QString& path, const QByteArray& content, qint64 size)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.resize(size);
}

} // namespace

qint64 writeGeneratedFolder(const QString& folder, const GeneratedModel& model)
{
    const Directory directory = tensorsOf(model);
    QByteArray header = QJsonDocument(directory.tensors()).toJson(QJsonDocument::Compact);
    header.append(QByteArray((8 - header.size() % 8) % 8, ' '));
    QByteArray length(8, '\0');
    qToLittleEndian<quint64>(quint64(header.size()), length.data());
    const qint64 size = 8 + header.size() + directory.end();
    const QByteArray config = QJsonDocument(configOf(model)).toJson();
    const bool written = QDir().mkpath(folder) && writeFile(folder + "/config.json", config, config.size())
        && writeFile(folder + "/model.safetensors", length + header, size);
    return written ? size : 0;
}
