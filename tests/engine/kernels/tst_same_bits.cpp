// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/samples.h"
#include "kernels/tables.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

using namespace colibri;
using samples::Kind;

namespace {

std::vector<std::uint32_t> sizes()
{
    std::vector<std::uint32_t> all(70);
    std::iota(all.begin(), all.end(), 1u);
    all.insert(all.end(), {256, 257, 1000});
    return all;
}

constexpr DType dtypes[] = {DType::F32, DType::F16, DType::BF16, DType::Int8};
constexpr Kind kinds[] = {Kind::Plain, Kind::Special, Kind::Tiny};

std::vector<float> product(const KernelTable& table, decltype(KernelTable::matmul) KernelTable::*kernel,
    const Matrix& w, const Rows& x, std::uint32_t rowStep = 0, std::uint32_t tokenStep = 0)
{
    std::vector<float> out(std::size_t{x.count} * w.rows, -1.f);
    for (std::uint32_t t = 0; t < x.count; t += tokenStep ? tokenStep : x.count) {
        Rows part = samples::rowsFrom(x, t, w.cols);
        part.count = tokenStep ? std::min(tokenStep, part.count) : part.count;
        for (std::uint32_t r = 0; r < w.rows; r += rowStep ? rowStep : w.rows)
            (table.*kernel)(w, part, r, rowStep ? std::min(w.rows, r + rowStep) : w.rows,
                out.data() + std::size_t{t} * w.rows, w.rows);
    }
    return out;
}

/// Calls compare(table) for every table that runs here; compare returns what is to be equal on all.
void sameOnAll(const std::function<std::vector<float>(const KernelTable&)>& compute, const char* what, std::uint32_t n)
{
    const std::vector<float> expected = compute(scalarKernels);
    QVERIFY2(
        samples::wrongNan(expected) < 0, qPrintable(QString("%1 %2: a NaN that is not canonical").arg(what).arg(n)));
    for (const KernelTable* table : runnableTables())
        QVERIFY2(samples::sameBits(compute(*table), expected),
            qPrintable(QString("%1, n = %2, %3").arg(what).arg(n).arg(QString::fromUtf8(name(table->isa)))));
}

} // namespace

class TestSameBits : public QObject {
    Q_OBJECT

private slots:
    void tables();
    void products_data();
    void products();
    void splits();
    void quantizedRows();
    void quantExtremes();
    void copies();
    void rowFunctions_data();
    void rowFunctions();
    void attention_data();
    void attention();
    void halves();
    void finite();
};

void TestSameBits::tables()
{
    const std::vector<Isa> isas = availableIsas();
    QVERIFY(!isas.empty());
    QCOMPARE(isas.front(), Isa::Scalar);
    QCOMPARE(kernelTable(Isa::Auto)->isa, isas.back());
    for (const Isa isa : {Isa::Scalar, Isa::Avx2, Isa::Avx512}) {
        const bool listed = std::find(isas.begin(), isas.end(), isa) != isas.end();
        QCOMPARE(kernelTable(isa) != nullptr, listed);
        QVERIFY(!listed || kernelTable(isa)->isa == isa);
    }
    for (const KernelTable* table : runnableTables())
        qInfo("%s", std::string(name(table->isa)).c_str());
}

void TestSameBits::products_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("layout");
    for (const DType dtype : dtypes) {
        for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor})
            QTest::addRow("%s %s", name(dtype).data(), name(layout).data()) << int(dtype) << int(layout);
    }
}

void TestSameBits::products()
{
    QFETCH(int, dtype);
    QFETCH(int, layout);
    for (const std::uint32_t n : sizes()) {
        for (const Kind kind : kinds) {
            const std::uint32_t rows = 1 + n % 19;
            const samples::Weights w = samples::weights(DType(dtype), Layout(layout), rows, n, n, kind, 1);
            const samples::Inputs x = samples::inputs(1 + n % 15, n, n + 7, kind);
            sameOnAll(
                [&](const KernelTable& t) { return product(t, &KernelTable::matmul, w.matrix, x.rows); }, "matmul", n);
            sameOnAll([&](const KernelTable& t) { return product(t, &KernelTable::matmulDouble, w.matrix, x.rows); },
                "matmulDouble", n);
            sameOnAll([&](const KernelTable& t) { return product(t, &KernelTable::matmul, w.matrix, x.quantized()); },
                "matmul quantized", n);
        }
    }
}

