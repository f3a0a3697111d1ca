// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/samples.h"
#include "types/half.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace colibri;

namespace {

constexpr std::uint32_t sizes[] = {1, 2, 15, 16, 17, 31, 32, 33, 64, 70, 256, 257, 1000};
constexpr DType dtypes[] = {DType::F32, DType::F16, DType::BF16, DType::Int8};
constexpr long double half = 0x1p-24L; ///< half an ulp of 1 in f32

const KernelTable& scalar()
{
    return *kernelTable(Isa::Scalar);
}

/// Bound of a sum of n products in sixteen lanes: n / 16 + 5 roundings of parts of the sum of magnitudes.
long double sumBound(std::uint32_t n, long double magnitudes)
{
    return (n / 16 + 6) * half * magnitudes + 0x1p-149L;
}

void verifyNear(float value, long double exact, long double bound)
{
    QVERIFY2(std::fabs(static_cast<long double>(value) - exact) <= bound,
        qPrintable(QString("%1, exact %2, bound %3").arg(value).arg(double(exact)).arg(double(bound))));
}

} // namespace

/// The scalar kernels against the same formulas in long double, within bounds that follow from the number of roundings.
class TestOracle : public QObject {
    Q_OBJECT

private slots:
    void products();
    void quantizedProducts();
    void quantizedRows();
    void norm();
    void rotation();
    void gated();
    void attention();
    void f16RoundTrip();
    void f16Ties();
    void storedHalves();
};

void TestOracle::products()
{
    for (const DType dtype : dtypes) {
        for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
            for (const std::uint32_t n : sizes) {
                const samples::Weights w = samples::weights(dtype, layout, 3, n, n);
                const samples::Inputs x = samples::inputs(2, n, n + 1);
                float single[6];
                float wide[6];
                scalar().matmul(w.matrix, x.rows, 0, 3, single, 3);
                scalar().matmulDouble(w.matrix, x.rows, 0, 3, wide, 3);
                for (std::size_t i = 0; i < 6; ++i) {
                    long double exact = 0;
                    long double magnitudes = 0;
                    for (std::uint32_t c = 0; c < n; ++c) {
                        const long double term =
                            static_cast<long double>(w.at(i % 3, c)) * x.values[i / 3 * x.rows.stride + c];
                        exact += term;
                        magnitudes += std::fabs(term);
                    }
                    verifyNear(single[i], exact, sumBound(n, magnitudes));
                    verifyNear(wide[i], exact, half * std::fabs(exact) + 1e-14L * magnitudes);
                }
            }
        }
    }
}

void TestOracle::quantizedProducts()
{
    for (const std::uint32_t n : sizes) {
        const samples::Weights w = samples::weights(DType::Int8, Layout::RowMajor, 3, n, n);
        const samples::Inputs x = samples::inputs(1, n, n + 1);
        float out[3];
        scalar().matmul(w.matrix, x.quantized(), 0, 3, out, 3);
        for (std::size_t r = 0; r < 3; ++r) {
            long double exact = 0;
            long double magnitudes = 0;
            for (std::uint32_t begin = 0; begin < n; begin += int8GroupSize) {
                long double group = 0;
                for (std::uint32_t c = begin; c < std::min(n, begin + int8GroupSize); ++c)
                    group +=
                        static_cast<long double>(static_cast<std::int8_t>(w.bytes[r * n + c])) * x.rounded[0].quants[c];
                group *= static_cast<long double>(w.scale(r, begin)) * x.rounded[0].scales[begin / int8GroupSize];
                exact += group;
                magnitudes += std::fabs(group);
            }
            verifyNear(out[r], exact, (n / 32 + 3) * half * magnitudes);
        }
    }
}

void TestOracle::quantizedRows()
{
    for (const std::uint32_t n : sizes) {
        const std::vector<float> x = samples::floats(n, n);
        std::vector<std::int8_t> quants(n);
        std::vector<float> scales((n + 31) / 32);
        scalar().quantizeRow(QuantFormat::Groups32, x.data(), n, {quants.data(), scales.data()});
        for (std::uint32_t i = 0; i < n; ++i) {
            float largest = 0;
            for (std::uint32_t j = i / 32 * 32; j < std::min(n, i / 32 * 32 + 32); ++j)
                largest = std::max(largest, std::fabs(x[j]));
            QCOMPARE(scales[i / 32], largest / 127);
            QVERIFY(std::fabs(quants[i] * scales[i / 32] - x[i]) <= scales[i / 32] * 0.50001f);
            QVERIFY(std::fabs(x[i]) < largest || std::abs(quants[i]) == 127);
        }
    }
    // Ties go to even; zeros have scale 0; a group with an infinity or a NaN becomes a NaN.
    float x[96] = {127.f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f};
    x[64] = std::numeric_limits<float>::infinity();
    std::int8_t quants[96];
    float scales[3];
    scalar().quantizeRow(QuantFormat::Groups32, x, 96, {quants, scales});
    const std::vector<int> expected{127, 0, 2, 2, 0, -2, -2};
    QCOMPARE(std::vector<int>(quants, quants + 7), expected);
    QCOMPARE(scales[0], 1.f);
    QCOMPARE(scales[1], 0.f);
    QCOMPARE(std::bit_cast<std::uint32_t>(scales[2]), 0x7fc00000u);
    QVERIFY(std::all_of(quants + 32, quants + 96, [](int q) { return q == 0; }));
}

