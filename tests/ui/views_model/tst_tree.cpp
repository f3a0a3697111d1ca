// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/testmodel.h"
#include "views/model/modeltree.h"

#include <QLineEdit>
#include <QTest>
#include <QTreeView>

using namespace colibri;
using namespace colibri::test;

namespace {

struct Shown {
    OpenStore open;
    SelectionStore selection;
    ModelTree tree{open, selection};

    Shown()
    {
        tree.resize(320, 600);
        tree.show();
    }
    bool exposed() { return QTest::qWaitForWindowExposed(&tree); }
    QAbstractItemModel& model() { return *tree.tree().model(); }
    /// The node under these titles; invalid: there is none.
    QModelIndex at(const QStringList& titles)
    {
        QModelIndex found;
        for (const QString& title : titles) {
            QModelIndex next;
            for (int row = 0; row < model().rowCount(found) && !next.isValid(); ++row) {
                const QModelIndex child = model().index(row, 0, found);
                if (child.data().toString() == title)
                    next = child;
            }
            if (!next.isValid())
                return {};
            found = next;
        }
        return found;
    }
    void click(const QModelIndex& index)
    {
        tree.tree().scrollTo(index);
        QTest::mouseClick(tree.tree().viewport(), Qt::LeftButton, {}, tree.tree().visualRect(index).center());
    }
    QString current() { return tree.tree().currentIndex().data().toString(); }
};

const QString top = QStringLiteral("hummingbird");

} // namespace

class TestModelTree : public QObject {
    Q_OBJECT

private slots:
    void clicksSelect();
    void keysWalk();
    void followsSelection();
    void filterKeepsAncestors();
    void whatWasOpenComesBack();
    void ownChoiceStays();
};

void TestModelTree::clicksSelect()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.open.succeed(makeModel({}));
    shown.click(shown.at({top, "Layer 2"}));
    QCOMPARE(shown.selection.selection(), (Selection{-1, 2}));
    shown.tree.tree().expand(shown.at({top, "Layer 2"}));
    shown.tree.tree().expand(shown.at({top, "Layer 2", "Experts"}));
    shown.click(shown.at({top, "Layer 2", "Experts", "Expert 5"}));
    QCOMPARE(shown.selection.selection(), (Selection{-1, 2, -1, 5}));
    shown.tree.tree().expand(shown.at({top, "Layer 2", "Experts", "Expert 5"}));
    const QModelIndex tensor = shown.at({top, "Layer 2", "Experts", "Expert 5", "up_proj.weight"});
    QVERIFY(tensor.isValid());
    shown.click(tensor);
    const Selection selection = shown.selection.selection();
    QCOMPARE(selection.layer, 2);
    QCOMPARE(selection.expert, 5);
    QCOMPARE(shown.open.model()->tensors[std::size_t(selection.tensor)].name,
        std::string("model.layers.2.mlp.experts.5.up_proj.weight"));
    shown.click(shown.at({top}));
    QCOMPARE(shown.selection.selection(), Selection{});
}

void TestModelTree::keysWalk()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.open.succeed(makeModel({}));
    shown.click(shown.at({top, "Embedding"}));
    QCOMPARE(shown.selection.selection(), (Selection{-1, -1, -1, -1, 0})); // its only tensor
    QTest::keyClick(&shown.tree.tree(), Qt::Key_Down);
    QCOMPARE(shown.selection.selection(), (Selection{-1, 0}));
    QTest::keyClick(&shown.tree.tree(), Qt::Key_Right);
    QVERIFY(shown.tree.tree().isExpanded(shown.at({top, "Layer 0"})));
    QTest::keyClick(&shown.tree.tree(), Qt::Key_Down);
    QCOMPARE(shown.current(), QStringLiteral("Attention"));
    QCOMPARE(shown.selection.selection(), (Selection{-1, 0}));
}

