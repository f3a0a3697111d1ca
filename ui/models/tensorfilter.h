// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"

#include <QString>

#include <bitset>
#include <string>
#include <vector>

namespace colibri {

/// Which tensors a text asks for: every word of it stands in the tensor's name, in the name of its kind (as shown), of
/// its dtype or of its file (as shown). Upper and lower case are the same for letters of ASCII.
class TensorFilter {
public:
    TensorFilter() = default; ///< matches all
    /// `model` outlives the filter.
    TensorFilter(const ModelFacts& model, const QString& text);

    bool matchesAll() const { return m_words.empty(); }
    bool matches(std::uint32_t tensor) const;

private:
    struct Word {
        std::string text; ///< lower case
        std::bitset<partKindCount> kinds; ///< whose name has it
        std::bitset<dtypeCount> dtypes;
        std::vector<bool> files;
    };
    const ModelFacts* m_model = nullptr;
    std::vector<Word> m_words;
};

} // namespace colibri
