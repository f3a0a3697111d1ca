// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/colibri_writer.h"
#include "format/model_source.h"
#include "types/dtype.h"

#include <QByteArray>
#include <QString>
#include <QTemporaryDir>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sample {

/// A file with these bytes, also where a read-only one lies. Missing folders are made.
void writeFile(const QString& path, const QByteArray& bytes);
QByteArray readFile(const QString& path);

template <class T>
QByteArray bytesOf(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(values.size() * sizeof(T))};
}

/// `count` values in (-2, 2), the same for the same seed; every 37th is zero.
std::vector<float> values(std::size_t count, std::uint32_t seed);

/// A tensor's bytes as they are stored, row after row, from values in the order of `shape`. Plain code, one value at a
/// time.
QByteArray encode(const std::vector<float>& values, colibri::DType dtype, const std::vector<std::uint64_t>& shape);
/// The inverse; a column_major matrix is decoded into row order.
std::vector<float> decode(std::span<const std::byte> bytes, const colibri::TensorInfo& tensor);

/// A source with 2 layers of 3 experts, odd sizes, a table, sanity entries and a tokenizer, all in one dtype and
/// layout.
class Model {
public:
    explicit Model(colibri::DType dtype, colibri::Layout layout = colibri::Layout::RowMajor);

    colibri::ModelSource source;
    /// Everything of `source` as `dtype`.
    colibri::WriteRequest request(const QString& out, colibri::DType dtype) const;
    QString path(const QString& name) const { return m_folder.filePath(name); }
    std::span<const std::byte> bytes(const colibri::TensorInfo& tensor) const;

private:
    void addTensor(
        const std::string& name, std::vector<std::uint64_t> shape, colibri::DType dtype, colibri::Layout layout);

    QTemporaryDir m_folder;
    QByteArray m_weights;
};

inline constexpr std::uint32_t layers = 2;
inline constexpr std::uint32_t experts = 3;
inline constexpr std::uint32_t rows = 11;

} // namespace sample
