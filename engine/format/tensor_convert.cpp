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

/// One row of the source, row-major.
struct Row {
    const std::byte* scales = nullptr; ///< int8: f32 [groups]
    const std::byte* elements = nullptr;
};

template <class T>
T loadAs(const std::byte* elements, std::uint64_t index)
{
    T value;
    std::memcpy(&value, elements + index * sizeof(T), sizeof(T));
    return value;
}

template <DType dtype>
float element(const Row& from, std::uint64_t col)
{
    if constexpr (dtype == DType::F32)
        return loadAs<float>(from.elements, col);
    else if constexpr (dtype == DType::F16)
        return f16ToF32(loadAs<std::uint16_t>(from.elements, col));
    else if constexpr (dtype == DType::BF16)
        return bf16ToF32(loadAs<std::uint16_t>(from.elements, col));
    else
        return loadAs<float>(from.scales, col / int8GroupSize)
            * static_cast<float>(loadAs<std::int8_t>(from.elements, col));
}

using LoadFn = void (*)(const Row& from, std::uint64_t col, std::span<float> out);
template <DType dtype>
void load(const Row& from, std::uint64_t col, std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = element<dtype>(from, col + i);
}
constexpr std::array<LoadFn, exportDTypes.size()> loads{
    load<DType::F32>, load<DType::F16>, load<DType::BF16>, load<DType::Int8>};

/// Appends the bytes of `values` to `out`. Returns the index of the first value it cannot hold, or their number.
using EncodeFn = std::size_t (*)(std::span<const float> values, std::vector<std::byte>& out);

/// Where the next `count` bytes go.
std::byte* appended(std::vector<std::byte>& out, std::size_t count)
{
    out.resize(out.size() + count);
    return out.data() + out.size() - count;
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
    std::byte* const to = appended(out, values.size() * sizeof(std::uint16_t));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = round(values[i]);
        if ((half & 0x7FFFu) == infinity && std::isfinite(values[i]))
            return i;
        std::memcpy(to + i * sizeof half, &half, sizeof half);
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
    return forEachGroup(values,
        [&](std::span<const float>, float scale) { std::memcpy(appended(out, sizeof scale), &scale, sizeof scale); });
}

