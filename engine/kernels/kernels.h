// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/dtype.h"
#include "types/engine_options.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace colibri {

/// A weight matrix where it lies: rows x cols = outputs x inputs. Any byte alignment of its elements' own size.
struct Matrix {
    const std::byte* data = nullptr; ///< first element (behind the scales of int8)
    const float* scales = nullptr; ///< int8 only: [rows][ceil(cols / 32)]
    DType dtype = DType::F32;
    Layout layout = Layout::RowMajor;
    std::uint32_t rows = 0;
    std::uint32_t cols = 0;
};

/// Input rows of a product. `quants`, when given, replace `values` for int8 matrices (Activations::Q8).
struct Rows {
    const float* values = nullptr; ///< [count][stride]
    const std::int8_t* quants = nullptr; ///< [count][stride], see quantizeRow
    const float* quantScales = nullptr; ///< [count][ceil(cols / 32)]
    std::uint32_t count = 0;
    std::uint32_t stride = 0; ///< elements from row to row of values and of quants, at least cols
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
    /// lanes with fused multiply-add; int8 with quants: exact integer sums in groups of 32, added in ascending order.
    void (*matmul)(const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out,
        std::size_t outStride);
    /// The same with products and sums in double, rounded once to f32 (routers). f32, f16 and bf16 weights.
    void (*matmulDouble)(const Matrix& w, const Rows& x, std::uint32_t rowBegin, std::uint32_t rowEnd, float* out,
        std::size_t outStride);
    /// Rounds a row to int8 in groups of 32: scale = max|x| / 127, q = round to nearest even (x / scale); zeros give
    /// scale 0.
    void (*quantizeRow)(const float* x, std::uint32_t n, std::int8_t* quants, float* scales);
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
