// SPDX-License-Identifier: Apache-2.0
#include "format/tensor_convert.h"

#include "types/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace colibri {
namespace {

constexpr std::size_t blockBytes = 1u << 20;
constexpr std::size_t pieceElements = 16384; ///< of one row; whole int8 groups
static_assert(pieceElements % int8GroupSize == 0 && pieceElements * sizeof(float) <= blockBytes);

/// The source as a matrix; dimensions in front of the last count as rows.
struct SourceMatrix {
    const std::byte* scales = nullptr; ///< int8: f32 [rows][groups]
    const std::byte* elements = nullptr;
    std::uint64_t rows = 1;
    std::uint64_t cols = 1;
    std::uint64_t rowStride = 1; ///< elements
    std::uint64_t colStride = 1;
    std::uint64_t groups = 1; ///< int8 groups in a row
};

template <class T>
T loadAs(const std::byte* elements, std::uint64_t index)
{
    T value;
    std::memcpy(&value, elements + index * sizeof(T), sizeof(T));
    return value;
}

template <DType dtype>
float element(const SourceMatrix& from, std::uint64_t row, std::uint64_t col)
{
    const std::uint64_t index = row * from.rowStride + col * from.colStride;
    if constexpr (dtype == DType::F32)
        return loadAs<float>(from.elements, index);
    else if constexpr (dtype == DType::F16)
        return f16ToF32(loadAs<std::uint16_t>(from.elements, index));
    else if constexpr (dtype == DType::BF16)
        return bf16ToF32(loadAs<std::uint16_t>(from.elements, index));
    else
        return loadAs<float>(from.scales, row * from.groups + col / int8GroupSize)
            * static_cast<float>(loadAs<std::int8_t>(from.elements, index));
}

using LoadFn = void (*)(const SourceMatrix& from, std::uint64_t row, std::uint64_t col, std::span<float> out);
template <DType dtype>
void load(const SourceMatrix& from, std::uint64_t row, std::uint64_t col, std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = element<dtype>(from, row, col + i);
}
constexpr std::array<LoadFn, exportDTypes.size()> loads{
    load<DType::F32>, load<DType::F16>, load<DType::BF16>, load<DType::Int8>};

/// Appends the bytes of `values` to `out`. Returns the index of the first value it cannot hold, or their number.
using EncodeFn = std::size_t (*)(std::span<const float> values, std::vector<std::byte>& out);

template <class T>
void append(std::vector<std::byte>& out, T value)
{
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

std::size_t encodeF32(std::span<const float> values, std::vector<std::byte>& out)
{
    const auto bytes = std::as_bytes(values);
    out.insert(out.end(), bytes.begin(), bytes.end());
    return values.size();
}

/// Infinities and NaN stay what they are; a finite value that rounds to infinity is refused.
template <std::uint16_t (*round)(float), std::uint16_t infinity>
std::size_t encodeHalf(std::span<const float> values, std::vector<std::byte>& out)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = round(values[i]);
        if ((half & 0x7FFFu) == infinity && std::isfinite(values[i]))
            return i;
        append(out, half);
    }
    return values.size();
}

/// Calls `use` with each group of 32 and its scale, max|w| / 127.
template <class Use>
std::size_t forEachGroup(std::span<const float> values, Use use)
{
    for (std::size_t begin = 0; begin < values.size(); begin += int8GroupSize) {
        const auto group = values.subspan(begin, std::min<std::size_t>(int8GroupSize, values.size() - begin));
        float largest = 0.f;
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (!std::isfinite(group[i]))
                return begin + i;
            largest = std::max(largest, std::abs(group[i]));
        }
        use(group, largest / 127.f);
    }
    return values.size();
}

std::size_t encodeScales(std::span<const float> values, std::vector<std::byte>& out)
{
    return forEachGroup(values, [&](std::span<const float>, float scale) { append(out, scale); });
}

std::size_t encodeQuants(std::span<const float> values, std::vector<std::byte>& out)
{
    return forEachGroup(values, [&](std::span<const float> group, float scale) {
        for (const float value : group) {
            const float quant = scale > 0.f ? std::nearbyint(value / scale) : 0.f;
            append(out, static_cast<std::int8_t>(std::clamp(quant, -127.f, 127.f)));
        }
    });
}

/// Passes over the source that make up a tensor of a dtype, in the order of its bytes.
std::vector<EncodeFn> passesFor(DType to)
{
    switch (to) {
    case DType::F32:
        return {encodeF32};
    case DType::F16:
        return {encodeHalf<f32ToF16, 0x7C00>};
    case DType::BF16:
        return {encodeHalf<f32ToBf16, 0x7F80>};
    case DType::Int8:
        return {encodeScales, encodeQuants};
    default:
        break;
    }
    return {};
}

