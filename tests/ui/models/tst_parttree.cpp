// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/parttree.h"
#include "ui/support/testmodel.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QTest>

#include <set>

using namespace colibri;
using namespace colibri::test;

namespace {

/// The tree as lines, two blanks a level.
QStringList lines(const PartTree& tree, const QModelIndex& parent = {}, int depth = 0)
{
    QStringList found;
    for (int row = 0; row < tree.rowCount(parent); ++row) {
        const QModelIndex index = tree.index(row, 0, parent);
        found << QString(2 * depth, u' ') + index.data().toString();
        found += lines(tree, index, depth + 1);
    }
    return found;
}

/// All nodes.
QModelIndexList allNodes(const PartTree& tree, const QModelIndex& parent = {})
{
    QModelIndexList found;
    for (int row = 0; row < tree.rowCount(parent); ++row) {
        found << tree.index(row, 0, parent);
        found += allNodes(tree, found.last());
    }
    return found;
}

std::shared_ptr<ModelFacts> oddModel()
{
    auto model = std::make_shared<ModelFacts>();
    model->path = "/models/odd";
    model->files.push_back({"/models/odd/a.bin", 0});
    for (const char* name : {"lm_head.weight", "strange", "model.layers.60000.mlp.experts.9.up_proj.weight",
             "model.layers.60000.mlp.experts.2.weight", "model.norm.weight", "model.layers.60000.mlp.experts.9.bias",
             "model.embed_tokens.weight", "model.layers.4.rotary.inv_freq", "model.layers.4.mlp.gate.weight",
             "model.layers.4.mlp.shared_expert.up_proj.weight"})
        addTensor(*model, name, 0, DType::F32, {4});
    model->parts = partsOf(model->tensors);
    return model;
}

} // namespace

class TestPartTree : public QObject {
    Q_OBJECT

private slots:
    void shape();
    void sizes();
    void selections();
    void filterOracle();
    void identity();
    void tester();
    void large();
};

void TestPartTree::shape()
{
    PartTree tree;
    QCOMPARE(lines(tree), QStringList());
    tree.setModel(oddModel());
    const QStringList expected{"odd", "  Embedding", "    model.embed_tokens.weight", "  Layer 4", "    Router",
        "      mlp.gate.weight", "    Shared expert", "      mlp.shared_expert.up_proj.weight", "    Other",
        "      rotary.inv_freq", "  Layer 60000", "    Experts", "      Expert 2", "        weight", "      Expert 9",
        "        up_proj.weight", "        bias", "  Final norm", "    model.norm.weight", "  Head",
        "    lm_head.weight", "  Other", "    strange"};
    QCOMPARE(lines(tree), expected);
    tree.setFilter(QStringLiteral("experts.9"));
    QCOMPARE(lines(tree),
        (QStringList{
            "odd", "  Layer 60000", "    Experts", "      Expert 9", "        up_proj.weight", "        bias"}));
    tree.setFilter(QStringLiteral("never"));
    QCOMPARE(tree.rowCount(), 0);
    tree.setFilter({});
    QCOMPARE(lines(tree), expected);
    tree.setModel(std::make_shared<ModelFacts>());
    QCOMPARE(tree.rowCount(), 0);
}

void TestPartTree::sizes()
{
    const ModelFactsPtr model = makeModel({3, 4});
    PartTree tree;
    tree.setModel(model);
    for (const QModelIndex& node : allNodes(tree)) {
        if (tree.rowCount(node) == 0)
            continue;
        quint64 sum = 0;
        for (int row = 0; row < tree.rowCount(node); ++row)
            sum += tree.index(row, PartTree::Size, node).data(Qt::EditRole).toULongLong();
        QCOMPARE(node.siblingAtColumn(PartTree::Size).data(Qt::EditRole).toULongLong(), sum);
    }
    QCOMPARE(tree.index(0, PartTree::Size).data(Qt::EditRole).toULongLong(), model->mappedBytes);
    const QString toolTip = tree.find({-1, 1, -1, 2}).data(Qt::ToolTipRole).toString();
    QVERIFY2(toolTip.startsWith(QStringLiteral("Expert 2: ")) && toolTip.contains(QStringLiteral("tensors: 3")),
        qPrintable(toolTip));
}

