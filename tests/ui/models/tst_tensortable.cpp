// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/parttext.h"
#include "models/tensortable.h"
#include "ui/support/testmodel.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <bit>
#include <numeric>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr std::uint32_t manyTensors = 1'000'000;

std::vector<int> rowsOf(const TensorTable& table)
{
    std::vector<int> tensors;
    for (int row = 0; row < table.rowCount(); ++row)
        tensors.push_back(table.tensorAt(row));
    return tensors;
}

/// Whether a tensor is shown for `words`, by what the table itself shows of it in its cells.
bool oracleMatches(const ModelFacts& model, int tensor, const QString& words)
{
    const TensorInfo& info = model.tensors[std::size_t(tensor)];
    const QString name = QString::fromLatin1(info.name.data(), qsizetype(info.name.size()));
    const QStringList texts{name, kindText(model.parts[std::size_t(tensor)].kind),
        QString::fromUtf8(colibri::name(info.dtype)), QStringLiteral("Part%1.bin").arg(info.file)};
    const QStringList asked = words.split(u' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(asked, [&](const QString& word) {
        return std::ranges::any_of(
            texts, [&](const QString& text) { return text.contains(word, Qt::CaseInsensitive); });
    });
}

/// The exact value that a column is sorted by.
template <class Compare>
bool oracleLess(const ModelFacts& model, int column, int a, int b, Compare compare)
{
    const TensorInfo& x = model.tensors[std::size_t(a)];
    const TensorInfo& y = model.tensors[std::size_t(b)];
    const TensorPart& p = model.parts[std::size_t(a)];
    const TensorPart& q = model.parts[std::size_t(b)];
    const auto product = [](const TensorInfo& t) {
        return std::accumulate(t.shape.begin(), t.shape.end(), std::uint64_t{1}, std::multiplies<>());
    };
    switch (column) {
    case TensorTable::Part:
        return compare(std::tuple(p.kind, p.layer, p.expert), std::tuple(q.kind, q.layer, q.expert));
    case TensorTable::Type:
        return compare(int(x.dtype), int(y.dtype));
    case TensorTable::Shape:
        return compare(product(x), product(y));
    case TensorTable::File:
        return compare(x.file, y.file);
    case TensorTable::Offset:
        return compare(x.offset, y.offset);
    case TensorTable::Size:
        return compare(x.size, y.size);
    default:
        return compare(alignmentOf(x.offset), alignmentOf(y.offset));
    }
}

} // namespace

class TestTensorTable : public QObject {
    Q_OBJECT

private slots:
    void cells();
    void alignment();
    void sortOracle();
    void filterOracle();
    void sortedAndFiltered();
    void tester();
    void hostileNames();
    void million();
};

void TestTensorTable::cells()
{
    TensorTable table;
    table.setModel(makeModel({2, 2, 64, 32, 256}));
    const auto at = [&](int row, int column, int role) { return table.index(row, column).data(role); };
    // 256 x 64 f16 is 32768 bytes; then the norm of layer 0 with 128, then 64 x 64 f32.
    QCOMPARE(at(2, TensorTable::Name, Qt::DisplayRole), QStringLiteral("model.layers.0.self_attn.q_proj.weight"));
    QCOMPARE(at(2, TensorTable::Part, Qt::DisplayRole), QStringLiteral("layer 0, attention"));
    QCOMPARE(at(2, TensorTable::Type, Qt::DisplayRole), QStringLiteral("f32"));
    QCOMPARE(at(2, TensorTable::Shape, Qt::DisplayRole), QString::fromUtf8("64 \u00d7 64"));
    QCOMPARE(at(2, TensorTable::Shape, Qt::EditRole), QStringLiteral("[64, 64]"));
    QCOMPARE(at(2, TensorTable::Shape, Qt::ToolTipRole), QStringLiteral("4,096 elements"));
    QCOMPARE(at(2, TensorTable::File, Qt::DisplayRole), QStringLiteral("dense.bin"));
    QCOMPARE(at(2, TensorTable::File, Qt::ToolTipRole), QStringLiteral("/models/hummingbird/dense.bin"));
    QCOMPARE(at(2, TensorTable::Offset, Qt::DisplayRole), QStringLiteral("32,896  0x08080"));
    QCOMPARE(at(2, TensorTable::Offset, Qt::EditRole).value<quint64>(), 32896ULL);
    QCOMPARE(at(2, TensorTable::Size, Qt::DisplayRole), QStringLiteral("16.0 KiB"));
    QCOMPARE(at(2, TensorTable::Size, Qt::EditRole).value<quint64>(), 16384ULL);
    QCOMPARE(at(2, TensorTable::Size, Qt::ToolTipRole), QStringLiteral("16,384 bytes"));
    QCOMPARE(at(2, TensorTable::Alignment, Qt::DisplayRole), QStringLiteral("128 B"));
    QCOMPARE(at(0, TensorTable::Alignment, Qt::DisplayRole), QStringLiteral("4096+ B"));
    const int last = table.rowCount() - 1;
    QCOMPARE(at(last, TensorTable::Part, Qt::DisplayRole), QStringLiteral("layer 1, expert 1"));
    QCOMPARE(at(last, TensorTable::File, Qt::DisplayRole), QStringLiteral("experts/1_1.bin"));
    QVERIFY(!table.index(last + 1, 0).isValid());
}

