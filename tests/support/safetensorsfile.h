// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <map>
#include <vector>

namespace colibri::test {

/// A tensor of a safetensors file.
struct StoredTensor {
    QByteArray dtype; ///< as the file calls it: "F32", "F8_E4M3"
    std::vector<std::uint64_t> shape;
    QByteArray bytes;
};
using StoredTensors = std::map<std::string, StoredTensor>;

/// All tensors of a good file; none when it cannot be read.
StoredTensors readSafetensors(const QString& path);
/// Replaces the file.
bool writeSafetensors(const QString& path, const StoredTensors& tensors);

} // namespace colibri::test