void TestModelTree::followsSelection()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.open.succeed(makeModel({}));
    shown.selection.select({12, 3, 1, 6}); // an expert of a token
    QCOMPARE(shown.tree.tree().currentIndex(), shown.at({top, "Layer 3", "Experts", "Expert 6"}));
    QCOMPARE(shown.selection.selection(), (Selection{12, 3, 1, 6}));
    QVERIFY(shown.tree.tree().isExpanded(shown.at({top, "Layer 3", "Experts"})));
    shown.selection.select({12, 1});
    QCOMPARE(shown.current(), QStringLiteral("Layer 1"));
    shown.selection.select({12, 99});
    QVERIFY(!shown.tree.tree().currentIndex().isValid());
    shown.selection.select({-1, -1, -1, -1, 0});
    QCOMPARE(shown.current(), QStringLiteral("model.embed_tokens.weight"));
}

void TestModelTree::filterKeepsAncestors()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.open.succeed(makeModel({}));
    QTest::keyClicks(&shown.tree.filter(), QStringLiteral("experts.6. DOWN"));
    QVERIFY(shown.at({top, "Layer 0", "Experts", "Expert 6", "down_proj.weight"}).isValid());
    QVERIFY(shown.tree.tree().isExpanded(shown.at({top, "Layer 3", "Experts", "Expert 6"})));
    QVERIFY(!shown.at({top, "Embedding"}).isValid());
    QVERIFY(!shown.at({top, "Layer 0", "Attention"}).isValid());
    QVERIFY(!shown.at({top, "Layer 0", "Experts", "Expert 5"}).isValid());
    QVERIFY(!shown.at({top, "Layer 0", "Experts", "Expert 6", "up_proj.weight"}).isValid());
    shown.selection.select({-1, 1, -1, 2}); // not in the tree now
    QVERIFY(!shown.tree.tree().currentIndex().isValid());
    QTest::keyClicks(&shown.tree.filter(), QStringLiteral(" xyz"));
    QVERIFY(!shown.tree.tree().isVisible());
    shown.tree.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&shown.tree));
    shown.tree.filter().setFocus();
    QTest::keyClick(&shown.tree.filter(), Qt::Key_Escape);
    QVERIFY(shown.tree.tree().isVisible());
    QCOMPARE(shown.current(), QStringLiteral("Expert 2"));
}

void TestModelTree::whatWasOpenComesBack()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.open.succeed(makeModel({}));
    shown.tree.tree().expand(shown.at({top, "Layer 1"}));
    shown.tree.tree().expand(shown.at({top, "Layer 1", "Router"}));
    shown.tree.filter().setText(QStringLiteral("embed"));
    shown.tree.filter().setText(QStringLiteral("norm"));
    shown.tree.filter().clear();
    QVERIFY(shown.tree.tree().isExpanded(shown.at({top, "Layer 1"})));
    QVERIFY(shown.tree.tree().isExpanded(shown.at({top, "Layer 1", "Router"})));
    QVERIFY(!shown.tree.tree().isExpanded(shown.at({top, "Layer 0"})));
    QVERIFY(!shown.tree.tree().isExpanded(shown.at({top, "Layer 1", "Norms"})));
}

void TestModelTree::ownChoiceStays()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.open.succeed(makeModel({}));
    shown.tree.tree().expand(shown.at({top, "Layer 1"}));
    shown.click(shown.at({top, "Layer 1", "Experts"}));
    QCOMPARE(shown.selection.selection(), (Selection{-1, 1}));
    QCOMPARE(shown.current(), QStringLiteral("Experts"));
    shown.click(shown.at({top, "Layer 1", "Router"}));
    QCOMPARE(shown.current(), QStringLiteral("Router"));
    QVERIFY(shown.selection.selection().tensor >= 0);
    shown.selection.select({-1, 2});
    QCOMPARE(shown.current(), QStringLiteral("Layer 2"));
}

QTEST_MAIN(TestModelTree)
#include "tst_tree.moc"
