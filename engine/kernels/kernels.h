// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"
#include "types/engine_options.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace colibri {

/// Which weights of an f8 matrix share a scale: those of a block of a grid, whose first row of blocks may begin above
/// the matrix, as it does where the matrix is some rows of a larger one.
struct ScaleGrid {
    std::uint32_t blockRows = 128; ///< at least 1
    std::uint32_t blockCols = 128; ///< at least 1
    std::uint32_t rowsAbove = 0; ///< rows of the grid in front of the matrix's row 0
};

/// A weight matrix where it lies: rows x cols = outputs x inputs. f32, f16, bf16 and int8 at the alignment of their own
/// size, all others at any, row-major, and in whole blocks along a row.
struct Matrix {
    const std::byte* data = nullptr; ///< first element (behind the scales of int8)
    /// int8: [rows][ceil(cols / 32)]; f8, or null: [ceil((rowsAbove + rows) / blockRows)][ceil(cols / blockCols)]
    const float* scales = nullptr;
    DType dtype = DType::F32;
    Layout layout = Layout::RowMajor;
    std::uint32_t rows = 0;
    std::uint32_t cols = 0;
    ScaleGrid grid = {}; ///< of the scales of f8
};

/// How inputs are rounded to 8 bits; which one is a matter of the weights. Groups32: for int8; Blocks32, with scales of
/// f16: for blocks of 32; Blocks256: for blocks of 256.
enum class QuantFormat : std::uint8_t { Groups32, Blocks32, Blocks256 };
inline constexpr std::array quantFormats{QuantFormat::Groups32, QuantFormat::Blocks32, QuantFormat::Blocks256};
constexpr std::uint32_t groupSize(QuantFormat format) ///< inputs that share a scale
{
    return format == QuantFormat::Blocks256 ? 256 : 32;
}
inline constexpr std::uint32_t sumSize = 16; ///< inputs of a sum
/// Of the inputs of weights of a type; none for types that only take f32.
constexpr std::optional<QuantFormat> quantFormatOf(DType dtype)
{
    if (dtype == DType::Int8)
        return QuantFormat::Groups32;
    if (!traits(dtype).computed || traits(dtype).blockElements == 1)
        return std::nullopt;
    return traits(dtype).blockElements == 32 ? QuantFormat::Blocks32 : QuantFormat::Blocks256;
}

/// Rounded rows, null where there are none.
struct RoundedRows {
    const std::int8_t* quants = nullptr; ///< [count][stride]
    const float* scales = nullptr; ///< [count][ceil(cols / groupSize)]
    const std::int16_t* sums = nullptr; ///< [count][ceil(cols / 16)] of 16 quants each, not for Groups32
};

/// Where a rounded row goes.
struct RoundedRow {
    std::int8_t* quants = nullptr;
    float* scales = nullptr;
    std::int16_t* sums = nullptr;
};

/// Input rows of a product. Where the format that the weights ask for is given it replaces `values` (Activations::Q8).
struct Rows {
    const float* values = nullptr; ///< [count][stride]
    std::array<RoundedRows, quantFormats.size()> quantized{}; ///< [format]
    std::uint32_t count = 0;
    std::uint32_t stride = 0; ///< elements from row to row of values and of quants, at least cols

    const RoundedRows& rounded(QuantFormat format) const { return quantized[static_cast<std::size_t>(format)]; }
};

/// One query head of one token against the cached keys and values of one KV head. The positions are those that the
/// token sees: all up to itself, or those of its window.
struct AttendArgs {
    const float* query = nullptr; ///< [headDim], normed and rotated
    const std::byte* keys = nullptr; ///< [positions][headDim] of kv
    const std::byte* values = nullptr; ///< [positions][valueStride] of kv
    KvType kv = KvType::F32;
    std::uint32_t positions = 0; ///< at least 1
    std::uint32_t headDim = 0;
    float scale = 1.f; ///< multiplies query . key
    float* scores = nullptr; ///< scratch, [positions]
    float* out = nullptr; ///< [valueDim]
    std::uint32_t valueDim = headDim; ///< components of a value
    std::uint32_t valueStride = valueDim; ///< elements from value to value
    const float* sink = nullptr; ///< one more score, which takes weight and has no value; null: none
};

/// The kernels of one instruction set. Every entry gives the same bits on every instruction set, for every split of
/// rows over threads and of tokens over batches. The orders of operations are stated in kernels/ORDER.md. Pure
/// functions: they allocate nothing, throw nothing, and write only to their outputs.
struct KernelTable {
    Isa isa = Isa::Scalar;

    /// out[t * outStride + r] = dot(w row r, x row t) for r in [rowBegin, rowEnd) and every t. f32 sums in sixteen
    /// lanes with fused multiply-add; with rounded inputs: exact integer sums in groups or blocks, added in ascending
    /// order.
    void (*matmul)(const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out,
        std::size_t outStride);
    /// The same with products and sums in double, rounded once to f32 (routers); weights as f32 first.
    void (*matmulDouble)(const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out,
        std::size_t outStride);
    /// Rounds a row to int8 in groups, to nearest even, the largest |x| of a group to 127; zeros give scale 0.
    void (*quantizeRow)(QuantFormat format, const float* x, std::uint32_t n, const RoundedRow& out);
    /// out = row `row` of the matrix as f32 (embedding).
    void (*copyRow)(const Matrix& w, std::uint32_t row, float* out);
    /// out[i] = x[i] * (1 / sqrt(mean(x^2) + eps)) * weight[i]; out may be x.
    void (*rmsNorm)(const float* x, const float* weight, float eps, std::uint32_t n, float* out);
    /// Rotates pairs (i, i + n / 2) of a head by angles given as cos and sin [n / 2]. In place.
    void (*rope)(float* head, const float* cosine, const float* sine, std::uint32_t n);
    /// The same for pairs (2 i, 2 i + 1).
    void (*ropeNeighbours)(float* head, const float* cosine, const float* sine, std::uint32_t n);
    /// out[i] = silu(gate[i]) * up[i]; out may be gate.
    void (*swiglu)(const float* gate, const float* up, std::uint32_t n, float* out);
    /// With g = min(gate[i], limit) and u = up[i] clamped to [-limit, limit]: out[i] = g * sigmoid(1.702 g) * (u + 1);
    /// out may be gate.
    void (*clampedSwiglu)(const float* gate, const float* up, float limit, std::uint32_t n, float* out);
    /// acc[i] = fma(x[i], weight, acc[i]).
    void (*addScaled)(float* acc, const float* x, float weight, std::uint32_t n);
    /// acc[i] += x[i].
    void (*add)(float* acc, const float* x, std::uint32_t n);
    /// softmax(scale * query . keys, sink) over values, sums in blocks of 64 positions counted from the first one seen.
    void (*attend)(const AttendArgs& args);
    /// Stores a row into the cache: copies (f32) or rounds to nearest even (f16).
    void (*storeKv)(const float* x, std::uint32_t n, KvType kv, std::byte* out);
    /// out[i] = exp(x[i]), in the engine's own polynomial.
    void (*exponentials)(const float* x, std::uint32_t n, float* out);
    /// Whether all of x is finite.
    bool (*allFinite)(const float* x, std::size_t n);
};

/// Instruction sets this CPU and operating system can run, Scalar first, best last.
std::vector<Isa> availableIsas();
/// The kernels of one of availableIsas(); Auto gives the best. nullptr for one that this machine cannot run.
const KernelTable* kernelTable(Isa isa);

} // namespace colibri