SourceMatrix matrixOf(const TensorInfo& from, std::span<const std::byte> bytes)
{
    SourceMatrix matrix;
    matrix.cols = from.shape.empty() ? 1 : from.shape.back();
    for (std::size_t i = 0; i + 1 < from.shape.size(); ++i)
        matrix.rows *= from.shape[i];
    const bool columnMajor = from.layout == Layout::ColumnMajor;
    matrix.rowStride = columnMajor ? 1 : matrix.cols;
    matrix.colStride = columnMajor ? matrix.rows : 1;
    matrix.groups = (matrix.cols + int8GroupSize - 1) / int8GroupSize;
    matrix.scales = bytes.data();
    matrix.elements = bytes.data() + scaleBytes(from.dtype, from.shape).value_or(0);
    return matrix;
}

Error cannotHold(const TensorInfo& from, DType to, std::uint64_t row, std::uint64_t col, float value)
{
    std::string place = from.shape.empty() ? "" : std::to_string(col);
    for (std::size_t i = from.shape.size(); i > 1; --i) {
        place = std::to_string(row % from.shape[i - 2]) + ", " + place;
        row /= from.shape[i - 2];
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
    return {Errc::OutOfRange, "convert a tensor", {}, {},
        from.name + "[" + place + "] is " + text.data() + ", which " + std::string(name(to)) + " cannot hold"};
}

class Converter {
public:
    Converter(
        const TensorInfo& from, std::span<const std::byte> bytes, DType to, const ByteSink& sink, std::stop_token stop)
        : m_from(from)
        , m_matrix(matrixOf(from, bytes))
        , m_to(to)
        , m_sink(sink)
        , m_stop(std::move(stop))
    {
        m_block.reserve(blockBytes + pieceElements * sizeof(float));
    }

    Result<void> convert()
    {
        if (m_matrix.rows == 0 || m_matrix.cols == 0)
            return {};
        const auto passes = passesFor(m_to);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            if (auto done = pass(passes[i]); !done)
                return done;
            if (i + 1 < passes.size()) // scales are padded to 64
                m_block.resize(m_block.size() + (64 - (m_handedOut + m_block.size()) % 64) % 64);
            if (auto done = flush(); !done)
                return done;
        }
        return {};
    }

private:
    Result<void> pass(EncodeFn encode)
    {
        std::array<float, pieceElements> values;
        for (std::uint64_t row = 0; row < m_matrix.rows; ++row)
            for (std::uint64_t col = 0; col < m_matrix.cols; col += pieceElements) {
                const std::span piece(values.data(), std::min<std::uint64_t>(pieceElements, m_matrix.cols - col));
                loads[static_cast<std::size_t>(m_from.dtype)](m_matrix, row, col, piece);
                if (const std::size_t held = encode(piece, m_block); held < piece.size())
                    return cannotHold(m_from, m_to, row, col + held, piece[held]);
                if (m_block.size() >= blockBytes)
                    if (auto done = flush(); !done)
                        return done;
            }
        return {};
    }

    Result<void> flush()
    {
        m_handedOut += m_block.size();
        auto done = passBytes(m_block, m_sink, m_stop);
        m_block.clear();
        return done;
    }

    const TensorInfo& m_from;
    SourceMatrix m_matrix;
    DType m_to;
    const ByteSink& m_sink;
    std::stop_token m_stop;
    std::vector<std::byte> m_block;
    std::uint64_t m_handedOut = 0;
};

} // namespace

Result<void> passBytes(std::span<const std::byte> bytes, const ByteSink& sink, std::stop_token stop)
{
    while (!bytes.empty()) {
        if (stop.stop_requested())
            return Error{Errc::Cancelled, "write the export", {}, {}, "stopped"};
        const auto block = bytes.first(std::min(blockBytes, bytes.size()));
        if (auto done = sink(block); !done)
            return done;
        bytes = bytes.subspan(block.size());
    }
    return {};
}

Result<void> convertTensor(
    const TensorInfo& from, std::span<const std::byte> bytes, DType to, const ByteSink& sink, std::stop_token stop)
{
    if (from.dtype == to && from.layout == Layout::RowMajor)
        return passBytes(bytes, sink, std::move(stop));
    for (const DType dtype : {from.dtype, to})
        if (!exportDTypeNamed(name(dtype)))
            return Error{Errc::Unsupported, "convert tensor " + from.name, {}, {},
                "its dtype is to be " + std::string(name(to)) + " and is " + std::string(name(from.dtype))
                    + ", this version converts f32, f16, bf16 and int8"};
    return Converter(from, bytes, to, sink, std::move(stop)).convert();
}

} // namespace colibri
