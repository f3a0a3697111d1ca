// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"

#include "types/half.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace colibri;

namespace sample {
namespace {

constexpr const char* configText = R"({"architecture": "linear_moe", "vocab_size": 11, "hidden_size": 7,
        "num_layers": 2, "num_experts": 3, "num_active_experts": 2, "max_seq_len": 5, "rms_norm_eps": 1e-06,
        "tie_word_embeddings": true, "eos_token_id": [3, 4], "rope_scaling": null,
        "routing": {"scoring": "softmax", "order": "score_then_select", "normalize": true, "scale": 0.1},
        "version": 99, "tensors": "left out"})";

template <class T>
void append(QByteArray& bytes, T value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T at(std::span<const std::byte> bytes, std::size_t index)
{
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

QByteArray encodeInt8(const std::vector<float>& values, std::size_t columns)
{
    QByteArray scales;
    QByteArray quants;
    for (std::size_t row = 0; row < values.size(); row += columns)
        for (std::size_t begin = row; begin < row + columns; begin += 32) {
            const std::size_t end = std::min(begin + 32, row + columns);
            float largest = 0;
            for (std::size_t i = begin; i < end; ++i)
                largest = std::max(largest, std::fabs(values[i]));
            const float scale = largest / 127;
            append(scales, scale);
            for (std::size_t i = begin; i < end; ++i)
                append(quants, static_cast<std::int8_t>(scale > 0 ? std::rint(values[i] / scale) : 0));
        }
    scales.append((64 - scales.size() % 64) % 64, '\0');
    return scales + quants;
}

} // namespace

void writeFile(const QString& path, const QByteArray& bytes)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile::remove(path);
    QFile file(path);
    if (!file.open(QFile::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(path));
}

QByteArray readFile(const QString& path)
{
    QFile file(path);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<float> values(std::size_t count, std::uint32_t seed)
{
    std::vector<float> all(count);
    std::uint32_t state = seed * 2654435761u + 12345u;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        all[i] = i % 37 == 5 ? 0.f : static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-30f;
    }
    return all;
}

QByteArray encode(const std::vector<float>& values, DType dtype, const std::vector<std::uint64_t>& shape)
{
    if (dtype == DType::Int8)
        return encodeInt8(values, shape.back());
    QByteArray bytes;
    for (const float value : values) {
        if (dtype == DType::F32)
            append(bytes, value);
        else
            append(bytes, dtype == DType::F16 ? f32ToF16(value) : f32ToBf16(value));
    }
    return bytes;
}

std::vector<float> decode(std::span<const std::byte> bytes, const TensorInfo& tensor)
{
    const std::size_t columns = tensor.shape.back();
    std::size_t count = 1;
    for (const std::uint64_t dimension : tensor.shape)
        count *= dimension;
    const std::size_t rowCount = count / columns;
    const std::size_t groups = (columns + 31) / 32;
    const std::size_t scaleBytes = tensor.dtype == DType::Int8 ? (rowCount * groups * 4 + 63) / 64 * 64 : 0;
    std::vector<float> values;
    for (std::size_t row = 0; row < rowCount; ++row)
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t i = tensor.layout == Layout::RowMajor ? row * columns + column : column * rowCount + row;
            if (tensor.dtype == DType::F32)
                values.push_back(at<float>(bytes, i));
            else if (tensor.dtype == DType::F16)
                values.push_back(f16ToF32(at<std::uint16_t>(bytes, i)));
            else if (tensor.dtype == DType::BF16)
                values.push_back(bf16ToF32(at<std::uint16_t>(bytes, i)));
            else
                values.push_back(
                    at<float>(bytes, row * groups + column / 32) * at<std::int8_t>(bytes.subspan(scaleBytes), i));
        }
    return values;
}

Model::Model(DType dtype, Layout layout)
{
    addTensor("embed", {11, 7}, dtype, layout);
    addTensor("norm", {7}, dtype, Layout::RowMajor);
    addTensor("stack", {2, 3, 35}, dtype, Layout::RowMajor);
    addTensor("wide", {3, 20000}, dtype, layout);
    for (std::uint32_t layer = 0; layer < layers; ++layer)
        for (std::uint32_t expert = 0; expert < experts; ++expert) {
            const std::string prefix = "layer" + std::to_string(layer) + ".expert" + std::to_string(expert);
            addTensor(prefix + ".weight", {5 + expert, 33}, dtype, layout);
            addTensor(prefix + ".bias", {5 + expert}, dtype, Layout::RowMajor);
        }
    writeFile(path("source/weights.bin"), m_weights);
    std::vector<std::uint16_t> table;
    for (std::uint32_t row = 0; row < layers * rows; ++row)
        table.insert(table.end(), {static_cast<std::uint16_t>(row % 3), static_cast<std::uint16_t>((row + 1) % 3)});
    writeFile(path("source/table.bin"), QByteArray(6, 'x') + bytesOf(table));
    writeFile(path("source/tokenizer.json"), "{\"any\": \"bytes \\u00e4\"}\n");

    source.path = path("source").toStdString();
    source.format = "test";
    source.configFile = path("source/config.json").toStdString();
    for (const char* const name : {"source/weights.bin", "source/table.bin"})
        source.files.push_back(*MappedFile::open(path(name).toStdString()));
    source.tokenizerFile = path("source/tokenizer.json").toStdString();
    source.table = RouterTable{1, 6, layers, rows, 2, TableIndex::Token};
    source.sanity = {{0, 4, {1, 2}}, {1, 10, {0, 1}}};
}

void Model::addTensor(const std::string& name, std::vector<std::uint64_t> shape, DType dtype, Layout layout)
{
    std::size_t count = 1;
    for (const std::uint64_t dimension : shape)
        count *= dimension;
    auto all = values(count, static_cast<std::uint32_t>(source.tensors.size()) + 1);
    if (layout == Layout::ColumnMajor) {
        std::vector<float> turned(count);
        for (std::size_t i = 0; i < count; ++i)
            turned[i % shape[1] * shape[0] + i / shape[1]] = all[i];
        all = std::move(turned);
    }
    const QByteArray bytes = encode(all, dtype, shape);
    source.tensors.push_back({name, 0, static_cast<std::uint64_t>(m_weights.size()),
        static_cast<std::uint64_t>(bytes.size()), dtype, layout, shape, {}});
    m_weights += bytes + QByteArray(3, '?'); // sources promise no alignment
}

std::span<const std::byte> Model::bytes(const TensorInfo& tensor) const
{
    return source.files[tensor.file]->bytes().subspan(tensor.offset, tensor.size);
}

WriteRequest Model::request(const QString& out, DType dtype) const
{
    WriteRequest request;
    request.source = &source;
    request.out = out.toStdString();
    request.config = *parseJson(configText, "config");
    request.options = {{"dtype", std::string(name(dtype))}};
    request.toolVersion = "1.2.3";
    request.time = 1'000'000'000;
    for (const TensorInfo& tensor : source.tensors) {
        const PlannedTensor planned{tensor, tensor.name, dtype, {}};
        const auto dot = tensor.name.find(".expert");
        if (dot == std::string::npos) {
            request.dense.push_back(planned);
            continue;
        }
        const auto layer = static_cast<std::uint32_t>(tensor.name[dot - 1] - '0');
        const auto expert = static_cast<std::uint32_t>(tensor.name[dot + 7] - '0');
        if (request.experts.empty() || request.experts.back().layer != layer || request.experts.back().expert != expert)
            request.experts.push_back({layer, expert, {}});
        request.experts.back().tensors.push_back(planned);
    }
    return request;
}

} // namespace sample