void TestPartTree::selections()
{
    const ModelFactsPtr model = randomModel(2000, 4);
    PartTree tree;
    tree.setModel(model);
    for (int tensor = 0; tensor < 2000; ++tensor) {
        const TensorPart& part = model->parts[std::size_t(tensor)];
        const QModelIndex leaf = tree.find({-1, -1, -1, -1, tensor});
        QVERIFY(leaf.isValid() && tree.rowCount(leaf) == 0);
        QCOMPARE(tree.selectionOf(leaf), (Selection{-1, part.layer, -1, part.expert, tensor}));
        if (part.layer < 0)
            continue;
        const QModelIndex layer = tree.find({7, part.layer, 1, -1});
        QCOMPARE(layer.data().toString(), QStringLiteral("Layer %1").arg(part.layer));
        QCOMPARE(tree.selectionOf(layer), (Selection{-1, part.layer}));
        if (part.expert < 0)
            continue;
        const QModelIndex expert = tree.find({7, part.layer, 1, part.expert});
        QCOMPARE(expert.data().toString(), QStringLiteral("Expert %1").arg(part.expert));
        QCOMPARE(tree.selectionOf(expert), (Selection{-1, part.layer, -1, part.expert}));
        QCOMPARE(expert.parent().parent(), layer);
    }
    for (const Selection& none : {Selection{}, Selection{3}, Selection{-1, 61}, Selection{-1, 3, -1, 4000},
             Selection{-1, -1, -1, 3}, Selection{-1, -1, -1, -1, 2000}, Selection{-1, 1 << 30, -1, 1 << 30}})
        QVERIFY(!tree.find(none).isValid());
    QCOMPARE(tree.selectionOf(tree.index(0, 0)), Selection{});
    QCOMPARE(tree.selectionOf({}), Selection{});
}

void TestPartTree::filterOracle()
{
    const ModelFactsPtr model = randomModel(1500, 9);
    PartTree tree;
    tree.setModel(model);
    for (const char* text : {"down_proj", "layers.1", "EXPERT int8", "norm part3", ""}) {
        tree.setFilter(QString::fromLatin1(text));
        std::multiset<std::string> shown;
        for (const QModelIndex& node : allNodes(tree)) {
            if (const int tensor = tree.rowCount(node) == 0 ? tree.selectionOf(node).tensor : -1; tensor >= 0)
                shown.insert(model->tensors[std::size_t(tensor)].name);
            else
                QVERIFY(tree.rowCount(node) > 0); // no part without a match
        }
        QCOMPARE(int(shown.size()), tree.tensors());
        QVERIFY(!shown.empty());
        const std::string word = text;
        if (word == "down_proj" || word == "layers.1")
            QCOMPARE(shown.size(), std::size_t(std::ranges::count_if(model->tensors, [&](const TensorInfo& tensor) {
                return tensor.name.find(word) != std::string::npos;
            })));
    }
}

void TestPartTree::identity()
{
    PartTree tree;
    tree.setModel(makeModel({}));
    std::set<quint64> ids;
    const QModelIndexList nodes = allNodes(tree);
    for (const QModelIndex& node : nodes)
        ids.insert(node.data(PartTree::IdRole).toULongLong());
    QCOMPARE(qsizetype(ids.size()), nodes.size());
    const quint64 before = tree.find({-1, 2, -1, 5}).data(PartTree::IdRole).toULongLong();
    tree.setFilter(QStringLiteral("layers.2. experts.5."));
    QCOMPARE(tree.find({-1, 2, -1, 5}).data(PartTree::IdRole).toULongLong(), before);
}

void TestPartTree::tester()
{
    PartTree tree;
    const QAbstractItemModelTester tester(&tree, QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (const ModelFactsPtr& model : {ModelFactsPtr(makeModel({2, 3})), randomModel(100, 1), ModelFactsPtr(),
             ModelFactsPtr(oddModel()), ModelFactsPtr(std::make_shared<ModelFacts>())}) {
        tree.setModel(model);
        for (const char* text : {"expert", "nothing of that", "norm", ""})
            tree.setFilter(QString::fromLatin1(text));
    }
    tree.setModel(nullptr);
    QCOMPARE(tree.rowCount(), 0);
}

void TestPartTree::large()
{
    const ModelFactsPtr model = makeModel({48, 128, 64, 32, 256});
    PartTree tree;
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(partsOf(model->tensors), model->parts);
    const qint64 named = clock.restart();
    tree.setModel(model);
    const qint64 built = clock.restart();
    tree.setFilter(QStringLiteral("layers.3 down_proj"));
    const qint64 filtered = clock.restart();
    tree.setFilter({});
    QCOMPARE(tree.find({-1, 47, -1, 127}).data().toString(), QStringLiteral("Expert 127"));
    qInfo("%zu tensors, %d nodes: parts in %lld ms, tree in %lld ms, filtered in %lld ms", model->tensors.size(),
        tree.nodes(), named, built, filtered);
    QVERIFY(named < 1000 && built < 1000 && filtered < 1000);
}

QTEST_GUILESS_MAIN(TestPartTree)
#include "tst_parttree.moc"
