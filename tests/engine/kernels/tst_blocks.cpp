// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/blocks.h"
#include "kernels/tables.h"
#include "types/half.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace colibri;
using samples::Kind;

namespace {

constexpr double half = 0x1p-24; ///< half an ulp of 1 in f32

void typeRows(std::span<const DType> types)
{
    QTest::addColumn<int>("type");
    for (const DType dtype : types)
        QTest::addRow("%s", name(dtype).data()) << int(dtype);
}

std::vector<std::uint32_t> widths(DType dtype)
{
    if (traits(dtype).blockElements == 1)
        return {1, 15, 16, 17, 70, 255, 256, 257, 530};
    if (traits(dtype).blockElements == 256)
        return {256, 512, 1024};
    return {32, 64, 96, 256, 288, 544};
}

std::vector<float> multiplied(const KernelTable& table, decltype(KernelTable::matmul) KernelTable::*kernel,
    const Matrix& w, const Rows& x, std::uint32_t rowStep, std::uint32_t tokenStep)
{
    std::vector<float> out(std::size_t{x.count} * w.rows, -1.f);
    for (std::uint32_t t = 0; t < x.count; t += tokenStep) {
        Rows part = samples::rowsFrom(x, t, w.cols);
        part.count = std::min(tokenStep, part.count);
        for (std::uint32_t r = 0; r < w.rows; r += rowStep)
            (table.*kernel)(w, part, r, std::min(w.rows, r + rowStep), out.data() + std::size_t{t} * w.rows, w.rows);
    }
    return out;
}

std::vector<float> copied(const KernelTable& table, const Matrix& w)
{
    std::vector<float> out(std::size_t{w.rows} * w.cols);
    for (std::uint32_t r = 0; r < w.rows; ++r)
        table.copyRow(w, r, out.data() + std::size_t{r} * w.cols);
    return out;
}

samples::Weights numberWeights(DType dtype, std::uint32_t rows, std::uint32_t cols, unsigned seed, std::size_t offset)
{
    samples::Weights w;
    w.bytes.resize(offset + std::size_t{rows} * cols * traits(dtype).blockBytes);
    std::mt19937 random(seed);
    for (std::byte& byte : w.bytes)
        byte = static_cast<std::byte>(random());
    w.matrix = {w.bytes.data() + offset, nullptr, dtype, Layout::RowMajor, rows, cols};
    return w;
}

samples::Weights anyWeights(DType dtype, std::uint32_t rows, std::uint32_t cols, unsigned seed, Kind kind)
{
    return traits(dtype).blockElements == 1 ? numberWeights(dtype, rows, cols, seed, 3)
                                            : samples::blockWeights(dtype, rows, cols, seed, kind, 1);
}

std::vector<DType> allTypes()
{
    std::vector<DType> types(std::size(samples::blockTypes) + std::size(samples::numberTypes));
    std::ranges::copy(samples::numberTypes, std::ranges::copy(samples::blockTypes, types.begin()).out);
    return types;
}

} // namespace

class TestBlocks : public QObject {
    Q_OBJECT

private slots:
    void weights_data() { typeRows(samples::blockTypes); }
    void weights();
    void numbers();
    void scaledF8_data();
    void scaledF8();
    void products_data() { typeRows(samples::blockTypes); }
    void products();
    void roundedProducts_data() { typeRows(samples::blockTypes); }
    void roundedProducts();
    void extremes_data() { typeRows(samples::blockTypes); }
    void extremes();
    void roundedRows();
    void sameBits_data() { typeRows(allTypes()); }
    void sameBits();
    void splits_data() { typeRows(allTypes()); }
    void splits();
    void bounds_data() { typeRows(allTypes()); }
    void bounds();
};

/// Every weight is what its bits say, with one rounding for each factor and for the sum.
void TestBlocks::weights()
{
    QFETCH(int, type);
    for (const std::uint32_t cols : widths(DType(type))) {
        const samples::Weights w = samples::blockWeights(DType(type), 5, cols, cols);
        const std::vector<float> out = copied(scalarKernels, w.matrix);
        bool negative = false;
        bool positive = false;
        for (std::uint32_t i = 0; i < out.size(); ++i) {
            const samples::ExactWeight exact = samples::exactWeight(w.matrix, i / cols, i % cols);
            QVERIFY(std::fabs(out[i] - exact.value()) <= 3 * half * exact.magnitude());
            negative = negative || out[i] < 0;
            positive = positive || out[i] > 0;
        }
        QVERIFY(negative && positive);
    }
}