void TestSameBits::splits()
{
    for (const DType dtype : dtypes) {
        for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
            const samples::Weights w = samples::weights(dtype, layout, 37, 77, 3);
            const samples::Inputs x = samples::inputs(29, 77, 4);
            for (const auto kernel : {&KernelTable::matmul, &KernelTable::matmulDouble}) {
                for (const Rows& rows : {x.rows, x.quantized()}) {
                    const std::vector<float> whole = product(scalarKernels, kernel, w.matrix, rows);
                    for (const KernelTable* table : runnableTables()) {
                        for (const std::uint32_t rowStep : {1u, 2u, 3u, 5u, 8u, 16u, 37u}) {
                            for (const std::uint32_t tokenStep : {1u, 2u, 4u, 5u, 7u, 12u, 29u})
                                QVERIFY(samples::sameBits(
                                    product(*table, kernel, w.matrix, rows, rowStep, tokenStep), whole));
                        }
                    }
                }
            }
        }
    }
    // More tokens than go into one block of the second-level cache.
    const samples::Weights w = samples::weights(DType::BF16, Layout::RowMajor, 9, 4099, 5);
    const samples::Inputs x = samples::inputs(41, 4099, 6);
    sameOnAll([&](const KernelTable& t) { return product(t, &KernelTable::matmul, w.matrix, x.rows); }, "blocks", 4099);
}

void TestSameBits::quantizedRows()
{
    for (const std::uint32_t n : sizes()) {
        for (const Kind kind : kinds) {
            std::vector<float> x = samples::floats(n, n, kind);
            if (kind == Kind::Tiny) {
                for (float& value : x)
                    value *= 1e-20f; // scales that underflow
            }
            for (const QuantFormat format : quantFormats) {
                sameOnAll(
                    [&](const KernelTable& t) {
                        std::vector<std::int8_t> quants(n, 99);
                        std::vector<std::int16_t> sums((n + sumSize - 1) / sumSize, 99);
                        std::vector<float> result(samples::groupsOf(format, n));
                        t.quantizeRow(format, x.data(), n, {quants.data(), result.data(), sums.data()});
                        result.insert(result.end(), quants.begin(), quants.end());
                        result.insert(result.end(), sums.begin(), sums.end());
                        return result;
                    },
                    "quantizeRow", n);
            }
        }
    }
}

void TestSameBits::quantExtremes()
{
    // All 256 weights against the largest inputs: the sums that are closest to saturating an instruction.
    for (const std::uint32_t cols : {32u, 31u, 96u}) {
        for (const int weight : {-128, -127, 127}) {
            for (const int input : {-127, 127}) {
                const std::vector<std::int8_t> weights(cols * 9, static_cast<std::int8_t>(weight));
                const std::vector<std::int8_t> quants(cols, static_cast<std::int8_t>(input));
                const std::vector<float> ones(9 * 3, 1.f);
                const Matrix w{reinterpret_cast<const std::byte*>(weights.data()), ones.data(), DType::Int8,
                    Layout::RowMajor, 9, cols};
                const Rows x{nullptr, {RoundedRows{quants.data(), ones.data(), nullptr}}, 1, cols};
                for (const KernelTable* table : runnableTables())
                    QCOMPARE(product(*table, &KernelTable::matmul, w, x),
                        std::vector<float>(9, static_cast<float>(int(cols) * weight * input)));
            }
        }
    }
}

void TestSameBits::copies()
{
    for (const DType dtype : dtypes) {
        for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor}) {
            for (const std::uint32_t n : sizes()) {
                const samples::Weights w = samples::weights(dtype, layout, 3, n, n, Kind::Special, 1);
                sameOnAll(
                    [&](const KernelTable& t) {
                        std::vector<float> out(3 * n);
                        for (std::uint32_t r = 0; r < 3; ++r)
                            t.copyRow(w.matrix, r, out.data() + r * n);
                        return out;
                    },
                    "copyRow", n);
            }
        }
    }
}

void TestSameBits::rowFunctions_data()
{
    QTest::addColumn<int>("kind");
    QTest::addRow("plain") << int(Kind::Plain);
    QTest::addRow("special") << int(Kind::Special);
    QTest::addRow("tiny") << int(Kind::Tiny);
}

void TestSameBits::rowFunctions()
{
    QFETCH(int, kind);
    for (const std::uint32_t n : sizes()) {
        const std::vector<float> a = samples::floats(n, n, Kind(kind));
        const std::vector<float> b = samples::floats(n, n + 1, Kind(kind));
        const auto inPlace = [&](auto call) {
            return [&, call](const KernelTable& t) {
                std::vector<float> out = a;
                call(t, out.data());
                return out;
            };
        };
        sameOnAll(inPlace([&](auto& t, float* out) { t.rmsNorm(out, b.data(), 1e-6f, n, out); }), "rmsNorm", n);
        if (n % 2 == 0)
            sameOnAll(inPlace([&](auto& t, float* out) { t.rope(out, b.data(), b.data() + n / 2, n); }), "rope", n);
        if (n % 2 == 0)
            sameOnAll(inPlace([&](auto& t, float* out) { t.ropeNeighbours(out, b.data(), b.data() + n / 2, n); }),
                "ropeNeighbours", n);
        sameOnAll(inPlace([&](auto& t, float* out) { t.swiglu(out, b.data(), n, out); }), "swiglu", n);
        sameOnAll(
            inPlace([&](auto& t, float* out) { t.clampedSwiglu(out, b.data(), 1.25f, n, out); }), "clampedSwiglu", n);
        sameOnAll(inPlace([&](auto& t, float* out) { t.addScaled(out, b.data(), 0.37f, n); }), "addScaled", n);
        sameOnAll(inPlace([&](auto& t, float* out) { t.add(out, b.data(), n); }), "add", n);
        sameOnAll(inPlace([&](auto& t, float* out) { t.exponentials(out, n, out); }), "exponentials", n);
        for (const KvType kv : {KvType::F32, KvType::F16}) {
            const auto store = [&](const KernelTable& t) {
                std::vector<float> out(n + 1);
                t.storeKv(a.data(), n, kv, reinterpret_cast<std::byte*>(out.data()));
                return out;
            };
            const std::vector<float> expected = store(scalarKernels); // f16 pairs are no floats: no look at NaNs
            for (const KernelTable* table : runnableTables())
                QVERIFY2(samples::sameBits(store(*table), expected), qPrintable(QString("storeKv %1").arg(n)));
        }
    }
}

