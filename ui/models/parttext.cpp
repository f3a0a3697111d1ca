// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/parttext.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <bit>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(PartText)
};

constexpr std::array<const char*, partKindCount> kindNames{
    QT_TRANSLATE_NOOP("PartText", "Embedding"),
    QT_TRANSLATE_NOOP("PartText", "Attention"),
    QT_TRANSLATE_NOOP("PartText", "Norm"),
    QT_TRANSLATE_NOOP("PartText", "Router"),
    QT_TRANSLATE_NOOP("PartText", "Expert"),
    QT_TRANSLATE_NOOP("PartText", "Shared"),
    QT_TRANSLATE_NOOP("PartText", "Dense"),
    QT_TRANSLATE_NOOP("PartText", "Head"),
    QT_TRANSLATE_NOOP("PartText", "Other"),
};

/// By Origin.
constexpr std::array originNames{
    QT_TRANSLATE_NOOP("PartText", "config key %1"),
    QT_TRANSLATE_NOOP("PartText", "default of the family"),
    QT_TRANSLATE_NOOP("PartText", "given when it was opened"),
    QT_TRANSLATE_NOOP("PartText", "follows from the sizes of the files"),
    QT_TRANSLATE_NOOP("PartText", "follows from the tensors"),
};
static_assert(originNames.size() == std::size_t(Origin::Tensors) + 1);