void TestTensorTable::alignment()
{
    for (std::uint64_t offset = 0; offset < 20000; ++offset) {
        std::uint64_t largest = 1;
        while (largest < 4096 && offset % (2 * largest) == 0)
            largest *= 2;
        QCOMPARE(alignmentOf(offset), largest);
    }
    QCOMPARE(alignmentOf(1ULL << 63), 4096ULL);
    QCOMPARE(alignmentText(48), QStringLiteral("16 B"));
}

void TestTensorTable::sortOracle()
{
    const ModelFactsPtr model = randomModel(3000, 11);
    TensorTable table;
    table.setModel(model);
    std::vector<int> listed(3000);
    std::iota(listed.begin(), listed.end(), 0);
    QCOMPARE(rowsOf(table), listed);
    for (int column = 0; column < TensorTable::ColumnCount; ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            std::vector<int> expected = listed;
            const bool rising = order == Qt::AscendingOrder;
            std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) {
                const std::string& x = model->tensors[std::size_t(a)].name;
                const std::string& y = model->tensors[std::size_t(b)].name;
                if (column == TensorTable::Name && x == y)
                    return rising ? a < b : b < a; // equal names have ranks, too
                if (column == TensorTable::Name)
                    return rising ? naturalLess(x, y) : naturalLess(y, x);
                const auto compare = [&](const auto& l, const auto& r) { return rising ? l < r : r < l; };
                return oracleLess(*model, column, a, b, compare);
            });
            table.sort(column, order);
            QCOMPARE(rowsOf(table), expected);
        }
    }
    table.sort(-1);
    QCOMPARE(rowsOf(table), listed);
}

void TestTensorTable::filterOracle()
{
    const ModelFactsPtr model = randomModel(3000, 12);
    TensorTable table;
    table.setModel(model);
    for (const char* text : {"", "  ", "router", "EXPERT 7", "layers.3 int8", "part2 norm", "f16 f32", "\"", "strange",
             "experts.1 .x part0.BIN", "no such thing", "e", "bf16 attention layers.11."}) {
        const QString words = QString::fromLatin1(text);
        table.setFilter(words);
        std::vector<int> expected;
        for (int tensor = 0; tensor < table.total(); ++tensor) {
            if (oracleMatches(*model, tensor, words))
                expected.push_back(tensor);
        }
        QCOMPARE(rowsOf(table), expected);
        if (words.startsWith(QStringLiteral("no such")))
            QVERIFY(expected.empty());
        else
            QVERIFY(!expected.empty() || words == QStringLiteral("f16 f32") || words == QStringLiteral("\""));
    }
}

