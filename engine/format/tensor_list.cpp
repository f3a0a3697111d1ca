// SPDX-License-Identifier: Apache-2.0
#include "format/tensor_list.h"

#include <iterator>

namespace colibri {

Result<void> sortTensors(ModelSource& source, const std::string& what)
{
    std::ranges::stable_sort(source.tensors, {}, &TensorInfo::name);
    const auto twice = std::ranges::adjacent_find(source.tensors, {}, &TensorInfo::name);
    if (twice == source.tensors.end())
        return {};
    const std::string& first = source.files[twice[0].file]->path();
    const std::string& second = source.files[twice[1].file]->path();
    return Error{Errc::Malformed, what, second, twice[1].offset,
        "tensor " + twice->name + " stands here and in " + first + " at offset " + std::to_string(twice->offset)
            + ", it must stand in one file"};
}

std::string shapeText(std::span<const std::uint64_t> shape)
{
    std::string text = "[";
    for (const std::uint64_t dimension : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
    return text + "]";
}

bool isDamage(Errc code)
{
    constexpr Errc damage[]{Errc::NotFound, Errc::Malformed, Errc::Truncated, Errc::Mismatch, Errc::Unsupported};
    return std::ranges::find(damage, code) != std::end(damage);
}

Result<void> FileCut::finish(std::vector<Error>* refusals)
{
    if (!m_first)
        return {};
    if (m_tensors > 0)
        m_first->why += "; " + (m_tensors > 1 ? std::to_string(m_tensors) + " tensors are cut or missing, " : "")
            + "the whole file has " + std::to_string(m_neededBytes) + " bytes or more";
    if (!refusals)
        return *m_first;
    refusals->push_back(std::move(*m_first));
    return {};
}

std::string unclaimedNote(const std::string& file, std::span<const std::byte> bytes, std::uint64_t begin,
    std::uint64_t end, const std::string& where)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string note = file + " at offset " + std::to_string(begin) + ": " + std::to_string(end - begin) + " bytes "
        + where + " belong to no tensor, they begin with";
    for (const std::byte byte : bytes.subspan(begin, std::min<std::uint64_t>(end - begin, 8)))
        note += {' ', digits[std::to_integer<int>(byte >> 4)], digits[std::to_integer<int>(byte & std::byte{15})]};
    return note;
}

} // namespace colibri
