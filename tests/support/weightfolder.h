// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace colibri::test {

/// A tensor of model.safetensors, in the file's own words.
struct FolderTensor {
    QByteArray dtype = "F32";
    std::vector<std::uint64_t> shape;
    QByteArray bytes;

    std::vector<float> floats() const; ///< of F32
    void setFloats(const std::vector<float>& values); ///< as F32
    std::size_t rows() const; ///< all extents but the last one
    std::size_t cols() const;
};

/// A Hugging Face folder with one model.safetensors, to be taken apart and written in another way. The file has to be
/// good. Tensors are written in the order of their names.
struct WeightFolder {
    static WeightFolder read(const QString& path);
    QString write(const QString& path) const; ///< what went wrong, or empty

    QJsonObject config;
    std::map<std::string, FolderTensor> tensors;
};

/// Experts of a layer in one tensor, as transformers 5 has them in memory: "mlp.experts.gate_up_proj" [experts][2
/// rows][cols], gates above, and "mlp.experts.down_proj"; Mixtral's router is then "mlp.gate.weight".
void stackExperts(WeightFolder& folder);

/// How numbers become f8 with scales.
struct F8Recipe {
    bool e5m2 = false;
    std::size_t blockRows = 0; ///< 0: all of a matrix, or of an expert's
    std::size_t blockCols = 0;
    QByteArray scaleType = "F32"; ///< or BF16, whose scales are powers of two here
    std::string suffix = "_scale_inv";
    bool bare = false; ///< one scale has the shape [], those of rows [rows]; else [1] and [rows][1]
};
/// Stores every tensor of two or three dimensions that `chosen` likes as f8 with a tensor of scales. Returns the same
/// folder with the value that each of these weights then has, as F32 and without scales.
WeightFolder toF8(
    WeightFolder& folder, const F8Recipe& recipe, const std::function<bool(const std::string& name)>& chosen);

} // namespace colibri::test