void TestOracle::norm()
{
    for (const std::uint32_t n : sizes) {
        const std::vector<float> x = samples::floats(n, n);
        const std::vector<float> weight = samples::floats(n, n + 1);
        std::vector<float> out(n);
        scalar().rmsNorm(x.data(), weight.data(), 1e-6f, n, out.data());
        long double squares = 0;
        for (const float value : x)
            squares += static_cast<long double>(value) * value;
        const long double factor = 1 / std::sqrt(squares / n + 1e-6f);
        for (std::uint32_t i = 0; i < n; ++i) {
            const long double exact = x[i] * factor * weight[i];
            verifyNear(out[i], exact, (n / 32 + 9) * half * std::fabs(exact));
        }
    }
}

void TestOracle::rotation()
{
    for (const std::uint32_t n : {2u, 16u, 34u, 128u}) {
        const std::vector<float> x = samples::floats(n, n);
        const std::vector<float> angle = samples::floats(n / 2, n + 1);
        std::vector<float> cosine(n / 2);
        std::vector<float> sine(n / 2);
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            cosine[i] = std::cos(angle[i]);
            sine[i] = std::sin(angle[i]);
        }
        std::vector<float> out = x;
        scalar().rope(out.data(), cosine.data(), sine.data(), n);
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            const long double a = x[i];
            const long double b = x[i + n / 2];
            const long double bound = 2 * half * (std::fabs(a) + std::fabs(b));
            verifyNear(out[i], a * cosine[i] - b * sine[i], bound);
            verifyNear(out[i + n / 2], b * cosine[i] + a * sine[i], bound);
        }
        out = x;
        scalar().ropeNeighbours(out.data(), cosine.data(), sine.data(), n);
        for (std::uint32_t i = 0; i < n / 2; ++i) {
            const long double a = x[2 * i];
            const long double b = x[2 * i + 1];
            const long double bound = 2 * half * (std::fabs(a) + std::fabs(b));
            verifyNear(out[2 * i], a * cosine[i] - b * sine[i], bound);
            verifyNear(out[2 * i + 1], b * cosine[i] + a * sine[i], bound);
        }
    }
}

void TestOracle::gated()
{
    const std::vector<float> up(1, 1.f);
    for (float gate = -80.f; gate < 90.f; gate += 0.013f) {
        float out = 0;
        scalar().swiglu(&gate, up.data(), 1, &out);
        const long double exact = gate / (1 + std::exp(-static_cast<long double>(gate)));
        verifyNear(out, exact, 4e-7L * std::fabs(exact));
        for (const float linear : {-9.f, -0.3f, 2.f, 7.5f}) {
            scalar().clampedSwiglu(&gate, &linear, 7.f, 1, &out);
            const long double g = std::min(gate, 7.f);
            const long double clamped = g / (1 + std::exp(-1.702L * g)) * (std::clamp(linear, -7.f, 7.f) + 1);
            verifyNear(
                out, clamped, 6e-6L * std::fabs(clamped) + 1e-34L); // exp ends at 89; 1.702 g carries 5e-6 into it
        }
    }
    const std::vector<float> x = samples::floats(70, 1);
    std::vector<float> acc = samples::floats(70, 2);
    const std::vector<float> before = acc;
    scalar().addScaled(acc.data(), x.data(), 0.25f, 70);
    for (std::size_t i = 0; i < 70; ++i)
        verifyNear(acc[i], before[i] + 0.25L * x[i], half * std::fabs(before[i] + 0.25L * x[i]));
    acc = before;
    scalar().add(acc.data(), x.data(), 70);
    for (std::size_t i = 0; i < 70; ++i)
        QCOMPARE(acc[i], before[i] + x[i]);
}

