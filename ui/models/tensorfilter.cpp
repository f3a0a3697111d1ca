// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tensorfilter.h"

#include "models/parttext.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <string_view>

namespace colibri {
namespace {

constexpr std::array<char, 256> lowerCase = [] {
    std::array<char, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte)
        table[byte] = static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    return table;
}();

constexpr char lower(char c)
{
    return lowerCase[static_cast<unsigned char>(c)];
}

/// Whether `text` has `word`, which is in lower case and not empty.
bool has(std::string_view text, std::string_view word)
{
    const auto same = [](char a, char b) { return lower(a) == b; };
    for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
        if (lower(text[at]) == word[0]
            && std::equal(word.begin() + 1, word.end(), text.begin() + std::ptrdiff_t(at) + 1,
                [&](char b, char a) { return same(a, b); }))
            return true;
    }
    return false;
}

} // namespace

TensorFilter::TensorFilter(const ModelFacts& model, const QString& text)
    : m_model(&model)
{
    for (const QString& part : text.simplified().split(u' ', Qt::SkipEmptyParts)) {
        Word word;
        word.text = part.toUtf8().toStdString();
        std::ranges::transform(word.text, word.text.begin(), lower);
        for (std::size_t kind = 0; kind < partKindCount; ++kind)
            word.kinds[kind] = has(kindText(static_cast<PartKind>(kind)).toStdString(), word.text);
        for (std::size_t dtype = 0; dtype < std::size_t(dtypeCount); ++dtype)
            word.dtypes[dtype] = has(name(static_cast<DType>(dtype)), word.text);
        for (std::uint32_t file = 0; file < model.files.size(); ++file)
            word.files.push_back(has(fileText(model, file).toStdString(), word.text));
        m_words.push_back(std::move(word));
    }
}

bool TensorFilter::matches(std::uint32_t tensor) const
{
    return std::ranges::all_of(m_words, [&](const Word& word) {
        const TensorInfo& info = m_model->tensors[tensor];
        return word.kinds[static_cast<std::size_t>(m_model->parts[tensor].kind)]
            || word.dtypes[static_cast<std::size_t>(info.dtype)]
            || (info.file < word.files.size() && word.files[info.file]) || has(info.name, word.text);
    });
}

} // namespace colibri
