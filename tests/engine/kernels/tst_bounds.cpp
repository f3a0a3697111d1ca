// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/samples.h"
#include "kernels/tables.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace colibri;

namespace {

/// Memory whose last byte lies right in front of a page that must not be touched, and `margin` bytes that must not
/// change before its first.
class Guarded {
public:
    explicit Guarded(std::size_t bytes)
        : m_bytes(bytes)
        , m_page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))
        , m_open((bytes + margin + m_page - 1) / m_page * m_page)
        , m_map(static_cast<std::byte*>(
              mmap(nullptr, m_open + m_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
        if (mprotect(m_map + m_open, m_page, PROT_NONE) != 0)
            qFatal("no guard page");
    }
    template <class T>
    explicit Guarded(const std::vector<T>& values)
        : Guarded(values.size() * sizeof(T))
    {
        std::ranges::copy(std::as_bytes(std::span(values)), begin());
    }
    ~Guarded() { munmap(m_map, m_open + m_page); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    std::byte* begin() const { return m_map + m_open - m_bytes; }
    float* floats() const { return reinterpret_cast<float*>(begin()); }
    bool frontUntouched() const
    {
        return std::all_of(m_map, begin(), [](std::byte b) { return b == std::byte{0}; });
    }

private:
    static constexpr std::size_t margin = 256;
    std::size_t m_bytes;
    std::size_t m_page;
    std::size_t m_open;
    std::byte* m_map;
};

constexpr std::uint32_t sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 257};

} // namespace

/// Nothing is read or written past the end of any argument: weights lie in mapped files, where the next page may be
/// missing.
class TestBounds : public QObject {
    Q_OBJECT

private slots:
    void products_data();
    void products();
    void rows();
    void attention();
};

void TestBounds::products_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("layout");
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::Int8}) {
        for (const Layout layout : {Layout::RowMajor, Layout::ColumnMajor})
            QTest::addRow("%s %s", name(dtype).data(), name(layout).data()) << int(dtype) << int(layout);
    }
}

void TestBounds::products()
{
    QFETCH(int, dtype);
    QFETCH(int, layout);
    for (const std::uint32_t n : sizes) {
        for (const std::uint32_t tokens : {1u, 2u, 7u}) {
            const std::uint32_t rowCount = 1 + n % 11;
            const samples::Weights w = samples::weights(DType(dtype), Layout(layout), rowCount, n, n);
            const samples::Inputs x = samples::inputs(tokens, n, n + 1);
            const Guarded weights(w.bytes);
            const Guarded scales(w.scales);
            Guarded values(std::size_t{tokens} * n * sizeof(float));
            Guarded quants(std::size_t{tokens} * n);
            const samples::Rounded& rounded = x.rounded[0];
            const Guarded quantScales(rounded.scales);
            for (std::size_t t = 0; t < tokens; ++t) {
                std::memcpy(values.floats() + t * n, x.values.data() + t * x.rows.stride, n * sizeof(float));
                std::memcpy(quants.begin() + t * n, rounded.quants.data() + t * x.rows.stride, n);
            }
            Matrix matrix = w.matrix;
            matrix.data = weights.begin();
            matrix.scales = scales.floats();
            Rows plain{values.floats(), {}, tokens, n};
            Rows quantized = plain;
            quantized.quantized[0] = {
                reinterpret_cast<const std::int8_t*>(quants.begin()), quantScales.floats(), nullptr};
            for (const KernelTable* table : runnableTables()) {
                const Guarded out(std::size_t{tokens} * rowCount * sizeof(float));
                table->matmul(matrix, plain, 0, rowCount, out.floats(), rowCount);
                table->matmulDouble(matrix, plain, 0, rowCount, out.floats(), rowCount);
                table->matmul(matrix, quantized, 0, rowCount, out.floats(), rowCount);
                QVERIFY(out.frontUntouched());
                const Guarded row(n * sizeof(float));
                table->copyRow(matrix, rowCount - 1, row.floats());
                QVERIFY(row.frontUntouched());
            }
        }
    }
}

void TestBounds::rows()
{
    for (const std::uint32_t n : sizes) {
        const Guarded a(samples::floats(n, n));
        const Guarded b(samples::floats(n, n + 1));
        const Guarded half(samples::floats(n / 2, n + 2));
        for (const KernelTable* table : runnableTables()) {
            const Guarded out(samples::floats(n, n + 3));
            table->rmsNorm(a.floats(), b.floats(), 1e-6f, n, out.floats());
            table->rope(out.floats(), half.floats(), half.floats(), n & ~1u);
            table->ropeNeighbours(out.floats(), half.floats(), half.floats(), n & ~1u);
            table->swiglu(a.floats(), b.floats(), n, out.floats());
            table->clampedSwiglu(a.floats(), b.floats(), 1.f, n, out.floats());
            table->addScaled(out.floats(), a.floats(), 0.5f, n);
            table->add(out.floats(), a.floats(), n);
            table->exponentials(a.floats(), n, out.floats());
            table->storeKv(a.floats(), n, KvType::F32, out.begin());
            QVERIFY(out.frontUntouched());
            QVERIFY(table->allFinite(a.floats(), n));
            const Guarded halves(n * sizeof(std::uint16_t));
            table->storeKv(a.floats(), n, KvType::F16, halves.begin());
            QVERIFY(halves.frontUntouched());
            const Guarded quants(n);
            const Guarded sums((n + 15) / 16 * sizeof(std::int16_t));
            for (const QuantFormat format : quantFormats) {
                const Guarded scales(samples::groupsOf(format, n) * sizeof(float));
                table->quantizeRow(format, a.floats(), n,
                    {reinterpret_cast<std::int8_t*>(quants.begin()), scales.floats(),
                        reinterpret_cast<std::int16_t*>(sums.begin())});
                QVERIFY(quants.frontUntouched());
                QVERIFY(scales.frontUntouched());
                QVERIFY(sums.frontUntouched());
            }
        }
    }
}

void TestBounds::attention()
{
    for (const KvType kv : {KvType::F32, KvType::F16}) {
        for (const std::uint32_t headDim : {1u, 7u, 16u, 33u, 64u, 128u, 200u}) {
            for (const std::uint32_t positions : {1u, 5u, 64u, 67u}) {
                const DType dtype = kv == KvType::F32 ? DType::F32 : DType::F16;
                const Guarded keys(samples::weights(dtype, Layout::RowMajor, positions, headDim, 1).bytes);
                const Guarded values(samples::weights(dtype, Layout::RowMajor, positions, headDim, 2).bytes);
                const Guarded query(samples::floats(headDim, 3));
                for (const KernelTable* table : runnableTables()) {
                    const Guarded scores(positions * sizeof(float));
                    const Guarded out(headDim * sizeof(float));
                    table->attend({query.floats(), keys.begin(), values.begin(), kv, positions, headDim, 0.3f,
                        scores.floats(), out.floats()});
                    QVERIFY(scores.frontUntouched());
                    QVERIFY(out.frontUntouched());
                }
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestBounds)
#include "tst_bounds.moc"
