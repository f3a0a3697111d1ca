// SPDX-License-Identifier: Apache-2.0
#include "support/golden.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <cstring>

namespace colibri::test {
namespace {

QJsonObject object(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

template <class T>
std::vector<T> array(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    std::vector<T> values(static_cast<std::size_t>(bytes.size()) / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

/// Reads a good GGUF file front to back.
class Gguf {
public:
    explicit Gguf(const QByteArray& bytes)
        : m_bytes(bytes)
    {
    }

    std::map<std::string, GoldenTensor> tensors()
    {
        skip(8); // magic and version
        const auto count = take<std::uint64_t>();
        const auto keys = take<std::uint64_t>();
        for (std::uint64_t i = 0; i < keys; ++i) {
            text();
            skipValue(take<std::uint32_t>());
        }
        struct Entry {
            std::string name;
            GoldenTensor tensor;
            std::uint64_t offset;
        };
        std::vector<Entry> entries;
        for (std::uint64_t i = 0; i < count; ++i) {
            Entry entry{text(), {}, 0};
            std::vector<std::uint64_t>& shape = entry.tensor.shape;
            shape.resize(take<std::uint32_t>());
            for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent)
                *extent = take<std::uint64_t>();
            const auto type = take<std::uint32_t>();
            entry.offset = take<std::uint64_t>();
            if (type == 0)
                entries.push_back(std::move(entry));
        }
        const std::size_t data = (m_at + 31) / 32 * 32;
        std::map<std::string, GoldenTensor> all;
        for (Entry& entry : entries) {
            std::size_t elements = 1;
            for (const std::uint64_t extent : entry.tensor.shape)
                elements *= extent;
            entry.tensor.values.resize(elements);
            std::memcpy(entry.tensor.values.data(), m_bytes.data() + data + entry.offset, elements * sizeof(float));
            all.emplace(std::move(entry.name), std::move(entry.tensor));
        }
        return all;
    }

private:
    template <class T>
    T take()
    {
        T value;
        std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
        m_at += sizeof value;
        return value;
    }
    void skip(std::size_t bytes) { m_at += bytes; }
    std::string text()
    {
        const auto size = take<std::uint64_t>();
        m_at += size;
        return {m_bytes.data() + m_at - size, size};
    }
    void skipValue(std::uint32_t type)
    {
        constexpr std::size_t sizes[]{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
        if (type == 8) {
            text();
        } else if (type == 9) {
            const auto of = take<std::uint32_t>();
            const auto count = take<std::uint64_t>();
            for (std::uint64_t i = 0; i < count; ++i)
                skipValue(of);
        } else {
            skip(sizes[type]);
        }
    }

    const QByteArray& m_bytes;
    std::size_t m_at = 0;
};

} // namespace

GoldenCase::GoldenCase(const QString& name)
    : m_folder(qEnvironmentVariable("COLIBRI_SHARED") + "/golden/" + name)
    , m_golden(object(m_folder + "/golden.json"))
{
}

QJsonObject GoldenCase::longGolden() const
{
    return object(m_folder + "/golden_long.json");
}

std::size_t GoldenCase::number(const char* key) const
{
    return static_cast<std::size_t>(m_golden[key].toInt());
}

std::vector<float> GoldenCase::floats(const char* name) const
{
    return array<float>(m_folder + "/" + name + ".bin");
}

std::vector<std::int32_t> GoldenCase::ints(const char* name) const
{
    return array<std::int32_t>(m_folder + "/" + name + ".bin");
}

std::vector<float> GoldenCase::bias(std::uint32_t moeLayer) const
{
    const int layer = m_golden["moe_layers"].toArray()[moeLayer].toInt();
    const auto found = tensors().find("blk." + std::to_string(layer) + ".exp_probs_b.bias");
    return found == tensors().end() ? std::vector<float>() : found->second.values;
}

const std::map<std::string, GoldenTensor>& GoldenCase::tensors() const
{
    QFile file(m_folder + "/model.gguf");
    if (m_tensors.empty() && file.open(QIODevice::ReadOnly)) {
        const QByteArray bytes = file.readAll();
        m_tensors = Gguf(bytes).tensors();
    }
    return m_tensors;
}

} // namespace colibri::test