std::size_t encodeQuants(std::span<const float> values, std::vector<std::byte>& out)
{
    return forEachGroup(values, [&](std::span<const float> group, float scale) {
        std::byte* const to = appended(out, group.size());
        for (std::size_t i = 0; i < group.size(); ++i) {
            const float quant = scale > 0.f ? std::nearbyint(group[i] / scale) : 0.f;
            to[i] = static_cast<std::byte>(static_cast<std::int8_t>(std::clamp(quant, -127.f, 127.f)));
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

/// Rows [first, first + count) of a column_major matrix, row-major.
template <class T>
void turnRows(std::span<const std::byte> bytes, const TensorInfo& tensor, std::uint64_t first, std::uint64_t count,
    std::byte* out)
{
    const std::uint64_t rows = tensor.shape.front();
    const std::uint64_t cols = tensor.shape.back();
    for (std::uint64_t col = 0; col < cols; ++col)
        for (std::uint64_t row = 0; row < count; ++row)
            std::memcpy(
                out + (row * cols + col) * sizeof(T), bytes.data() + (col * rows + first + row) * sizeof(T), sizeof(T));
}

/// Turns the matrix; empty where no single element has an address.
GatherFn turning(std::span<const std::byte> bytes, const TensorInfo& tensor)
{
    const auto with = [&](auto turn) -> GatherFn {
        return [bytes, &tensor, turn](std::uint64_t first, std::uint64_t count, std::byte* out) {
            turn(bytes, tensor, first, count, out);
        };
    };
    switch (tensor.dtype == DType::Int8 || tensor.shape.size() != 2 ? 0 : elementBytes(tensor.dtype)) {
    case 1:
        return with(turnRows<std::uint8_t>);
    case 2:
        return with(turnRows<std::uint16_t>);
    case 4:
        return with(turnRows<std::uint32_t>);
    case 8:
        return with(turnRows<std::uint64_t>);
    default:
        return {};
    }
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

/// The rows of a tensor, whatever they come from; dimensions in front of the last count as rows.
class Rows {
public:
    explicit Rows(const ConvertInput& from)
        : m_dtype(from.tensor.dtype)
        , m_cols(from.tensor.shape.empty() ? 1 : from.tensor.shape.back())
        , m_rowBytes(m_cols / traits(m_dtype).blockElements * traits(m_dtype).blockBytes)
        , m_groups((m_cols + int8GroupSize - 1) / int8GroupSize)
        , m_scales(from.bytes.data())
        , m_elements(from.bytes.data() + scaleBytes(m_dtype, from.tensor.shape).value_or(0))
        , m_gather(from.gather)
    {
        for (std::size_t i = 0; i + 1 < from.tensor.shape.size(); ++i)
            m_rows *= from.tensor.shape[i];
        m_blockRows =
            std::clamp<std::uint64_t>(blockBytes / std::max<std::uint64_t>(m_rowBytes, 1), 1, m_rows + !m_rows);
        if (m_gather)
            m_gathered.resize(m_blockRows * m_rowBytes);
    }

    std::uint64_t rows() const { return m_rows; }
    std::uint64_t cols() const { return m_cols; }
    std::uint64_t blockRows() const { return m_blockRows; } ///< that lie side by side, from a multiple of them on

    Row row(std::uint64_t index)
    {
        if (!m_gather)
            return {m_scales + index * m_groups * sizeof(float), m_elements + index * m_rowBytes};
        const std::uint64_t block = index / m_blockRows;
        if (m_block != block)
            m_gather(block * m_blockRows, std::min(m_blockRows, m_rows - block * m_blockRows), m_gathered.data());
        m_block = block;
        return {nullptr, m_gathered.data() + (index - block * m_blockRows) * m_rowBytes};
    }

    /// The bytes of the block that begins with this row.
    std::span<const std::byte> block(std::uint64_t first)
    {
        return {row(first).elements, std::min(m_blockRows, m_rows - first) * m_rowBytes};
    }

private:
    DType m_dtype;
    std::uint64_t m_rows = 1;
    std::uint64_t m_cols;
    std::uint64_t m_rowBytes;
    std::uint64_t m_groups; ///< int8 groups in a row
    const std::byte* m_scales;
    const std::byte* m_elements;
    const GatherFn& m_gather;
    std::uint64_t m_blockRows = 1;
    std::uint64_t m_block = UINT64_MAX; ///< which one was gathered last
    std::vector<std::byte> m_gathered;
};

class Converter {
public:
    Converter(const ConvertInput& from, DType to, const ByteSink& sink, std::stop_token stop)
        : m_from(from)
        , m_rows(from)
        , m_to(to)
        , m_sink(sink)
        , m_stop(std::move(stop))
    {
        m_block.reserve(blockBytes + pieceElements * sizeof(float));
    }

    Result<void> convert()
    {
        if (m_rows.rows() == 0 || m_rows.cols() == 0)
            return {};
        if (m_from.tensor.dtype == m_to)
            return passRows();
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
    Result<void> passRows()
    {
        for (std::uint64_t row = 0; row < m_rows.rows(); row += m_rows.blockRows())
            if (auto done = passBytes(m_rows.block(row), m_sink, m_stop); !done)
                return done;
        return {};
    }

    void load(const Row& row, std::uint64_t col, std::span<float> out) const
    {
        const auto index = static_cast<std::size_t>(m_from.tensor.dtype);
        if (index < loads.size())
            loads[index](row, col, out);
        else
            m_from.decode(m_from.tensor.dtype, row.elements, col, out);
    }

    Result<void> pass(EncodeFn encode)
    {
        std::array<float, pieceElements> values;
        for (std::uint64_t index = 0; index < m_rows.rows(); ++index) {
            const Row row = m_rows.row(index);
            for (std::uint64_t col = 0; col < m_rows.cols(); col += pieceElements) {
                const std::span piece(values.data(), std::min<std::uint64_t>(pieceElements, m_rows.cols() - col));
                load(row, col, piece);
                if (const std::size_t held = encode(piece, m_block); held < piece.size())
                    return cannotHold(m_from.tensor, m_to, index, col + held, piece[held]);
                if (m_block.size() >= blockBytes)
                    if (auto done = flush(); !done)
                        return done;
            }
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

    const ConvertInput& m_from;
    Rows m_rows;
    DType m_to;
    const ByteSink& m_sink;
    std::stop_token m_stop;
    std::vector<std::byte> m_block;
    std::uint64_t m_handedOut = 0;
};

bool converts(const ConvertInput& from, DType to)
{
    const bool loaded = exportDTypeNamed(name(from.tensor.dtype)).has_value();
    return exportDTypeNamed(name(to)) && (loaded || (traits(from.tensor.dtype).computed && from.decode));
}

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

Result<void> convertTensor(const ConvertInput& from, DType to, const ByteSink& sink, std::stop_token stop)
{
    const TensorInfo& tensor = from.tensor;
    const bool turned = !from.gather && tensor.layout == Layout::ColumnMajor;
    if (tensor.dtype == to && !from.gather && !turned)
        return passBytes(from.bytes, sink, std::move(stop));
    const GatherFn turn = turned ? turning(from.bytes, tensor) : GatherFn();
    if ((tensor.dtype != to && !converts(from, to)) || (turned && !turn))
        return Error{Errc::Unsupported, "convert tensor " + tensor.name, {}, {},
            "it is " + std::string(typeName(tensor)) + ", " + std::string(name(tensor.layout)) + ", and is to be "
                + std::string(name(to)) + ", row_major, which this version cannot make of it"};
    return Converter({tensor, from.bytes, turned ? turn : from.gather, from.decode}, to, sink, std::move(stop))
        .convert();
}

} // namespace colibri
