// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QString>

#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace colibri::test {

/// A file of raw values; empty when it cannot be read or does not hold a whole number of them.
template <class T>
std::vector<T> readArray(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() % sizeof(T) != 0)
        return {};
    const QByteArray bytes = file.readAll();
    std::vector<T> values(static_cast<std::size_t>(bytes.size()) / sizeof(T));
    std::memcpy(values.data(), bytes.data(), static_cast<std::size_t>(bytes.size()));
    return values;
}

QByteArray fileBytes(const QString& path);

/// The largest absolute difference; infinite for different sizes, empty arrays, or a value that is no number.
double largestDifference(std::span<const float> a, std::span<const float> b);

/// -log softmax(row)[target]
double crossEntropy(std::span<const float> row, std::uint32_t target);

} // namespace colibri::test