void TestTensorTable::sortedAndFiltered()
{
    const ModelFactsPtr model = randomModel(500, 13);
    TensorTable table;
    table.setFilter(QStringLiteral("expert"));
    table.sort(TensorTable::Offset, Qt::DescendingOrder);
    table.setModel(model); // filter and order stay
    QVERIFY(table.rowCount() > 50 && table.rowCount() < 500);
    for (int row = 0; row < table.rowCount(); ++row) {
        const int tensor = table.tensorAt(row);
        QVERIFY(oracleMatches(*model, tensor, QStringLiteral("expert")));
        QCOMPARE(table.rowOf(tensor), row);
        if (row > 0)
            QVERIFY(model->tensors[std::size_t(tensor)].offset
                <= model->tensors[std::size_t(table.tensorAt(row - 1))].offset);
    }
    QCOMPARE(table.rowOf(-1), -1);
    QCOMPARE(table.rowOf(500), -1);
}

void TestTensorTable::tester()
{
    TensorTable table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (const ModelFactsPtr& model : {ModelFactsPtr(makeModel({})), randomModel(200, 1), ModelFactsPtr(),
             ModelFactsPtr(std::make_shared<ModelFacts>()), randomModel(40, 2)}) {
        table.setModel(model);
        for (const char* text : {"expert", "nothing of that", "norm", ""}) {
            table.setFilter(QString::fromLatin1(text));
            for (int column = -1; column < TensorTable::ColumnCount; ++column) {
                table.sort(column, Qt::DescendingOrder);
                table.sort(column, Qt::AscendingOrder);
            }
        }
    }
    table.setModel(nullptr);
    QCOMPARE(table.rowCount(), 0);
}

void TestTensorTable::hostileNames()
{
    auto model = std::make_shared<ModelFacts>();
    for (const std::string& name :
        {std::string("a\nb\tc\0d", 7), std::string(1 << 20, 'x'), std::string("\xff\xfe"), std::string()})
        model->tensors.push_back({name, 99, ~0ULL, ~0ULL, DType::F32, Layout::RowMajor, {1ULL << 63, 4}, {}});
    model->parts = partsOf(model->tensors);
    TensorTable table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    table.setModel(model);
    table.setFilter(QStringLiteral("x"));
    QCOMPARE(rowsOf(table), std::vector<int>{1});
    table.setFilter({});
    const auto shown = [&](int row, int column) { return table.index(row, column).data().toString(); };
    QCOMPARE(shown(0, TensorTable::Name), QString::fromUtf8("a\ufffdb\ufffdc\ufffdd"));
    QCOMPARE(shown(1, TensorTable::Name).size(), 257);
    QCOMPARE(shown(2, TensorTable::Name), QString::fromUtf8("\ufffd\ufffd"));
    QCOMPARE(shown(0, TensorTable::File), QString());
    QCOMPARE(shown(0, TensorTable::Offset), QStringLiteral("18,446,744,073,709,551,615  0xffffffffffffffff"));
    for (int column = 0; column < TensorTable::ColumnCount; ++column)
        table.sort(column);
}

void TestTensorTable::million()
{
    QElapsedTimer clock;
    clock.start();
    TensorTable table;
    const ModelFactsPtr model = randomModel(manyTensors, 17);
    qInfo("made %u tensors in %lld ms", manyTensors, clock.elapsed());
    const auto timed = [&](const char* what, auto act) {
        clock.start();
        act();
        const qint64 ms = clock.elapsed();
        qInfo("%s: %lld ms, %d rows", what, ms, table.rowCount());
        QVERIFY(ms < 3000);
    };
    timed("set", [&] { table.setModel(model); });
    for (int column = 0; column < TensorTable::ColumnCount; ++column)
        timed(qPrintable(QStringLiteral("sort column %1").arg(column)), [&] { table.sort(column); });
    timed("descending", [&] { table.sort(TensorTable::Name, Qt::DescendingOrder); });
    table.sort(-1);
    timed("filter one word", [&] { table.setFilter(QStringLiteral("experts.77")); });
    timed("filter three words", [&] { table.setFilter(QStringLiteral("down_proj layers.4 bias")); });
    timed("filter rare", [&] { table.setFilter(QStringLiteral("nothing")); });
    QCOMPARE(table.rowCount(), 0);
}

QTEST_GUILESS_MAIN(TestTensorTable)
#include "tst_tensortable.moc"