struct Meaning {
    std::string_view rule;
    const char* text;
};
constexpr Meaning meanings[]{
    {"architecture", QT_TRANSLATE_NOOP("PartText", "Which tensors there are and how they are computed with")},
    {"vocab_size", QT_TRANSLATE_NOOP("PartText", "Token ids, rows of the embedding")},
    {"hidden_size", QT_TRANSLATE_NOOP("PartText", "Components of the stream between the layers")},
    {"output_size", QT_TRANSLATE_NOOP("PartText", "Components of a row of the output")},
    {"num_layers", QT_TRANSLATE_NOOP("PartText", "Layers one after the other")},
    {"dense_layers", QT_TRANSLATE_NOOP("PartText", "First layers, which have no experts")},
    {"num_attention_heads", QT_TRANSLATE_NOOP("PartText", "Query heads of a layer")},
    {"num_key_value_heads", QT_TRANSLATE_NOOP("PartText", "Key and value heads of a layer, shared by query heads")},
    {"head_dim", QT_TRANSLATE_NOOP("PartText", "Components of a head")},
    {"value_head_dim", QT_TRANSLATE_NOOP("PartText", "Components of the values of a head")},
    {"qk_nope_head_dim",
        QT_TRANSLATE_NOOP("PartText", "Components of a head whose pairs rotary positions leave alone")},
    {"q_lora_rank", QT_TRANSLATE_NOOP("PartText", "Components that queries are made from")},
    {"kv_lora_rank",
        QT_TRANSLATE_NOOP("PartText", "Components of the latent vector that keys and values are made from")},
    {"num_experts", QT_TRANSLATE_NOOP("PartText", "Experts of a layer")},
    {"num_active_experts", QT_TRANSLATE_NOOP("PartText", "Experts that a token goes through in a layer")},
    {"moe_intermediate_size", QT_TRANSLATE_NOOP("PartText", "Inner components of an expert")},
    {"shared_experts", QT_TRANSLATE_NOOP("PartText", "Experts that every token goes through, computed as one")},
    {"shared_ffn_size", QT_TRANSLATE_NOOP("PartText", "Inner components of the shared expert")},
    {"intermediate_size", QT_TRANSLATE_NOOP("PartText", "Inner components of the layers without experts")},
    {"max_seq_len", QT_TRANSLATE_NOOP("PartText", "Tokens that a context can hold")},
    {"rms_norm_eps", QT_TRANSLATE_NOOP("PartText", "Added to the mean square before its root is taken")},
    {"rope_theta", QT_TRANSLATE_NOOP("PartText", "Base of the wavelengths of rotary positions")},
    {"rope_pairs", QT_TRANSLATE_NOOP("PartText", "Which components of a head turn together")},
    {"rope_dim", QT_TRANSLATE_NOOP("PartText", "Components of a head that rotary positions turn")},
    {"yarn.factor", QT_TRANSLATE_NOOP("PartText", "How much longer YaRN makes the context")},
    {"yarn.original_context", QT_TRANSLATE_NOOP("PartText", "Tokens of the context that YaRN lengthens")},
    {"yarn.beta_fast", QT_TRANSLATE_NOOP("PartText", "Turns over that context from which wavelengths stay")},
    {"yarn.beta_slow",
        QT_TRANSLATE_NOOP("PartText", "Turns over that context below which wavelengths are stretched in full")},
    {"yarn.truncate", QT_TRANSLATE_NOOP("PartText", "Whether the bounds between the two are whole components")},
    {"yarn.rotation_scale", QT_TRANSLATE_NOOP("PartText", "Multiplies the turned components")},
    {"attention_factor", QT_TRANSLATE_NOOP("PartText", "Multiplies the products of queries and keys")},
    {"sliding_window", QT_TRANSLATE_NOOP("PartText", "Tokens that a layer with a window looks back")},
    {"window_period", QT_TRANSLATE_NOOP("PartText", "Every so many layers one looks back at everything")},
    {"activation", QT_TRANSLATE_NOOP("PartText", "What stands between the matrices of an expert")},
    {"activation_limit", QT_TRANSLATE_NOOP("PartText", "Bounds the inputs of the activation")},
    {"routing.scoring", QT_TRANSLATE_NOOP("PartText", "How router logits become scores")},
    {"routing.order", QT_TRANSLATE_NOOP("PartText", "Scores over all experts before the choice, or over the chosen")},
    {"routing.normalize", QT_TRANSLATE_NOOP("PartText", "Whether chosen weights are divided by their sum")},
    {"routing.weight_sum_floor", QT_TRANSLATE_NOOP("PartText", "The least sum that weights are divided by")},
    {"routing.scale", QT_TRANSLATE_NOOP("PartText", "Multiplies the weights in the end")},
    {"routing.groups", QT_TRANSLATE_NOOP("PartText", "Groups of experts, of which some are chosen before experts are")},
    {"routing.groups_kept", QT_TRANSLATE_NOOP("PartText", "Groups whose experts can be chosen")},
    {"routing.group_score", QT_TRANSLATE_NOOP("PartText", "What a group of experts is chosen by")},
    {"routing.correction_bias",
        QT_TRANSLATE_NOOP("PartText", "Whether a bias is added to the scores that choose, not to the weights")},
    {"add_bos_token", QT_TRANSLATE_NOOP("PartText", "Whether a text gets the begin-of-text token in front")},
    {"sampling.do_sample",
        QT_TRANSLATE_NOOP("PartText", "Whether the files recommend to draw tokens; runs take their own options")},
    {"sampling.temperature", QT_TRANSLATE_NOOP("PartText", "What the files recommend; runs take their own options")},
    {"sampling.top_k", QT_TRANSLATE_NOOP("PartText", "What the files recommend; runs take their own options")},
    {"sampling.top_p", QT_TRANSLATE_NOOP("PartText", "What the files recommend; runs take their own options")},
    {"sampling.min_p", QT_TRANSLATE_NOOP("PartText", "What the files recommend; runs take their own options")},
    {"sampling.repetition_penalty",
        QT_TRANSLATE_NOOP("PartText", "What the files recommend; runs take their own options")},
    {"index", QT_TRANSLATE_NOOP("PartText", "What a row of the routing table stands for")},
    {"table_rows", QT_TRANSLATE_NOOP("PartText", "Rows of the routing table")},
    {"dtype", QT_TRANSLATE_NOOP("PartText", "How the elements of an expert file are stored")},
    {"layout", QT_TRANSLATE_NOOP("PartText", "Which elements of a matrix lie side by side")},
    {"bias", QT_TRANSLATE_NOOP("PartText", "Whether a bias follows the matrix of an expert")},
};

constexpr std::size_t nameLimit = 256; ///< bytes of a name that are shown

/// `text` without its first `count` parts that end in a point.
std::string_view withoutParts(std::string_view text, int count)
{
    for (; count > 0; --count)
        text.remove_prefix(std::min(text.find('.'), text.size() - 1) + 1);
    return text;
}

/// An amount over `tensors` of which `silent` do not tell theirs.
QString partial(const QString& amount, std::uint64_t silent, std::uint64_t tensors)
{
    return silent == 0 ? amount : silent == tensors ? Words::tr("unknown") : QStringLiteral("\u2265 %1").arg(amount);
}

QString exactPartial(const QString& amount, std::uint64_t silent, std::uint64_t tensors)
{
    return silent == 0 || silent == tensors
        ? partial(amount, silent, tensors)
        : Words::tr("at least %1; tensors that do not tell: %2").arg(amount, groupedText(silent));
}

QString dimensionsText(const std::vector<std::uint64_t>& shape, const QString& separator)
{
    QStringList dimensions;
    for (const std::uint64_t dimension : shape)
        dimensions << QString::number(dimension);
    return dimensions.join(separator);
}

} // namespace

QString kindText(PartKind kind)
{
    return Words::tr(kindNames[static_cast<std::size_t>(kind)]);
}