void TestBlocks::numbers()
{
    const auto first = [](DType dtype, auto value) {
        const Matrix w{reinterpret_cast<const std::byte*>(&value), nullptr, dtype, Layout::RowMajor, 1, 1};
        return copied(scalarKernels, w)[0];
    };
    QCOMPARE(first(DType::F64, 1.0 / 3), 1.f / 3);
    QCOMPARE(first(DType::F64, 1e300), std::numeric_limits<float>::infinity());
    QCOMPARE(first(DType::I8, std::int8_t{-128}), -128.f);
    QCOMPARE(first(DType::I16, std::int16_t{-32768}), -32768.f);
    QCOMPARE(first(DType::I32, std::int32_t{16777219}), 16777220.f);
    QCOMPARE(first(DType::I64, std::int64_t{-1} << 62), -0x1p62f);
    for (int code = 0; code < 256; ++code) { // Micikevicius et al. 2022: S.EEEE.MMM of bias 7, S.EEEEE.MM of bias 15
        const double sign = code & 128 ? -1 : 1;
        const int e4 = code >> 3 & 15;
        const int m3 = code & 7;
        const float e4m3 = first(DType::F8_E4M3, static_cast<std::uint8_t>(code));
        if (e4 == 15 && m3 == 7)
            QVERIFY(std::isnan(e4m3));
        else
            QCOMPARE(double(e4m3), sign * (e4 ? std::ldexp(8 + m3, e4 - 10) : std::ldexp(m3, -9)));
        const int e5 = code >> 2 & 31;
        const int m2 = code & 3;
        const float e5m2 = first(DType::F8_E5M2, static_cast<std::uint8_t>(code));
        if (e5 == 31)
            QVERIFY(m2 ? std::isnan(e5m2) : std::isinf(e5m2) && (e5m2 < 0) == (sign < 0));
        else
            QCOMPARE(double(e5m2), sign * (e5 ? std::ldexp(4 + m2, e5 - 17) : std::ldexp(m2, -16)));
    }
    const std::array<std::byte, 17> block{std::byte{255}};
    const Matrix w{block.data(), nullptr, DType::MXFP4, Layout::RowMajor, 1, 32};
    QVERIFY(std::isnan(copied(scalarKernels, w)[31])); // the scale that is not a number
}

void TestBlocks::scaledF8_data()
{
    QTest::addColumn<uint>("blockRows");
    QTest::addColumn<uint>("blockCols");
    QTest::addColumn<uint>("rowsAbove");
    QTest::newRow("squares") << 128u << 128u << 0u;
    QTest::newRow("rows of a larger matrix") << 128u << 128u << 100u;
    QTest::newRow("blocks that divide nothing") << 7u << 33u << 5u;
    QTest::newRow("blocks wider than what is decoded at once") << 64u << 270u << 1u;
    QTest::newRow("one for each row") << 1u << 300u << 3u;
    QTest::newRow("one for all") << 1000u << 300u << 870u;
    QTest::newRow("one for each weight") << 1u << 1u << 0u;
}

/// Checkpoints of f8 have a scale for each block of rows and columns.
void TestBlocks::scaledF8()
{
    QFETCH(uint, blockRows);
    QFETCH(uint, blockCols);
    QFETCH(uint, rowsAbove);
    const std::uint32_t perRow = (300 + blockCols - 1) / blockCols;
    for (const DType dtype : {DType::F8_E4M3, DType::F8_E5M2}) {
        const samples::Weights plain = numberWeights(dtype, 130, 300, 1, 0);
        samples::Weights scaled = plain;
        scaled.scales = samples::floats((rowsAbove + 130 + blockRows - 1) / blockRows * perRow, 2);
        scaled.matrix.data = scaled.bytes.data();
        scaled.matrix.scales = scaled.scales.data();
        scaled.matrix.grid = {blockRows, blockCols, rowsAbove};
        const std::vector<float> before = copied(scalarKernels, plain.matrix);
        const std::vector<float> after = copied(scalarKernels, scaled.matrix);
        for (std::uint32_t i = 0; i < after.size(); ++i) {
            const std::uint32_t block = (rowsAbove + i / 300) / blockRows * perRow + i % 300 / blockCols;
            if (const float value = before[i] * scaled.scales[block]; value == value)
                QCOMPARE(after[i], value);
        }
        const samples::Inputs x = samples::inputs(3, 300, 3);
        for (const KernelTable* table : runnableTables()) {
            QVERIFY(samples::sameBits(copied(*table, scaled.matrix), after));
            for (const auto kernel : {&KernelTable::matmul, &KernelTable::matmulDouble})
                QVERIFY(samples::sameBits(multiplied(*table, kernel, scaled.matrix, x.rows, 130, 3),
                    multiplied(scalarKernels, kernel, scaled.matrix, x.rows, 130, 3)));
        }
    }
}

