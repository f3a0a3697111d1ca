// SPDX-License-Identifier: Apache-2.0
// Speed of every kernel table that runs here. "cached" matrices fit into a second-level cache; "streamed" ones come
// from memory. Weight bytes a second for one token, floating-point operations a second for many.
#include "kernels/tables.h"
#include "types/half.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

using namespace colibri;

namespace {

struct Shape {
    const char* name;
    std::uint32_t rows;
    std::uint32_t cols;
    std::uint32_t tokens;
};

constexpr Shape shapes[] = {{"matvec/cached", 256, 512, 1}, {"matvec/streamed", 16384, 2048, 1},
    {"matmul/7", 768, 512, 7}, {"matmul/64", 768, 512, 64}};

std::vector<std::byte> randomWeights(DType dtype, std::size_t count)
{
    std::vector<std::byte> bytes(count / traits(dtype).blockElements * traits(dtype).blockBytes, std::byte{0x11});
    std::uint32_t state = 1;
    for (std::size_t i = 0; elementBytes(dtype) && i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const float value = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
        const std::uint16_t half = dtype == DType::F16 ? f32ToF16(value) : f32ToBf16(value);
        const void* const from = dtype == DType::F32 ? static_cast<const void*>(&value) : &half;
        std::memcpy(bytes.data() + i * elementBytes(dtype), from, elementBytes(dtype));
    }
    return bytes;
}

void runProduct(benchmark::State& state, const KernelTable* table, DType dtype, bool quantized, bool wide, Shape shape)
{
    const std::size_t groups = shape.cols / int8GroupSize;
    const std::vector<std::byte> bytes = randomWeights(dtype, std::size_t{shape.rows} * shape.cols);
    const std::vector<float> scales(shape.rows * groups, 0.01f);
    const std::vector<float> x(std::size_t{shape.tokens} * shape.cols, 0.5f);
    const std::vector<std::int8_t> quants(x.size(), 77);
    const std::vector<float> quantScales(shape.tokens * groups, 0.01f);
    std::vector<float> out(std::size_t{shape.tokens} * shape.rows);
    const Matrix w{bytes.data(), scales.data(), dtype, Layout::RowMajor, shape.rows, shape.cols};
    const std::vector<std::int16_t> sums(shape.tokens * groups * 2, 77 * 16);
    Rows rows{x.data(), {}, shape.tokens, shape.cols};
    if (quantized)
        rows.quantized.fill({quants.data(), quantScales.data(), sums.data()});
    const auto kernel = wide ? table->matmulDouble : table->matmul;
    for (auto _ : state) {
        kernel(w, rows, 0, shape.rows, out.data(), shape.rows);
        benchmark::DoNotOptimize(out.data());
    }
    const double calls = static_cast<double>(state.iterations());
    const double weightBytes = static_cast<double>(bytes.size() + (dtype == DType::Int8 ? scales.size() * 4 : 0));
    state.counters["weights"] = benchmark::Counter(calls * weightBytes, benchmark::Counter::kIsRate);
    state.counters["flops"] =
        benchmark::Counter(calls * 2.0 * shape.rows * shape.cols * shape.tokens, benchmark::Counter::kIsRate);
}

void runAttend(benchmark::State& state, const KernelTable* table, KvType kv, std::uint32_t positions)
{
    constexpr std::uint32_t headDim = 128;
    const std::vector<std::byte> cache =
        randomWeights(kv == KvType::F32 ? DType::F32 : DType::F16, std::size_t{positions} * headDim);
    const std::vector<float> query(headDim, 0.1f);
    std::vector<float> scores(positions);
    std::vector<float> out(headDim);
    for (auto _ : state) {
        table->attend(
            {query.data(), cache.data(), cache.data(), kv, positions, headDim, 0.1f, scores.data(), out.data()});
        benchmark::DoNotOptimize(out.data());
    }
    const double calls = static_cast<double>(state.iterations());
    state.counters["cache"] =
        benchmark::Counter(calls * 2.0 * static_cast<double>(cache.size()), benchmark::Counter::kIsRate);
}

void runRow(benchmark::State& state, const KernelTable* table, bool exponentials)
{
    constexpr std::uint32_t n = 2048;
    const std::vector<float> x(n, 0.7f);
    std::vector<float> out(n);
    for (auto _ : state) {
        exponentials ? table->exponentials(x.data(), n, out.data())
                     : table->rmsNorm(x.data(), x.data(), 1e-6f, n, out.data());
        benchmark::DoNotOptimize(out.data());
    }
    const double calls = static_cast<double>(state.iterations());
    state.counters["values"] = benchmark::Counter(calls * n, benchmark::Counter::kIsRate);
}

void addAll(const KernelTable* table, const std::string& isa)
{
    struct Type {
        const char* name;
        DType dtype;
        bool quantized;
        bool wide;
    };
    constexpr Type types[] = {{"f32", DType::F32, false, false}, {"f16", DType::F16, false, false},
        {"bf16", DType::BF16, false, false}, {"int8", DType::Int8, false, false}, {"int8xq8", DType::Int8, true, false},
        {"f32double", DType::F32, false, true}, {"q4_0", DType::Q4_0, false, false},
        {"q4_0xq8", DType::Q4_0, true, false}, {"q8_0", DType::Q8_0, false, false},
        {"q8_0xq8", DType::Q8_0, true, false}, {"mxfp4", DType::MXFP4, false, false},
        {"mxfp4xq8", DType::MXFP4, true, false}, {"q4_k", DType::Q4_K, false, false},
        {"q4_kxq8", DType::Q4_K, true, false}, {"q6_k", DType::Q6_K, false, false},
        {"q6_kxq8", DType::Q6_K, true, false}, {"q3_kxq8", DType::Q3_K, true, false},
        {"q5_0xq8", DType::Q5_0, true, false}, {"iq4_xsxq8", DType::IQ4_XS, true, false}};
    for (const Shape& shape : shapes) {
        for (const Type& type : types)
            benchmark::RegisterBenchmark((std::string(shape.name) + "/" + type.name + "/" + isa).c_str(), runProduct,
                table, type.dtype, type.quantized, type.wide, shape);
    }
    for (const KvType kv : {KvType::F32, KvType::F16})
        benchmark::RegisterBenchmark(
            ("attend/500/" + std::string(name(kv)) + "/" + isa).c_str(), runAttend, table, kv, 500u);
    benchmark::RegisterBenchmark(("exponentials/" + isa).c_str(), runRow, table, true);
    benchmark::RegisterBenchmark(("rmsNorm/" + isa).c_str(), runRow, table, false);
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<const KernelTable*> tables = runnableTables();
    for (const KernelTable* table : tables) {
        const bool plain = table == &scalarKernels;
        const bool vnni =
            table->isa == Isa::Avx512 && table == tables.front() && tables.size() > 1 && tables[1]->isa == table->isa;
        addAll(table, std::string(name(table->isa)) + (plain ? "-libm" : vnni ? "-vnni" : ""));
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
