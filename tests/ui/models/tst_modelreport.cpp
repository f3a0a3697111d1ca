// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/modelreport.h"
#include "models/partreport.h"
#include "models/parttext.h"
#include "ui/support/testmodel.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

namespace {

QStringList texts(const std::vector<Cell>& row)
{
    QStringList found;
    for (const Cell& cell : row)
        found << cell.text;
    return found;
}

/// The value beside a property; null when there is none.
QString value(const CellRows& rows, const char* property)
{
    for (const std::vector<Cell>& row : rows) {
        if (row[0].text == QLatin1String(property))
            return row[1].text;
    }
    return {};
}

} // namespace

class TestModelReport : public QObject {
    Q_OBJECT

private slots:
    void units();
    void overview();
    void dimensions();
    void kindsAndTypes();
    void files();
    void rules();
    void parts();
    void nothing();
    void cellTable();
};

void TestModelReport::units()
{
    QCOMPARE(countText(9999), QStringLiteral("9,999"));
    QCOMPARE(countText(10'000), QStringLiteral("10.0 K"));
    QCOMPARE(countText(20'600'000), QStringLiteral("20.6 M"));
    QCOMPARE(countText(30'500'000'000), QStringLiteral("30.5 G"));
    QCOMPARE(bytesText(221'248), QStringLiteral("216.1 KiB"));
    QVERIFY(!bytesText(~0ULL).startsWith(u'-'));
    QCOMPARE(exactBytes(221'248), QStringLiteral("221,248 bytes"));
    QCOMPARE(shapeText({}), QStringLiteral("scalar"));
    QCOMPARE(exactShape({}), QStringLiteral("[]"));
}

void TestModelReport::overview()
{
    const auto model = makeModel({2, 2, 64, 32, 256});
    CellRows rows = overviewRows(*model);
    QCOMPARE(value(rows, "Path"), QStringLiteral("/models/hummingbird"));
    QCOMPARE(value(rows, "Parameters"), countText(model->parameters));
    QCOMPARE(value(rows, "Routing table"), QStringLiteral("none"));
    model->hasTable = true;
    model->config.tableIndex = TableIndex::Position;
    rows = overviewRows(*model);
    QCOMPARE(value(rows, "Routing table"), QStringLiteral("yes, a row for each position"));
}

void TestModelReport::dimensions()
{
    const auto model = makeModel({});
    CellRows rows = dimensionRows(*model);
    QCOMPARE(rows.size(), std::size_t(11));
    QCOMPARE(texts(rows[0]), (QStringList{"Layers", "4", "config key num_hidden_layers"}));
    QCOMPARE(texts(rows[3]), (QStringList{"Key-value heads", "2", "default of the family"}));
    QCOMPARE(texts(rows[5]), (QStringList{"Experts of a layer", "8", "follows from the sizes of the files"}));
    QCOMPARE(texts(rows[9]), (QStringList{"Output values", "256", "follows from other dimensions"}));
    QCOMPARE(rows[0][1].exact.toULongLong(), 4ULL);
    model->config.numHeads = 0;
    QCOMPARE(dimensionRows(*model).size(), std::size_t(10));
}

void TestModelReport::kindsAndTypes()
{
    // 2 layers, 2 experts, hidden 64, ffn 32, vocabulary 256; int8 has 4 bytes of scale for 32 elements of a row, all
    // scales padded to 64 bytes.
    const CellRows kinds = kindRows(*makeModel({2, 2, 64, 32, 256}));
    QCOMPARE(kinds.size(), std::size_t(7));
    const auto numbers = [](const std::vector<Cell>& row) {
        return QList<qulonglong>{row[1].exact.toULongLong(), row[2].exact.toULongLong(), row[3].exact.toULongLong()};
    };
    QCOMPARE(kinds[0][0].text, QStringLiteral("Embedding"));
    QCOMPARE(numbers(kinds[0]), (QList<qulonglong>{1, 16384, 32768}));
    QCOMPARE(kinds[1][0].text, QStringLiteral("Attention"));
    QCOMPARE(numbers(kinds[1]), (QList<qulonglong>{8, 32768, 131072}));
    QCOMPARE(kinds[2][0].text, QStringLiteral("Norm"));
    QCOMPARE(numbers(kinds[2]), (QList<qulonglong>{9, 384, 768})); // 2 x (64 + 16 + 16 + 64) + 64
    QCOMPARE(kinds[3][0].text, QStringLiteral("Router"));
    QCOMPARE(numbers(kinds[3]), (QList<qulonglong>{2, 256, 1024}));
    QCOMPARE(kinds[4][0].text, QStringLiteral("Expert"));
    QCOMPARE(numbers(kinds[4]), (QList<qulonglong>{12, 24576, 12 * (2048 + 256)}));
    QCOMPARE(kinds[5][0].text, QStringLiteral("Head"));
    QCOMPARE(kinds[6][0].text, QStringLiteral("All"));
    const qulonglong all = 2 * 32768 + 131072 + 768 + 1024 + 27648;
    QCOMPARE(numbers(kinds[6]), (QList<qulonglong>{33, 2 * 16384 + 32768 + 384 + 256 + 24576, all}));
    QCOMPARE(kinds[4][4].share, 27648. / double(all));
    QCOMPARE(kinds[6][4].text, QStringLiteral("100.0 %"));
    const CellRows types = typeRows(*makeModel({2, 2, 64, 32, 256}));
    QCOMPARE(types.size(), std::size_t(3));
    QCOMPARE(types[0][0].text, QStringLiteral("f32"));
    QCOMPARE(numbers(types[0]), (QList<qulonglong>{10, 33024, 132096}));
    QCOMPARE(types[1][0].text, QStringLiteral("f16"));
    QCOMPARE(types[2][0].text, QStringLiteral("int8"));
    QCOMPARE(numbers(types[2]), (QList<qulonglong>{12, 24576, 27648}));
}

void TestModelReport::files()
{
    const CellRows rows = fileRows(*makeModel({2, 2, 64, 32, 256}));
    QCOMPARE(rows.size(), std::size_t(5));
    QCOMPARE(rows[0][0].text, QStringLiteral("dense.bin"));
    QCOMPARE(rows[1][0].text, QStringLiteral("experts/0_0.bin"));
    QCOMPARE(rows[1][0].toolTip, QStringLiteral("/models/hummingbird/experts/0_0.bin"));
    QCOMPARE(rows[1][1].exact.toULongLong(), 64ULL + 3 * 2304);
    QCOMPARE(rows[1][2].text, QStringLiteral("3"));
    QCOMPARE(rows[1][3].exact.toULongLong(), 3ULL * 2304);
    auto elsewhere = makeModel({});
    elsewhere->files[0].path = "/models/hummingbirds/dense.bin"; // the path is no folder of it
    QCOMPARE(fileRows(*elsewhere)[0][0].text, QStringLiteral("dense.bin"));
}

void TestModelReport::rules()
{
    auto model = makeModel({});
    model->config.origins.push_back({"new\nrule", "1", Origin::Config, "some_key"});
    const CellRows rows = ruleRows(*model);
    QCOMPARE(rows.size(), model->config.origins.size());
    QCOMPARE(texts(rows[7]),
        (QStringList{"num_active_experts", "2", "config key num_experts_per_tok",
            "Experts that a token goes through in a layer"}));
    QCOMPARE(texts(rows[14]).mid(0, 3), (QStringList{"add_bos_token", "false", "given when it was opened"}));
    QCOMPARE(texts(rows[15]), (QStringList{QString::fromUtf8("new\ufffdrule"), "1", "config key some_key", ""}));
    for (std::size_t row = 0; row < 15; ++row)
        QVERIFY2(!rows[row][3].text.isEmpty(), qPrintable(rows[row][0].text));
}

void TestModelReport::parts()
{
    const auto model = makeModel({2, 2, 64, 32, 256});
    const PartReport layer = partReport(*model, {5, 1, 0, -1});
    QCOMPARE(layer.title, QStringLiteral("Layer 1"));
    QCOMPARE(value(layer.facts, "Tensors"), QStringLiteral("15"));
    QCOMPARE(value(layer.facts, "Files"), QStringLiteral("dense.bin, experts/1_0.bin, experts/1_1.bin"));
    QCOMPARE(value(layer.facts, "Stored as"), QStringLiteral("f32, f16, int8"));
    QCOMPARE(value(layer.facts, "Experts"), QStringLiteral("2, 2 active"));
    QCOMPARE(layer.contents.size(), std::size_t(4));
    QCOMPARE(texts(layer.contents[0]), (QStringList{"Attention", "64.0 KiB", "tensors: 4"}));
    const PartReport expert = partReport(*model, {5, 1, 0, 1});
    QCOMPARE(expert.title, QStringLiteral("Layer 1, expert 1"));
    QCOMPARE(value(expert.facts, "Parameters"), QStringLiteral("6,144"));
    QCOMPARE(texts(expert.contents[2]),
        (QStringList{"down_proj.weight", "2.3 KiB", QString::fromUtf8("int8  64 \u00d7 32")}));
    const int last = int(model->tensors.size()) - 1;
    model->tensors.back().xxh64 = 0xabcULL;
    const PartReport tensor = partReport(*model, {5, 0, 0, 0, last});
    QCOMPARE(tensor.title, QStringLiteral("down_proj.weight"));
    QCOMPARE(value(tensor.facts, "Part"), QStringLiteral("layer 1, expert 1"));
    QCOMPARE(value(tensor.facts, "Of it scales"), QStringLiteral("256 bytes"));
    QCOMPARE(value(tensor.facts, "First byte"), QStringLiteral("4,672  0x1240")); // 64 + 2 x 2304
    QCOMPARE(value(tensor.facts, "End"), QStringLiteral("6,976  0x1b40"));
    QCOMPARE(value(tensor.facts, "Checksum"), QStringLiteral("xxh64 0000000000000abc"));
    QVERIFY(value(partReport(*model, {-1, 0, -1, -1, 0}).facts, "Of it scales").isNull());
    QVERIFY(plainText(expert).startsWith(QStringLiteral("Layer 1, expert 1\nTensors\t3\nParameters\t6,144\n")));
}

void TestModelReport::nothing()
{
    const auto model = makeModel({});
    for (const Selection& none : {Selection{}, Selection{4}, Selection{-1, 9}, Selection{-1, 1, -1, 99},
             Selection{-1, -1, -1, -1, 1 << 20}, Selection{-1, -1, -1, 2}})
        QVERIFY(partReport(*model, none).title.isEmpty());
    const ModelFacts empty;
    QVERIFY(kindRows(empty).empty() && typeRows(empty).empty() && fileRows(empty).empty() && ruleRows(empty).empty());
    QVERIFY(dimensionRows(empty).empty());
}

void TestModelReport::cellTable()
{
    CellTable table({"Part", "Share"});
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    table.setRows({{{"a"}, {"50.0 %", QVariant(0.5), {}, 0.5}}, {{"b"}, Cell::number("7 B", 7, "7 bytes")}});
    QCOMPARE(table.index(0, 1).data(CellTable::ShareRole).toDouble(), 0.5);
    QVERIFY(!table.index(1, 1).data(CellTable::ShareRole).isValid());
    QCOMPARE(table.index(1, 1).data(Qt::EditRole).toULongLong(), 7ULL);
    QCOMPARE(table.index(1, 1).data(Qt::ToolTipRole).toString(), QStringLiteral("7 bytes"));
    QCOMPARE(table.index(0, 0).data(Qt::EditRole).toString(), QStringLiteral("a"));
    table.setRows({});
    QCOMPARE(table.rowCount(), 0);
}

QTEST_GUILESS_MAIN(TestModelReport)
#include "tst_modelreport.moc"