void TestBlocks::products()
{
    QFETCH(int, type);
    for (const std::uint32_t cols : widths(DType(type))) {
        const samples::Weights w = samples::blockWeights(DType(type), 3, cols, cols);
        const samples::Inputs x = samples::inputs(2, cols, cols + 1);
        float single[6];
        float wide[6];
        scalarKernels.matmul(w.matrix, x.rows, 0, 3, single, 3);
        scalarKernels.matmulDouble(w.matrix, x.rows, 0, 3, wide, 3);
        for (std::uint32_t i = 0; i < 6; ++i) {
            double exact = 0;
            double magnitudes = 0;
            for (std::uint32_t c = 0; c < cols; ++c) {
                const samples::ExactWeight weight = samples::exactWeight(w.matrix, i % 3, c);
                const double input = x.values[i / 3 * x.rows.stride + c];
                exact += weight.value() * input;
                magnitudes += weight.magnitude() * std::fabs(input);
            }
            QVERIFY(std::fabs(single[i] - exact) <= (cols / 16 + 9) * half * magnitudes);
            QVERIFY(std::fabs(wide[i] - exact) <= 4 * half * magnitudes);
        }
    }
}

void TestBlocks::roundedProducts()
{
    QFETCH(int, type);
    const QuantFormat format = *quantFormatOf(DType(type));
    for (const std::uint32_t cols : widths(DType(type))) {
        const samples::Weights w = samples::blockWeights(DType(type), 9, cols, cols);
        const samples::Inputs x = samples::inputs(2, cols, cols + 1);
        const samples::Rounded& rounded = x.rounded[static_cast<std::size_t>(format)];
        float out[18];
        scalarKernels.matmul(w.matrix, x.quantized(), 0, 9, out, 9);
        for (std::uint32_t i = 0; i < 18; ++i) {
            double exact = 0;
            double magnitudes = 0;
            for (std::uint32_t c = 0; c < cols; ++c) {
                const samples::ExactWeight weight = samples::exactWeight(w.matrix, i % 9, c);
                const double input = double(rounded.quants[i / 9 * x.rows.stride + c])
                    * rounded.scales[i / 9 * samples::groupsOf(format, cols) + c / groupSize(format)];
                exact += weight.value() * input;
                magnitudes += weight.magnitude() * std::fabs(input);
            }
            QVERIFY(std::fabs(out[i] - exact) <= (2 * cols / groupSize(format) + 4) * half * magnitudes);
        }
    }
}

/// All bits of a block set or clear against the largest inputs: the sums that are closest to saturating an instruction.
void TestBlocks::extremes()
{
    QFETCH(int, type);
    const QuantFormat format = *quantFormatOf(DType(type));
    for (const unsigned fill : {0x00u, 0xFFu, 0x80u, 0x7Fu, 0x88u, 0xF0u}) {
        samples::Weights w = samples::blockWeights(DType(type), 9, 512, 1);
        const samples::HalvesOfBlock halves = samples::halvesOf(DType(type));
        const std::uint32_t bytes = traits(DType(type)).blockBytes;
        for (std::size_t i = 0; i < w.bytes.size(); ++i) {
            const int at = static_cast<int>(i % bytes);
            const auto inside = [at](int from) { return from >= 0 && at >= from && at < from + 2; };
            if (!inside(halves.scale) && !inside(halves.minimum) && !(DType(type) == DType::MXFP4 && at == 0))
                w.bytes[i] = static_cast<std::byte>(fill);
        }
        for (const int sign : {-1, 1}) {
            samples::Inputs x = samples::inputs(1, 512, 2);
            std::ranges::fill(x.values, static_cast<float>(sign));
            samples::Rounded& rounded = x.rounded[static_cast<std::size_t>(format)];
            scalarKernels.quantizeRow(
                format, x.values.data(), 512, {rounded.quants.data(), rounded.scales.data(), rounded.sums.data()});
            QCOMPARE(int(rounded.quants[0]), sign * 127);
            const auto expected = multiplied(scalarKernels, &KernelTable::matmul, w.matrix, x.quantized(), 9, 1);
            for (std::uint32_t r = 0; r < 9; ++r) {
                double exact = 0;
                double magnitudes = 0;
                for (std::uint32_t c = 0; c < 512; ++c) {
                    const samples::ExactWeight weight = samples::exactWeight(w.matrix, r, c);
                    exact += weight.value() * sign;
                    magnitudes += weight.magnitude();
                }
                QVERIFY(std::fabs(expected[r] - exact) <= 0.001 * magnitudes); // the scale of the inputs may be an f16
            }
            for (const KernelTable* table : runnableTables())
                QVERIFY(samples::sameBits(
                    multiplied(*table, &KernelTable::matmul, w.matrix, x.quantized(), 9, 1), expected));
        }
    }
}

