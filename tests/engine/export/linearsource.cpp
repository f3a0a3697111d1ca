// SPDX-License-Identifier: Apache-2.0
#include "engine/export/linearsource.h"

#include "format/colibri_writer.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <numeric>

namespace colibri::test {
namespace {

float routerWeight(std::uint32_t layer, std::uint32_t expert, std::uint32_t column)
{
    if (expert == 5) // as expert 2
        expert = 2;
    return static_cast<float>(static_cast<int>((layer * 31 + expert * 17 + column * 5) % 23) - 11) / 16;
}

float expertWeight(std::uint32_t expert, std::uint32_t row, std::uint32_t column)
{
    return static_cast<float>(static_cast<int>((row * 7 + column * 3 + expert) % 11) - 5) / 8;
}

class Weights {
public:
    explicit Weights(const QString& path)
        : m_file(path)
    {
        m_file.open(QIODevice::WriteOnly);
    }

    template <class Value>
    PlannedTensor add(const std::string& name, std::vector<std::uint64_t> shape, const Value& value)
    {
        const std::uint64_t begin = m_size;
        for (std::uint64_t row = 0; row < shape[0]; ++row)
            for (std::uint64_t column = 0; column < shape[1]; ++column) {
                const float number = value(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
                m_size +=
                    static_cast<std::uint64_t>(m_file.write(reinterpret_cast<const char*>(&number), sizeof number));
            }
        const TensorInfo info{name, 0, begin, m_size - begin, DType::F32, Layout::RowMajor, std::move(shape), {}};
        return {info, name, DType::F32};
    }
    void close() { m_file.close(); }

private:
    QFile m_file;
    std::uint64_t m_size = 0;
};

bool writeTable(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    for (std::uint32_t row = 0; row < LinearSource::layers * LinearSource::vocabulary; ++row)
        for (std::uint32_t rank = 0; rank < LinearSource::k; ++rank) {
            const auto expert = static_cast<std::uint16_t>((row + rank) % LinearSource::experts);
            if (file.write(reinterpret_cast<const char*>(&expert), sizeof expert) != sizeof expert)
                return false;
        }
    return true;
}

} // namespace

double LinearSource::rowSum(std::uint32_t layer, std::uint32_t expert)
{
    double sum = 0;
    for (std::uint32_t column = 0; column < hidden; ++column)
        sum += static_cast<double>(routerWeight(layer, expert, column));
    return sum;
}

std::vector<double> LinearSource::logits(std::uint32_t layer, std::uint32_t token)
{
    std::vector<double> all;
    for (std::uint32_t expert = 0; expert < experts; ++expert)
        all.push_back(token * rowSum(layer, expert));
    return all;
}

double LinearSource::outputOf(std::uint32_t expert, std::uint32_t row, std::uint32_t token)
{
    double sum = 0;
    for (std::uint32_t column = 0; column < hidden; ++column)
        sum += static_cast<double>(expertWeight(expert, row, column));
    return sum * token;
}

std::vector<std::uint16_t> LinearSource::best(std::uint32_t layer, std::uint32_t token)
{
    const std::vector<double> all = logits(layer, token);
    std::vector<std::uint16_t> ids(experts);
    std::iota(ids.begin(), ids.end(), std::uint16_t{0});
    std::stable_sort(ids.begin(), ids.end(), [&](std::uint16_t a, std::uint16_t b) { return all[a] > all[b]; });
    ids.resize(k);
    return ids;
}

QString LinearSource::write(const QString& folder) const
{
    const QTemporaryDir place;
    Weights weights(place.filePath("weights"));
    WriteRequest request;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".mlp.";
        if (router)
            request.dense.push_back(weights.add(prefix + "gate.weight", {experts, hidden},
                [layer](std::uint32_t row, std::uint32_t column) { return routerWeight(layer, row, column); }));
        for (std::uint32_t expert = 0; expert < experts; ++expert) {
            const auto value = [&](std::uint32_t row, std::uint32_t column) {
                return expertWeight(expert, row, column);
            };
            request.experts.push_back({layer, expert,
                {weights.add(prefix + "experts." + std::to_string(expert) + ".weight", {output, hidden}, value)}});
        }
    }
    weights.close();
    ModelSource source;
    source.path = place.path().toStdString();
    source.format = "test";
    source.files.push_back(*MappedFile::open(place.filePath("weights").toStdString()));
    if (!router) {
        if (!writeTable(place.filePath("table")))
            return QStringLiteral("the table cannot be written");
        source.files.push_back(*MappedFile::open(place.filePath("table").toStdString()));
        source.table = RouterTable{1, 0, layers, vocabulary, k, TableIndex::Token};
    }
    request.source = &source;
    request.out = folder.toStdString();
    const std::string config = R"({"architecture": "linear_moe", "vocab_size": )" + std::to_string(statedVocabulary)
        + R"(, "hidden_size": 6, "output_size": )" + std::to_string(output)
        + R"(, "num_layers": 1, "num_experts": 7, "num_active_experts": 3, "max_seq_len": 16})";
    request.config = *parseJson(config, "config");
    const auto written = writeColibriExport(request, {}, {});
    return written ? QString() : QString::fromStdString(written.error().message());
}

} // namespace colibri::test