QString partText(const TensorPart& part)
{
    if (part.kind == PartKind::Expert && part.expert < 0)
        return Words::tr("layer %1, all experts").arg(part.layer);
    if (part.kind == PartKind::Expert)
        return Words::tr("layer %1, expert %2").arg(part.layer).arg(part.expert);
    const QString kind = kindText(part.kind).toLower();
    return part.layer < 0 ? kind : Words::tr("layer %1, %2").arg(part.layer).arg(kind);
}

QString displayName(std::string_view name)
{
    const bool cut = name.size() > nameLimit;
    const auto bytes = static_cast<qsizetype>(std::min(name.size(), nameLimit));
    QString text = QString::fromUtf8(name.data(), bytes);
    for (QChar& character : text) {
        if (!character.isPrint() && !character.isSurrogate())
            character = QChar::ReplacementCharacter;
    }
    return cut ? text + u'\u2026' : text;
}

QString shortName(std::string_view name, const TensorPart& part)
{
    if (name.starts_with("blk.")) // GGUF: "blk.N."
        return displayName(withoutParts(name, part.layer >= 0 ? 2 : 0));
    // "model.layers.N." and "mlp.experts.N." are three parts each.
    return displayName(withoutParts(name, part.expert >= 0 ? 6 : part.layer >= 0 ? 3 : 0));
}

QString fileText(const ModelFacts& model, std::uint32_t file)
{
    if (file >= model.files.size())
        return {};
    std::string_view path = model.files[file].path;
    if (path.starts_with(model.path) && path.size() > model.path.size() + 1 && path[model.path.size()] == '/')
        path.remove_prefix(model.path.size() + 1);
    else
        path.remove_prefix(path.rfind('/') + 1); // npos + 1 is 0
    return displayName(path);
}

QString shapeOf(const TensorInfo& tensor)
{
    return tensor.presence == Presence::NameOnly ? Words::tr("unknown") : shapeText(tensor.shape);
}

QString missingText(const TensorInfo& tensor)
{
    switch (tensor.presence) {
    case Presence::NameOnly:
        return Words::tr("unknown");
    case Presence::Absent:
        return Words::tr("all");
    case Presence::Cut:
        return Words::tr("%1 of %2 bytes").arg(groupedText(tensor.missingBytes), groupedText(tensor.size));
    default:
        return {};
    }
}

QString shapeText(const std::vector<std::uint64_t>& shape)
{
    if (shape.empty())
        return Words::tr("scalar");
    return dimensionsText(shape, QStringLiteral(" \u00d7 "));
}

QString exactShape(const std::vector<std::uint64_t>& shape)
{
    return u'[' + dimensionsText(shape, QStringLiteral(", ")) + u']';
}

QString alignmentText(std::uint64_t offset)
{
    const std::uint64_t alignment = alignmentOf(offset);
    return alignment == alignmentLimit ? Words::tr("%1+ B").arg(alignment) : Words::tr("%1 B").arg(alignment);
}

QString exactBytes(std::uint64_t bytes)
{
    return Words::tr("%1 bytes").arg(groupedText(bytes));
}

QString groupedText(std::uint64_t number)
{
    return QLocale().toString(static_cast<qulonglong>(number));
}

QString sizeText(const PartSum& sum)
{
    return partial(bytesText(sum.bytes), sum.sizeless, sum.tensors);
}

QString exactSize(const PartSum& sum)
{
    return exactPartial(exactBytes(sum.bytes), sum.sizeless, sum.tensors);
}

QString parametersText(const PartSum& sum, QString (*amount)(std::uint64_t))
{
    return partial(amount(sum.parameters), sum.shapeless, sum.tensors);
}

QString exactParameters(const PartSum& sum)
{
    return exactPartial(groupedText(sum.parameters), sum.shapeless, sum.tensors);
}

QString countText(std::uint64_t count)
{
    struct Scale {
        double unit;
        const char* letter;
    };
    static constexpr Scale scales[]{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}};
    if (count < 10'000)
        return groupedText(count);
    const auto scale = std::ranges::find_if(scales, [&](const Scale& one) { return double(count) >= one.unit; });
    return QStringLiteral("%1 %2").arg(
        QLocale().toString(double(count) / scale->unit, 'f', 1), QLatin1String(scale->letter));
}

QString originText(const RuleOrigin& rule)
{
    const QString text = Words::tr(originNames[static_cast<std::size_t>(rule.origin)]);
    return rule.origin == Origin::Config ? text.arg(displayName(rule.key)) : text;
}

QString ruleMeaning(std::string_view rule)
{
    const auto found = std::ranges::find(meanings, rule, &Meaning::rule);
    return found == std::end(meanings) ? QString() : Words::tr(found->text);
}

} // namespace colibri