void TestBlocks::roundedRows()
{
    for (const QuantFormat format : {QuantFormat::Blocks32, QuantFormat::Blocks256}) {
        const std::uint32_t size = groupSize(format);
        for (const std::uint32_t n : {32u, 256u, 300u, 1024u}) {
            const samples::Inputs x = samples::inputs(1, n, n);
            const samples::Rounded& to = x.rounded[static_cast<std::size_t>(format)];
            for (std::uint32_t i = 0; i < n; ++i) {
                float largest = 0;
                for (std::uint32_t j = i / size * size; j < std::min(n, i / size * size + size); ++j)
                    largest = std::max(largest, std::fabs(x.values[j]));
                const float scale = to.scales[i / size];
                QVERIFY(std::fabs(scale - largest / 127) <= largest / 127 * 0x1p-11f);
                if (format == QuantFormat::Blocks32)
                    QCOMPARE(f16ToF32(f32ToF16(scale)), scale);
                QVERIFY(std::fabs(to.quants[i] - x.values[i] * 127 / largest) <= 0.5001f);
            }
            for (std::uint32_t i = 0; i < n; i += sumSize) {
                int sum = 0;
                for (std::uint32_t j = i; j < std::min(n, i + sumSize); ++j)
                    sum += to.quants[j];
                QCOMPARE(int(to.sums[i / sumSize]), sum);
            }
        }
    }
}

void TestBlocks::sameBits()
{
    QFETCH(int, type);
    for (const std::uint32_t cols : widths(DType(type))) {
        for (const Kind kind : {Kind::Plain, Kind::Special, Kind::Tiny}) {
            const samples::Weights w = anyWeights(DType(type), 1 + cols % 19, cols, cols, kind);
            const samples::Inputs x = samples::inputs(1 + cols % 15, cols, cols + 7, kind);
            for (const KernelTable* table : runnableTables()) {
                const auto same = [&](const auto& compute) {
                    return samples::sameBits(compute(*table), compute(scalarKernels));
                };
                QVERIFY(same([&](const KernelTable& t) { return copied(t, w.matrix); }));
                for (const Rows& rows : {x.rows, x.quantized()})
                    for (const auto kernel : {&KernelTable::matmul, &KernelTable::matmulDouble})
                        QVERIFY2(same([&](const KernelTable& t) {
                            return multiplied(t, kernel, w.matrix, rows, w.matrix.rows, rows.count);
                        }),
                            qPrintable(QString("%1 columns, %2").arg(cols).arg(name(table->isa).data())));
            }
        }
    }
}

void TestBlocks::splits()
{
    QFETCH(int, type);
    const samples::Weights w = anyWeights(DType(type), 21, 512, 3, Kind::Plain);
    const samples::Inputs x = samples::inputs(37, 512, 4); // more tokens than share a decoded block
    for (const auto kernel : {&KernelTable::matmul, &KernelTable::matmulDouble}) {
        for (const Rows& rows : {x.rows, x.quantized()}) {
            const std::vector<float> whole = multiplied(scalarKernels, kernel, w.matrix, rows, 21, 37);
            QVERIFY(samples::wrongNan(whole) < 0);
            for (const KernelTable* table : runnableTables())
                for (const std::uint32_t rowStep : {1u, 5u, 8u, 21u})
                    for (const std::uint32_t tokenStep : {1u, 7u, 37u})
                        QVERIFY(table == &scalarKernels
                            || samples::sameBits(
                                multiplied(*table, kernel, w.matrix, rows, rowStep, tokenStep), whole));
        }
    }
}

/// Weights that end in front of a page that must not be touched.
void TestBlocks::bounds()
{
    QFETCH(int, type);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const samples::Weights w = anyWeights(DType(type), 3, widths(DType(type)).front(), 1, Kind::Plain);
    const std::size_t size = w.bytes.size() - static_cast<std::size_t>(w.matrix.data - w.bytes.data());
    QVERIFY(size <= page);
    auto* const map =
        static_cast<std::byte*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    QCOMPARE(mprotect(map + page, page, PROT_NONE), 0);
    Matrix matrix = w.matrix;
    matrix.data = map + page - size;
    std::memcpy(map + page - size, w.matrix.data, size);
    const samples::Inputs x = samples::inputs(2, matrix.cols, 2);
    for (const KernelTable* table : runnableTables()) {
        QVERIFY(samples::sameBits(copied(*table, matrix), copied(scalarKernels, w.matrix)));
        for (const Rows& rows : {x.rows, x.quantized()})
            multiplied(*table, &KernelTable::matmul, matrix, rows, 3, 2);
    }
    munmap(map, 2 * page);
}

QTEST_GUILESS_MAIN(TestBlocks)
#include "tst_blocks.moc"
