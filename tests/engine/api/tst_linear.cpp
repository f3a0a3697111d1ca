// SPDX-License-Identifier: Apache-2.0
#include "api/export.h"
#include "api/session.h"
#include "support/errorcheck.h"
#include "support/generatedmodel.h"
#include "support/outputrows.h"
#include "types/half.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <string>
#include <vector>

using namespace colibri;
using namespace colibri::test;

/// Raw exports run as linear_moe: two experts of 512 x 512 and a table of 1,024 rows, against sums in double.
class TestLinear : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void byPosition();
    void byTokenIsRefused();
    void columnMajor();
    void afterExport();
    void moreTokensThanRows();

private:
    static constexpr std::uint32_t size = 512;
    static constexpr std::uint32_t tableRows = 1024;
    static constexpr TokenId tokens[]{101, 2001, 102, 3002};

    static std::uint16_t expertOf(std::size_t row) { return (row * 5 / 3) % 2; }
    float weight(std::uint32_t expert, std::uint32_t out, std::uint32_t in) const;
    float bias(std::uint32_t expert, std::uint32_t out) const;
    void check(const std::string& folder, bool withBias);
    QTemporaryDir m_f16;
    QTemporaryDir m_f32;
};

float TestLinear::weight(std::uint32_t expert, std::uint32_t out, std::uint32_t in) const
{
    const std::uint32_t mixed = (expert * 7919 + out * 104729 + in * 1299709) % 2003;
    return f16ToF32(f32ToF16((float(mixed) - 1001.f) / 65536.f));
}

float TestLinear::bias(std::uint32_t expert, std::uint32_t out) const
{
    return f16ToF32(f32ToF16(float((expert + 1) * out % 37) / 8.f));
}

void TestLinear::initTestCase()
{
    std::string table;
    for (std::size_t row = 0; row < tableRows; ++row) {
        const std::uint16_t expert = expertOf(row);
        table.append(reinterpret_cast<const char*>(&expert), sizeof expert);
    }
    for (const QTemporaryDir* dir : {&m_f16, &m_f32})
        QVERIFY(writeFile(dir->filePath("router_table.bin").toStdString(), table));
    for (std::uint32_t expert = 0; expert < 2; ++expert) {
        std::string rowMajor;
        std::string columnMajor;
        for (std::uint32_t a = 0; a < size; ++a)
            for (std::uint32_t b = 0; b < size; ++b) {
                const std::uint16_t half = f32ToF16(weight(expert, a, b));
                const float single = weight(expert, b, a);
                rowMajor.append(reinterpret_cast<const char*>(&half), sizeof half);
                columnMajor.append(reinterpret_cast<const char*>(&single), sizeof single);
            }
        for (std::uint32_t out = 0; out < size; ++out) {
            const std::uint16_t half = f32ToF16(bias(expert, out));
            rowMajor.append(reinterpret_cast<const char*>(&half), sizeof half);
        }
        const std::string file = "/expert_" + std::to_string(expert) + ".bin";
        QVERIFY(writeFile(m_f16.path().toStdString() + file, rowMajor));
        QVERIFY(writeFile(m_f32.path().toStdString() + file, columnMajor));
    }
}

void TestLinear::check(const std::string& folder, bool withBias)
{
    OpenOptions options;
    if (folder.find("exported") == std::string::npos) {
        options.raw.emplace();
        options.raw->index = TableIndex::Position;
    }
    const auto model = openModel(folder, options);
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QCOMPARE((*model)->config().hiddenSize, size);
    QCOMPARE((*model)->config().numExperts, 2u);
    const auto session = Session::create(*model, {});
    QVERIFY2(session, session ? "" : session.error().message().c_str());
    const auto record = (*session)->makeRecord();
    const auto outputs = outputRows(**session, tokens, record);
    QVERIFY2(outputs, outputs ? "" : outputs.error().message().c_str());
    QCOMPARE(outputs->size(), std::size_t{4 * size});
    for (std::size_t t = 0; t < 4; ++t) {
        const std::uint16_t expert = expertOf(t);
        QCOMPARE(record->experts(std::uint32_t(t), 0)[0], expert);
        QCOMPARE(record->weights(std::uint32_t(t), 0)[0], 1.f);
        for (std::uint32_t out = 0; out < size; ++out) {
            double sum = withBias ? bias(expert, out) : 0.0;
            double magnitude = 0;
            for (std::uint32_t in = 0; in < size; ++in) {
                sum += double(weight(expert, out, in)) * tokens[t];
                magnitude += std::abs(double(weight(expert, out, in)) * tokens[t]);
            }
            QVERIFY(std::abs((*outputs)[t * size + out] - sum) <= 1e-6 * magnitude + 1e-6);
        }
    }
}

void TestLinear::byPosition()
{
    check(m_f16.path().toStdString(), true);
}
void TestLinear::columnMajor()
{
    check(m_f32.path().toStdString(), false);
}

void TestLinear::byTokenIsRefused()
{
    const auto model = openModel(m_f16.path().toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QCOMPARE((*model)->config().tableIndex, TableIndex::Token);
    const auto session = Session::create(*model, {});
    QVERIFY(session);
    const auto done = (*session)->evaluate(
        tokens, nullptr, {}, [](std::uint32_t, std::uint32_t, std::span<const float>) { return true; });
    QCOMPARE(
        complaint(done, Errc::OutOfRange, {"token 2001", "position 1", "1024 rows", "router_table.bin"}), QString());
}

void TestLinear::moreTokensThanRows()
{
    OpenOptions options;
    options.raw.emplace();
    options.raw->index = TableIndex::Position;
    const auto model = openModel(m_f16.path().toStdString(), options);
    QVERIFY(model);
    const auto session = Session::create(*model, {});
    QVERIFY(session);
    const std::vector<TokenId> many(tableRows + 1, 7);
    const auto done = (*session)->evaluate(
        many, nullptr, {}, [](std::uint32_t, std::uint32_t, std::span<const float>) { return true; });
    QVERIFY(!done);
    QVERIFY2(done.error().message().find("1025") != std::string::npos
            && done.error().message().find("1024") != std::string::npos,
        done.error().message().c_str());
}

void TestLinear::afterExport()
{
    OpenOptions options;
    options.raw.emplace();
    options.raw->index = TableIndex::Position;
    const auto model = openModel(m_f16.path().toStdString(), options);
    QVERIFY(model);
    const std::string out = m_f16.filePath("exported").toStdString();
    const auto report = exportModel(**model, out, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    check(out, true);
}

QTEST_GUILESS_MAIN(TestLinear)
#include "tst_linear.moc"
