// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/arrays.h"

#include <algorithm>
#include <cmath>

namespace colibri::test {

QByteArray fileBytes(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

double largestDifference(std::span<const float> a, std::span<const float> b)
{
    if (a.size() != b.size() || a.empty())
        return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (std::isnan(difference))
            return std::numeric_limits<double>::infinity();
        largest = std::max(largest, difference);
    }
    return largest;
}

double crossEntropy(std::span<const float> row, std::uint32_t target)
{
    long double sum = 0;
    for (const float value : row)
        sum += std::exp(static_cast<long double>(value) - static_cast<long double>(row[target]));
    return static_cast<double>(std::log(sum));
}

} // namespace colibri::test
