// SPDX-License-Identifier: Apache-2.0
#include "support/weightfolder.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace colibri::test {
namespace {

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

/// What a code of f8 means, by the definition of a number of so many bits; NaN and infinities are NaN.
double f8Value(unsigned code, bool e5m2)
{
    const int fractionBits = e5m2 ? 2 : 3;
    const int bias = e5m2 ? 15 : 7;
    const int exponent = int(code & 127) >> fractionBits;
    const int fraction = int(code & 127) & ((1 << fractionBits) - 1);
    if (e5m2 ? exponent == 31 : (code & 127) == 127)
        return NAN;
    const double magnitude = exponent ? std::ldexp((1 << fractionBits) + fraction, exponent - bias - fractionBits)
                                      : std::ldexp(fraction, 1 - bias - fractionBits);
    return code & 128 ? -magnitude : magnitude;
}

/// The code whose value is nearest; the first one of two that are equally near.
unsigned f8Code(double value, bool e5m2)
{
    static const auto values = [] {
        std::array<std::array<double, 256>, 2> all{};
        for (unsigned code = 0; code < 256; ++code)
            all[0][code] = f8Value(code, false), all[1][code] = f8Value(code, true);
        return all;
    }();
    unsigned best = 0;
    double distance = INFINITY;
    for (unsigned code = 0; code < 256; ++code)
        if (const double d = std::fabs(values[e5m2][code] - value); d < distance) {
            best = code;
            distance = d;
        }
    return best;
}

QByteArray scaleBytes(const std::vector<float>& scales, const QByteArray& type)
{
    QByteArray bytes;
    for (const float scale : scales) {
        const auto bits = std::bit_cast<std::uint32_t>(scale);
        const auto upper = static_cast<std::uint16_t>(bits >> 16);
        if (type == "BF16")
            bytes.append(reinterpret_cast<const char*>(&upper), sizeof upper);
        else
            bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    return bytes;
}

/// One tensor becomes f8; the values it then has, and its scales.
class Scaler {
public:
    Scaler(const FolderTensor& tensor, const F8Recipe& recipe)
        : m_recipe(recipe)
        , m_values(tensor.floats())
        , m_experts(tensor.shape.size() == 3 ? tensor.shape.front() : 1)
        , m_rows(tensor.rows() / m_experts)
        , m_cols(tensor.cols())
    {
        const std::size_t blockRows = recipe.blockRows ? recipe.blockRows : m_rows;
        const std::size_t blockCols = recipe.blockCols ? recipe.blockCols : m_cols;
        codes.resize(static_cast<qsizetype>(m_values.size()));
        for (std::size_t e = 0; e < m_experts; ++e)
            for (std::size_t r = 0; r < m_rows; r += blockRows)
                for (std::size_t c = 0; c < m_cols; c += blockCols)
                    block(e, r, std::min(r + blockRows, m_rows), c, std::min(c + blockCols, m_cols));
        shape = {(m_rows + blockRows - 1) / blockRows, (m_cols + blockCols - 1) / blockCols};
        if (recipe.blockRows == 0)
            shape = {1};
        if (recipe.bare)
            shape.pop_back();
        if (tensor.shape.size() == 3)
            shape.insert(shape.begin(), m_experts);
    }

    std::vector<float> scales;
    std::vector<std::uint64_t> shape; ///< of the scales
    QByteArray codes;
    const std::vector<float>& values() const { return m_values; }

private:
    void block(std::size_t e, std::size_t rowBegin, std::size_t rowEnd, std::size_t colBegin, std::size_t colEnd)
    {
        const auto each = [&](auto&& f) {
            for (std::size_t r = rowBegin; r < rowEnd; ++r)
                for (std::size_t c = colBegin; c < colEnd; ++c)
                    f((e * m_rows + r) * m_cols + c);
        };
        double largest = 0;
        each([&](std::size_t i) { largest = std::max(largest, std::fabs(double(m_values[i]))); });
        double scale = largest / (m_recipe.e5m2 ? 57344 : 448);
        if (m_recipe.scaleType == "BF16")
            scale = std::exp2(std::ceil(std::log2(scale)));
        scales.push_back(static_cast<float>(scale));
        each([&](std::size_t i) {
            const unsigned code = f8Code(double(m_values[i]) / double(scales.back()), m_recipe.e5m2);
            codes[static_cast<qsizetype>(i)] = static_cast<char>(code);
            m_values[i] = static_cast<float>(f8Value(code, m_recipe.e5m2)) * scales.back();
        });
    }

    const F8Recipe& m_recipe;
    std::vector<float> m_values;
    std::size_t m_experts, m_rows, m_cols;
};

} // namespace

std::vector<float> FolderTensor::floats() const
{
    std::vector<float> values(static_cast<std::size_t>(bytes.size()) / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

void FolderTensor::setFloats(const std::vector<float>& values)
{
    dtype = "F32";
    bytes =
        QByteArray(reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(values.size() * sizeof(float)));
}

std::size_t FolderTensor::rows() const
{
    std::size_t rows = 1;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i)
        rows *= shape[i];
    return rows;
}

std::size_t FolderTensor::cols() const
{
    return shape.empty() ? 1 : shape.back();
}

WeightFolder WeightFolder::read(const QString& path)
{
    WeightFolder folder;
    folder.config = QJsonDocument::fromJson(contents(path + "/config.json")).object();
    const QByteArray file = contents(path + "/model.safetensors");
    quint64 length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    const qsizetype start = 8 + static_cast<qsizetype>(length);
    const QJsonObject header = QJsonDocument::fromJson(file.mid(8, static_cast<qsizetype>(length))).object();
    for (auto at = header.begin(); at != header.end(); ++at) {
        if (at.key() == "__metadata__")
            continue;
        const QJsonObject entry = at.value().toObject();
        FolderTensor& tensor = folder.tensors[at.key().toStdString()];
        tensor.dtype = entry["dtype"].toString().toUtf8();
        for (const QJsonValue extent : entry["shape"].toArray())
            tensor.shape.push_back(static_cast<std::uint64_t>(extent.toInt()));
        const qsizetype begin = entry["data_offsets"][0].toInt();
        tensor.bytes = file.mid(start + begin, entry["data_offsets"][1].toInt() - begin);
    }
    return folder;
}

QString WeightFolder::write(const QString& path) const
{
    QJsonObject header;
    QByteArray data;
    for (const auto& [name, tensor] : tensors) {
        QJsonArray shape;
        for (const std::uint64_t extent : tensor.shape)
            shape.append(static_cast<qint64>(extent));
        const auto begin = static_cast<qint64>(data.size());
        data += tensor.bytes;
        header[QString::fromStdString(name)] = QJsonObject{{"dtype", QString(tensor.dtype)}, {"shape", shape},
            {"data_offsets", QJsonArray{begin, static_cast<qint64>(data.size())}}};
    }
    QByteArray text = QJsonDocument(header).toJson(QJsonDocument::Compact);
    text.append((8 - text.size() % 8) % 8, ' ');
    const quint64 length = static_cast<quint64>(text.size());
    return put(path + "/config.json", QJsonDocument(config).toJson())
            && put(path + "/model.safetensors",
                QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + text + data)
        ? QString()
        : "cannot write into " + path;
}

void stackExperts(WeightFolder& folder)
{
    static const QRegularExpression name(
        R"(^(model\.layers\.\d+\.)(?:mlp|block_sparse_moe)\.experts\.(\d+)\.(gate_proj|up_proj|down_proj|w1|w3|w2)\.weight$)");
    std::map<std::string, std::map<int, std::array<FolderTensor, 2>>> stacks; // [name][expert] gate and up, or down
    WeightFolder out{folder.config, {}};
    for (const auto& [text, tensor] : folder.tensors) {
        QString plain = QString::fromStdString(text);
        const auto match = name.match(plain);
        if (!match.hasMatch()) {
            out.tensors[plain.replace("block_sparse_moe.gate", "mlp.gate").toStdString()] = tensor;
            continue;
        }
        const QString part = match.captured(3);
        const bool down = part == "down_proj" || part == "w2";
        const bool up = part == "up_proj" || part == "w3";
        stacks[(match.captured(1) + "mlp.experts." + (down ? "down_proj" : "gate_up_proj")).toStdString()]
              [match.captured(2).toInt()][up ? 1 : 0] = tensor;
    }
    for (const auto& [text, experts] : stacks) {
        FolderTensor& stack = out.tensors[text];
        const FolderTensor& first = experts.begin()->second[0];
        const bool both = !experts.begin()->second[1].bytes.isEmpty();
        stack.dtype = first.dtype;
        stack.shape = {experts.size(), first.shape[0] * (both ? 2 : 1), first.shape[1]};
        for (const auto& [expert, parts] : experts)
            stack.bytes += parts[0].bytes + parts[1].bytes;
    }
    folder = std::move(out);
}

WeightFolder toF8(
    WeightFolder& folder, const F8Recipe& recipe, const std::function<bool(const std::string& name)>& chosen)
{
    WeightFolder plain = folder;
    for (auto& [name, tensor] : plain.tensors) {
        if ((tensor.shape.size() != 2 && tensor.shape.size() != 3) || !chosen(name))
            continue;
        const Scaler scaled(tensor, recipe);
        folder.tensors[name] = {recipe.e5m2 ? "F8_E5M2" : "F8_E4M3", tensor.shape, scaled.codes};
        folder.tensors[name + recipe.suffix] = {
            recipe.scaleType, scaled.shape, scaleBytes(scaled.scales, recipe.scaleType)};
        tensor.setFloats(scaled.values());
    }
    return plain;
}

} // namespace colibri::test
