// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace colibri::test {

/// A tensor of f32 as a GGUF file lists it, with its shape turned: outermost first.
struct GoldenTensor {
    std::vector<std::uint64_t> shape;
    std::vector<float> values;
};

/// One case of COLIBRI_SHARED/golden: arrays, description, and the f32 tensors of its model.gguf.
class GoldenCase {
public:
    explicit GoldenCase(const QString& name);

    bool exists() const { return !m_golden.isEmpty(); }
    const QString& folder() const { return m_folder; }
    const QJsonObject& golden() const { return m_golden; }
    std::string model() const { return (m_folder + "/model.gguf").toStdString(); }
    QJsonObject longGolden() const; ///< golden_long.json, empty without
    std::size_t number(const char* key) const;
    std::vector<float> floats(const char* array) const; ///< of array + ".bin"
    std::vector<std::int32_t> ints(const char* array) const;
    /// Correction of the selection in the MoE layer of this index; empty in families without.
    std::vector<float> bias(std::uint32_t moeLayer) const;
    /// All f32 tensors of model.gguf by name, read by this test's own reader; the file has to be good.
    const std::map<std::string, GoldenTensor>& tensors() const;

private:
    QString m_folder;
    QJsonObject m_golden;
    mutable std::map<std::string, GoldenTensor> m_tensors;
};

} // namespace colibri::test
