// SPDX-License-Identifier: GPL-3.0-or-later
// The Routing page with real clicks and keys: what is chosen, what is remembered, and when it works at all.
#include "shownpage.h"

#include "views/routing/expertpanel.h"
#include "views/routing/layerpanel.h"
#include "views/routing/loadplot.h"
#include "views/routing/marginplot.h"
#include "views/table/tableview.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QSpinBox>
#include <QSplitter>

using namespace colibri;
using namespace colibri::test;

class TestPage : public QObject {
    Q_OBJECT

private slots:
    void choosingACell()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        shown.clickCell(2, 5);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 2, -1, 5, -1}));
        QVERIFY(shown.settled());
        QTableView& tokens = shown.page.expertPanel().tokens();
        std::vector<int> served;
        for (int position = 0; position < shown.store.routed(); ++position) {
            if (tally(run.record(), 2, 5, position, position + 1).load > 0)
                served.push_back(position);
        }
        QVERIFY(served.size() > 3);
        QCOMPARE(tokens.model()->rowCount(), int(served.size()));
        for (int row = 0; row < tokens.model()->rowCount(); ++row)
            QCOMPARE(tokens.model()->index(row, ServedTokensModel::Position).data().toInt(), served[std::size_t(row)]);
        const QModelIndex second = tokens.model()->index(1, ServedTokensModel::Position);
        tokens.scrollToTop();
        QTest::mouseClick(tokens.viewport(), Qt::LeftButton, {}, tokens.visualRect(second).center());
        QCOMPARE(shown.selection.selection().token, served[1]);
        QCOMPARE(shown.selection.selection().layer, 2);
        QCOMPARE(shown.selection.selection().expert, 5);
        const int rank = shown.selection.selection().rank;
        QCOMPARE(int(run.record().experts(std::uint32_t(served[1]), 2)[std::size_t(rank)]), 5);
        QTest::keyClick(&shown.map(), Qt::Key_Right);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 2, -1, 6, -1}));
    }

    void followingTheSelection()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        shown.selection.select({-1, 4, -1, 7});
        QVERIFY(shown.settled());
        QCOMPARE(QPoint(shown.map().currentRow(), shown.map().currentColumn()), QPoint(4, 7));
        QCOMPARE(shown.page.layerPanel().findChild<QSpinBox*>()->value(), 4);
        QCOMPARE(shown.page.figures().currentIndex().row(), 4);
        QCOMPARE(shown.page.routing().profile().expert(), 7);
        shown.selection.select({10, 1, 0, -1}); // a token elsewhere: its layer, the expert stays
        QCOMPARE(QPoint(shown.map().currentRow(), shown.map().currentColumn()), QPoint(1, 7));
        shown.selection.select({-1, -1, -1, -1, 3}); // a tensor: not of this page
        QCOMPARE(shown.map().currentRow(), 1);
        shown.page.layerPanel().findChild<QSpinBox*>()->setValue(5);
        QCOMPARE(shown.selection.selection(), (Selection{-1, 5, -1, 7, -1}));
    }

    void aHiddenPageDoesNothing()
    {
        Shown shown;
        shown.page.hide();
        TestRun run({}, shown.store);
        QSignalSpy painted(&shown.map(), &HeatView::currentChanged);
        run.fillWithStory();
        shown.selection.select({-1, 2, -1, 5});
        QTest::qWait(2 * RoutingPage::refreshMs);
        QCOMPARE(shown.page.routing().counted(), 0);
        QCOMPARE(painted.size(), 0);
        shown.page.show();
        QVERIFY(shown.settled());
        QCOMPARE(shown.page.routing().counted(), shown.store.routed());
        QCOMPARE(QPoint(shown.map().currentRow(), shown.map().currentColumn()), QPoint(2, 5));
        QVERIFY(shown.page.expertPanel().tokens().model()->rowCount() > 0);
    }

    void aRunningPageIsCalm()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.setPrompt(run.ids("The hummingbird is small"));
        run.show();
        QVERIFY(shown.settled());
        QSignalSpy refreshed(shown.page.figures().model(), &QAbstractItemModel::dataChanged);
        QElapsedTimer clock;
        clock.start();
        for (int token = 0; token < 100; ++token) {
            run.append(260);
            run.show();
            QTest::qWait(5);
        }
        const auto most = clock.elapsed() / RoutingPage::refreshMs + 2;
        QVERIFY(refreshed.size() <= most);
        QVERIFY(refreshed.size() > 1);
    }

    void anotherRunOfAnotherShape()
    {
        Shown shown;
        {
            TestRun run({}, shown.store);
            run.fillWithStory();
            shown.selection.select({-1, 5, -1, 15});
            QVERIFY(shown.settled());
        }
        TestRun run({.positions = 50, .layers = 1, .experts = 1, .k = 1}, shown.store);
        run.setPrompt(run.ids("The hummingbird"));
        run.show();
        QVERIFY(shown.settled());
        QCOMPARE(shown.map().matrix().rows, 1);
        QCOMPARE(shown.map().currentRow(), 0);
        QVERIFY(shown.page.layerPanel().together().view().matrix().isEmpty()); // one expert has no other
        QCOMPARE(shown.page.routing().profile().expert(), -1);
        QVERIFY(!shown.page.grab().isNull());
    }

    void theLayoutIsRemembered()
    {
        Shown shown;
        Shown other;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        QSplitter& parts = shown.page.layerPanel().parts();
        parts.setSizes({300, 150, 200});
        const QList<int> sizes = parts.sizes();
        QVERIFY(other.page.restoreLayout(shown.page.saveLayout()));
        TestRun again({}, other.store);
        again.fillWithStory();
        QVERIFY(other.settled());
        QCOMPARE(other.page.layerPanel().parts().sizes(), sizes);
        QVERIFY(!other.page.restoreLayout("nonsense"));
    }

    void everythingHasANameAndIsReached()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        for (QWidget* const widget : std::initializer_list<QWidget*>{&shown.map(), &shown.page.figures(),
                 &shown.page.layerPanel().loads(), &shown.page.layerPanel().together().view(),
                 &shown.page.layerPanel().margins(), &shown.page.expertPanel().tokens(),
                 &shown.page.expertPanel().texts(), shown.page.layerPanel().findChild<QSpinBox*>()}) {
            QVERIFY(!widget->accessibleName().isEmpty());
            QVERIFY(widget->focusPolicy() & Qt::TabFocus);
        }
        for (QComboBox* const box : shown.page.bar().findChildren<QComboBox*>())
            QVERIFY(!box->toolTip().isEmpty() && !box->accessibleName().isEmpty());
    }
};

QTEST_MAIN(TestPage)
#include "tst_page.moc"
