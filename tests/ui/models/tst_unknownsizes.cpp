// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/modelreport.h"
#include "models/partreport.h"
#include "models/parttext.h"
#include "models/parttree.h"
#include "models/tensortable.h"
#include "ui/support/testmodel.h"

#include <QLocale>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

namespace {

const QString unknown = QStringLiteral("unknown");

/// The text of a row's first cell that begins with `title`.
QString valueOf(const CellRows& rows, const QString& title, std::size_t column = 1)
{
    for (const auto& row : rows) {
        if (row[0].text == title)
            return row[column].text;
    }
    return QStringLiteral("no such row");
}

void forget(TensorInfo& tensor)
{
    TensorInfo named;
    named.name = tensor.name;
    named.file = tensor.file;
    named.dtype = DType::Unknown;
    named.typeText = "unknown";
    named.presence = Presence::NameOnly;
    tensor = named;
}

/// A model that cannot be run, of whose tensors those named only are in an index.
std::shared_ptr<ModelFacts> inspected(bool (*named)(const TensorPart&))
{
    auto model = makeModel({2, 4});
    model->refused = Error{};
    for (std::size_t at = 0; at < model->tensors.size(); ++at) {
        if (named(model->parts[at]))
            forget(model->tensors[at]);
    }
    return model;
}

std::uint64_t knownBytes(const ModelFacts& model)
{
    std::uint64_t sum = 0;
    for (const TensorInfo& tensor : model.tensors)
        sum += tensor.size;
    return sum;
}

} // namespace

/// What files do not tell is not taken for nothing.
class TestUnknownSizes : public QObject {
    Q_OBJECT

private slots:
    void nothingIsKnown();
    void someIsKnown();
    void unknownTypes();
};

void TestUnknownSizes::nothingIsKnown()
{
    const auto model = inspected([](const TensorPart&) { return true; });
    const CellRows overview = overviewRows(*model);
    QCOMPARE(valueOf(overview, QStringLiteral("Parameters")), unknown);
    QCOMPARE(valueOf(overview, QStringLiteral("Size of tensors")), unknown);
    QCOMPARE(valueOf(overview, QStringLiteral("Tensors of unknown size")), QString::number(model->tensors.size()));
    for (const CellRows& rows : {kindRows(*model), typeRows(*model)}) {
        QVERIFY(!rows.empty());
        for (const auto& row : rows) {
            for (const std::size_t column : {2, 3, 4})
                QCOMPARE(row[column].text, unknown);
            QVERIFY(row[4].share < 0);
        }
    }
    const PartReport expert = partReport(*model, {-1, 1, -1, 2});
    QVERIFY(!expert.contents.empty());
    for (const auto& row : expert.contents)
        QCOMPARE(row[1].text, unknown);
    PartTree tree;
    tree.setModel(model);
    const QModelIndex node = tree.find({-1, 1, -1, 2});
    QVERIFY(node.isValid());
    QCOMPARE(node.siblingAtColumn(PartTree::Size).data().toString(), unknown);
    QCOMPARE(
        node.data(Qt::ToolTipRole).toString(), QStringLiteral("Expert 2: unknown\ntensors: 3, parameters: unknown"));
}

void TestUnknownSizes::someIsKnown()
{
    const auto model = inspected([](const TensorPart& part) { return part.expert == 1 && part.layer == 0; });
    const QString least = QStringLiteral("at least %1 bytes; tensors that do not tell: 3")
                              .arg(QLocale().toString(qulonglong(knownBytes(*model))));
    const CellRows overview = overviewRows(*model);
    QVERIFY(valueOf(overview, QStringLiteral("Parameters")).startsWith(QChar(0x2265)));
    QCOMPARE(valueOf(overview, QStringLiteral("Size of tensors")),
        QStringLiteral("\u2265 ") + bytesText(knownBytes(*model)));
    QCOMPARE(valueOf(overview, QStringLiteral("Tensors of unknown size")), QStringLiteral("3"));
    const CellRows kinds = kindRows(*model);
    QVERIFY(!valueOf(kinds, QStringLiteral("Attention"), 3).contains(QChar(0x2265)));
    QVERIFY(valueOf(kinds, QStringLiteral("Expert"), 3).startsWith(QChar(0x2265)));
    QCOMPARE(kinds.back()[3].toolTip, least);
    QCOMPARE(kinds.back()[3].exact.toString(), least);
    QCOMPARE(valueOf(typeRows(*model), QStringLiteral("unknown"), 3), unknown);
    PartTree tree;
    tree.setModel(model);
    QCOMPARE(tree.find({-1, 0, -1, 1}).siblingAtColumn(PartTree::Size).data().toString(), unknown);
    QVERIFY(!tree.find({-1, 0, -1, 2}).siblingAtColumn(PartTree::Size).data().toString().contains(QChar(0x2265)));
    const QModelIndex whole = tree.index(0, PartTree::Size);
    QCOMPARE(whole.data().toString(), QStringLiteral("\u2265 ") + bytesText(knownBytes(*model)));
    QCOMPARE(whole.data(Qt::EditRole).toString(), least);
}

void TestUnknownSizes::unknownTypes()
{
    auto model = makeModel({2, 4});
    TensorInfo& tensor = model->tensors[3];
    tensor.dtype = DType::Unknown; // GGUF: shape and place are known, bytes are not
    tensor.typeText = "type 99";
    tensor.size = 0;
    TensorTable table;
    table.setModel(model);
    QCOMPARE(table.index(3, TensorTable::Size).data().toString(), unknown);
    QCOMPARE(table.index(3, TensorTable::Shape).data().toString().contains(unknown), false);
    const CellRows facts = partReport(*model, {-1, -1, -1, -1, 3}).facts;
    QCOMPARE(valueOf(facts, QStringLiteral("Size")), unknown);
    QCOMPARE(valueOf(facts, QStringLiteral("End")), unknown);
    QCOMPARE(valueOf(facts, QStringLiteral("Elements")), QLocale().toString(qulonglong(elementsOf(tensor))));
    const PartSum sum = sumOf(tensor);
    QVERIFY(sum.parameters > 0 && sum.shapeless == 0 && sum.sizeless == 1);
}

QTEST_GUILESS_MAIN(TestUnknownSizes)
#include "tst_unknownsizes.moc"