void TestSameBits::attention_data()
{
    QTest::addColumn<int>("kv");
    QTest::addRow("f32") << int(KvType::F32);
    QTest::addRow("f16") << int(KvType::F16);
}

void TestSameBits::attention()
{
    QFETCH(int, kv);
    const DType dtype = KvType(kv) == KvType::F32 ? DType::F32 : DType::F16;
    constexpr std::uint32_t heads[] = {128, 64, 40, 33, 16, 7, 200};
    for (std::uint32_t positions = 1; positions <= 200; ++positions) {
        const std::uint32_t headDim = heads[positions % std::size(heads)];
        for (const Kind kind : {Kind::Plain, positions % 5 ? Kind::Tiny : Kind::Special}) {
            const samples::Weights keys =
                samples::weights(dtype, Layout::RowMajor, positions, headDim, positions, kind);
            const samples::Weights values =
                samples::weights(dtype, Layout::RowMajor, positions, headDim, positions + 1, kind);
            const std::vector<float> query = samples::floats(headDim, positions + 2);
            sameOnAll(
                [&](const KernelTable& t) {
                    std::vector<float> scores(positions);
                    std::vector<float> out(headDim);
                    t.attend({query.data(), keys.matrix.data, values.matrix.data, KvType(kv), positions, headDim, 0.3f,
                        scores.data(), out.data()});
                    return out;
                },
                "attend", positions);
            // Values that are the first part of the keys, and a sink.
            const std::uint32_t valueDim = 1 + headDim / 2;
            const float sink = query[0];
            sameOnAll(
                [&](const KernelTable& t) {
                    std::vector<float> scores(positions);
                    std::vector<float> out(valueDim);
                    t.attend({query.data(), keys.matrix.data, keys.matrix.data, KvType(kv), positions, headDim, 0.3f,
                        scores.data(), out.data(), valueDim, headDim, &sink});
                    return out;
                },
                "attend with a sink", positions);
        }
    }
}

void TestSameBits::halves()
{
    std::vector<std::uint16_t> all(65536);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    const auto* const data = reinterpret_cast<const std::byte*>(all.data());
    const float one = 1.f;
    for (const KernelTable* table : runnableTables()) {
        std::vector<float> copied(65536);
        table->copyRow({data, nullptr, DType::F16, Layout::RowMajor, 1, 65536}, 0, copied.data());
        const Matrix column{data, nullptr, DType::F16, Layout::RowMajor, 65536, 1};
        const std::vector<float> multiplied = product(*table, &KernelTable::matmul, column, {&one, {}, 1, 1});
        for (std::size_t i = 0; i < all.size(); ++i) {
            const int exponent = (i >> 10) & 31;
            const int fraction = i & 1023;
            const double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
            float value = static_cast<float>(i & 0x8000 ? -magnitude : magnitude);
            if (exponent == 31)
                value = fraction ? std::bit_cast<float>(0x7fc00000u)
                                 : std::bit_cast<float>(i & 0x8000 ? 0xff800000u : 0x7f800000u);
            const auto bits = std::bit_cast<std::uint32_t>(value);
            QCOMPARE(std::bit_cast<std::uint32_t>(copied[i]), bits);
            QCOMPARE(std::bit_cast<std::uint32_t>(multiplied[i]), bits == 0x80000000u ? 0u : bits); // -0 + 0
        }
    }
}

void TestSameBits::finite()
{
    for (const KernelTable* table : runnableTables()) {
        QVERIFY(table->allFinite(nullptr, 0));
        for (const std::uint32_t n : sizes()) {
            std::vector<float> x = samples::floats(n, n);
            x[n / 2] = std::numeric_limits<float>::max();
            QVERIFY(table->allFinite(x.data(), n));
            for (const std::uint32_t at : {0u, n / 3, n - 1}) {
                for (const std::uint32_t bad : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xff800001u}) {
                    const float good = std::exchange(x[at], std::bit_cast<float>(bad));
                    QVERIFY(!table->allFinite(x.data(), n));
                    x[at] = good;
                }
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestSameBits)
#include "tst_same_bits.moc"
