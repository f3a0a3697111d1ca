// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace colibri::test;

namespace {

constexpr std::uint32_t size = 512;
constexpr std::uint32_t tableRows = 1024;
const std::array<std::uint32_t, 4> tokens{101, 2001, 102, 3002};
const QString tokenText = QStringLiteral("101,2001,102,3002");

/// A value that f16 holds exactly: n / 64 with |n| <= 32; and its 16 bits.
struct Half {
    double value;
    std::uint16_t bits;
};
Half halfOf(int n)
{
    if (n == 0)
        return {0, 0};
    const int exponent = std::ilogb(std::abs(n));
    const int mantissa = (std::abs(n) << (10 - exponent)) & 0x3FF;
    return {n / 64.0, static_cast<std::uint16_t>((n < 0 ? 0x8000 : 0) | (exponent - 6 + 15) << 10 | mantissa)};
}

int patternOf(std::uint32_t expert, std::uint32_t row, std::uint32_t column)
{
    std::uint32_t h = (expert * 7919u + row) * 104729u + column * 1299709u;
    h ^= h >> 13;
    h *= 2654435761u;
    return static_cast<int>(h >> 26) - 32;
}

std::uint16_t expertOf(std::uint32_t row)
{
    return static_cast<std::uint16_t>((row * 5 + row / 3) % 2);
}

template <class T>
bool writeValues(const QString& path, const std::vector<T>& values)
{
    QFile file(path);
    const auto bytes = static_cast<qint64>(values.size() * sizeof(T));
    return file.open(QIODevice::WriteOnly) && file.write(reinterpret_cast<const char*>(values.data()), bytes) == bytes;
}

/// Column `size` is the bias.
bool writeExpert(const QString& path, std::uint32_t expert)
{
    std::vector<std::uint16_t> values;
    for (std::uint32_t row = 0; row < size; ++row)
        for (std::uint32_t column = 0; column < size; ++column)
            values.push_back(halfOf(patternOf(expert, row, column)).bits);
    for (std::uint32_t row = 0; row < size; ++row)
        values.push_back(halfOf(patternOf(expert, row, size)).bits);
    return writeValues(path, values);
}

/// The output of an expert for a token: every component of its input is the token id. All sums are exact in double.
double oracle(std::uint32_t expert, std::uint32_t row, std::uint32_t token)
{
    double sum = halfOf(patternOf(expert, row, size)).value;
    for (std::uint32_t column = 0; column < size; ++column)
        sum += halfOf(patternOf(expert, row, column)).value * token;
    return sum;
}

} // namespace

/// A raw export of two linear experts, routed by a table.
class TestCliLinear : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void indexedByPosition();
    void asJson();
    void indexedByTokenIsRefused();
    void makesNoTokens();

private:
    QTemporaryDir m_folder;
    QStringList byPosition() const
    {
        return {m_folder.path(), "--raw", "in=512,out=512,dtype=f16,bias=true,index=position"};
    }
};

void TestCliLinear::initTestCase()
{
    QVERIFY(writeExpert(m_folder.filePath("expert_0.bin"), 0));
    QVERIFY(writeExpert(m_folder.filePath("expert_1.bin"), 1));
    std::vector<std::uint16_t> table;
    for (std::uint32_t row = 0; row < tableRows; ++row)
        table.push_back(expertOf(row));
    QVERIFY(writeValues(m_folder.filePath("router_table.bin"), table));
}

void TestCliLinear::indexedByPosition()
{
    const Outcome outcome = runColibri(QStringList{"run"} + byPosition() + QStringList{"--tokens", tokenText});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QList<QByteArray> lines = outcome.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    for (std::uint32_t position = 0; position < 4; ++position) {
        const QList<QByteArray> fields = lines[position].split('\t');
        QCOMPARE(fields.size(), 4);
        QCOMPARE(fields[0].toUInt(), position);
        QCOMPARE(fields[1].toUInt(), tokens[position]);
        QCOMPARE(fields[2].toUInt(), std::uint32_t{expertOf(position)});
        const QList<QByteArray> values = fields[3].split(' ');
        QCOMPARE(values.size(), qsizetype{size});
        for (std::uint32_t row = 0; row < size; ++row) {
            const double expected = oracle(expertOf(position), row, tokens[position]);
            // 512 products of at most 2^-1 times the token, each rounded sum by half an ulp of f32.
            QVERIFY2(std::abs(values[row].toDouble() - expected) <= 512 * 0.5 * tokens[position] * 0x1p-24,
                values[row].constData());
        }
    }
}

void TestCliLinear::asJson()
{
    const auto json =
        onlyJson(runColibri(QStringList{"run"} + byPosition() + QStringList{"--tokens", tokenText, "--json"}));
    QVERIFY(json);
    const QJsonArray outputs = (*json)["outputs"].toArray();
    QCOMPARE(outputs.size(), 4);
    const Outcome text = runColibri(QStringList{"run"} + byPosition() + QStringList{"--tokens", tokenText});
    const QList<QByteArray> lines = text.out.trimmed().split('\n');
    for (qsizetype position = 0; position < 4; ++position) {
        const QList<QByteArray> values = lines[position].split('\t').last().split(' ');
        QCOMPARE(outputs[position].toArray().size(), qsizetype{size});
        for (qsizetype i = 0; i < qsizetype{size}; ++i) // nine digits tell all f32 values apart
            QCOMPARE(values[i].toFloat(), static_cast<float>(outputs[position].toArray()[i].toDouble()));
        QCOMPARE((*json)["experts"].toArray()[0].toArray()[position].toArray()[0].toInt(),
            int{expertOf(static_cast<std::uint32_t>(position))});
        QCOMPARE((*json)["weights"].toArray()[0].toArray()[position].toArray()[0].toDouble(), 1.0);
    }
    QCOMPARE((*json)["engine"].toObject()["routing"].toString(), "table");
}

void TestCliLinear::indexedByTokenIsRefused()
{
    const Outcome outcome = runColibri(
        {"run", m_folder.path(), "--raw", "in=512,out=512,dtype=f16,bias=true,index=token", "--tokens", tokenText});
    QCOMPARE(outcome.code, 2);
    QVERIFY(outcome.out.isEmpty());
    QVERIFY2(outcome.err.contains("2001") && outcome.err.contains("1024"), outcome.err.constData());
}

void TestCliLinear::makesNoTokens()
{
    for (const QStringList& option :
        {QStringList{"-n", "3"}, QStringList{"--ignore-eos"}, QStringList{"--top-k", "3"}}) {
        const Outcome outcome = runColibri(QStringList{"run"} + byPosition() + QStringList{"--tokens", "1"} + option);
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.startsWith("colibri: " + option[0].toUtf8() + ": "), outcome.err.constData());
    }
    const Outcome text = runColibri(QStringList{"run"} + byPosition() + QStringList{"-p", "a"});
    QCOMPARE(text.code, 2);
    QVERIFY2(text.err.contains("--tokens"), text.err.constData());
    QCOMPARE(runColibri(QStringList{"bench"} + byPosition()).code, 2);
}

QTEST_GUILESS_MAIN(TestCliLinear)
#include "tst_cli_linear.moc"