void TestOracle::attention()
{
    for (const KvType kv : {KvType::F32, KvType::F16}) {
        const DType dtype = kv == KvType::F32 ? DType::F32 : DType::F16;
        for (std::uint32_t positions = 1; positions <= 200; ++positions) {
            const std::uint32_t headDim = 8 + positions % 3 * 12;
            const samples::Weights keys = samples::weights(dtype, Layout::RowMajor, positions, headDim, positions);
            const samples::Weights values =
                samples::weights(dtype, Layout::RowMajor, positions, headDim, positions + 1);
            const std::vector<float> query = samples::floats(headDim, positions + 2);
            std::vector<float> scores(positions);
            std::vector<float> out(headDim);
            const float sink = positions % 2 ? 0.8f : -std::numeric_limits<float>::infinity();
            AttendArgs args{query.data(), keys.matrix.data, values.matrix.data, kv, positions, headDim, 0.3f,
                scores.data(), out.data()};
            args.sink = positions % 2 ? &sink : nullptr;
            scalar().attend(args);
            std::vector<long double> p(positions);
            long double largest = -1e30L;
            for (std::uint32_t j = 0; j < positions; ++j) {
                for (std::uint32_t d = 0; d < headDim; ++d)
                    p[j] += static_cast<long double>(query[d]) * keys.at(j, d) * 0.3f;
                largest = std::max(largest, p[j]);
            }
            largest = std::max<long double>(largest, sink);
            long double sum = std::exp(sink - largest);
            for (long double& weight : p)
                sum += weight = std::exp(weight - largest);
            for (std::uint32_t d = 0; d < headDim; ++d) {
                long double exact = 0;
                long double magnitudes = 0;
                for (std::uint32_t j = 0; j < positions; ++j) {
                    exact += p[j] / sum * values.at(j, d);
                    magnitudes += std::fabs(p[j] / sum * values.at(j, d));
                }
                verifyNear(out[d], exact, 8e-6L * magnitudes); // scores of about 20 carry 1e-6 into the exponentials
            }
        }
    }
}

void TestOracle::f16RoundTrip()
{
    for (std::uint32_t i = 0; i < 65536; ++i) {
        const auto bits = static_cast<std::uint16_t>(i);
        const bool nan = (bits & 0x7C00u) == 0x7C00u && (bits & 0x3FFu);
        QCOMPARE(f32ToF16(f16ToF32(bits)), static_cast<std::uint16_t>(nan ? bits | 0x200u : bits));
        const bool brainNan = (bits & 0x7F80u) == 0x7F80u && (bits & 0x7Fu);
        QCOMPARE(f32ToBf16(bf16ToF32(bits)), static_cast<std::uint16_t>(brainNan ? bits | 0x40u : bits));
    }
}

void TestOracle::f16Ties()
{
    // Between every two neighbours: the middle goes to the even one, what lies beside the middle to the nearer one.
    for (std::uint16_t bits = 0; bits < 0x7C00u; ++bits) {
        const double low = f16ToF32(bits);
        const double high =
            bits == 0x7BFFu ? 65536. : static_cast<double>(f16ToF32(static_cast<std::uint16_t>(bits + 1)));
        const auto middle = static_cast<float>((low + high) / 2);
        const auto next = static_cast<std::uint16_t>(bits + 1);
        QCOMPARE(f32ToF16(middle), bits & 1 ? next : bits);
        QCOMPARE(f32ToF16(std::nextafter(middle, 0.f)), bits);
        QCOMPARE(f32ToF16(std::nextafter(middle, 1e9f)), next);
        QCOMPARE(f32ToF16(-middle), static_cast<std::uint16_t>((bits & 1 ? next : bits) | 0x8000u));
    }
}

void TestOracle::storedHalves()
{
    // Every ISA rounds as f32ToF16 does, at all ties and their neighbours.
    std::vector<float> values;
    for (std::uint16_t bits = 0; bits < 0x7C00u; ++bits) {
        const float middle =
            (f16ToF32(bits) + (bits == 0x7BFFu ? 65536.f : f16ToF32(static_cast<std::uint16_t>(bits + 1)))) / 2;
        values.insert(values.end(), {middle, -std::nextafter(middle, 0.f), std::nextafter(middle, 1e9f)});
    }
    for (const Isa isa : availableIsas()) {
        std::vector<std::uint16_t> stored(values.size());
        kernelTable(isa)->storeKv(values.data(), static_cast<std::uint32_t>(values.size()), KvType::F16,
            reinterpret_cast<std::byte*>(stored.data()));
        for (std::size_t i = 0; i < values.size(); ++i)
            QCOMPARE(stored[i], f32ToF16(values[i]));
    }
}

QTEST_APPLESS_MAIN(TestOracle)
#include "tst_oracle.moc"
