// SPDX-License-Identifier: GPL-3.0-or-later
// What the user has sized stays, and what the bar says is seen at every width.
#include "shownpage.h"

#include "views/routing/routingbar.h"
#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>

#include <memory>

using namespace colibri;
using namespace colibri::test;

class TestRoutingSizes : public QObject {
    Q_OBJECT

private slots:
    void comparingKeepsTheSplitter()
    {
        Shown shown({1600, 500}); // too low for map and table above each other
        TestRun run({600, layers, experts, 2, 1 << 20}, shown.store);
        run.setPrompt(run.ids("The hummingbird is small"));
        run.repeatUpTo(599);
        run.show();
        QVERIFY(shown.settled());
        const int before = shown.page.figures().width();
        const QSplitter* const split = &shown.dragFigures(-120);
        QCOMPARE(split->orientation(), Qt::Horizontal);
        const QList<int> chosen = split->sizes();
        QCOMPARE(chosen[1], before + 120);
        const auto figures = [&] { return shown.page.figures().horizontalHeader()->length(); };
        const int columns = figures();
        for (int turn = 0; turn < 3; ++turn) {
            shown.choose(CompareChoice, 2); // answer minus prompt
            QVERIFY(shown.settled());
            QCOMPARE(split->orientation(), Qt::Horizontal);
            QVERIFY(figures() > columns);
            QCOMPARE(split->sizes()[1], chosen[1] + figures() - columns);
            QCOMPARE(split->sizes()[0], chosen[0] - figures() + columns);
            shown.choose(CompareChoice, 0);
            QVERIFY(shown.settled());
            QCOMPARE(split->sizes(), chosen);
        }
    }

    /// The table is below the map while all rows of both have room there, in a wide window too.
    void tableStandsBesideWhereRowsNeedIt()
    {
        for (const auto& [count, orientation] : {std::pair(6U, Qt::Vertical), {48U, Qt::Horizontal}}) {
            Shown shown({1280, 800});
            TestRun run({60, count, experts, 2, 1 << 20}, shown.store);
            run.setPrompt(run.ids("The hummingbird is small"));
            run.repeatUpTo(50);
            run.show();
            QVERIFY(shown.settled());
            const TableView& table = shown.page.figures();
            QCOMPARE(qobject_cast<QSplitter*>(table.parentWidget())->orientation(), orientation);
            if (orientation == Qt::Vertical)
                QVERIFY(table.viewport()->height() >= table.verticalHeader()->length());
            else
                QCOMPARE(table.horizontalScrollBar()->maximum(), 0);
        }
    }

    /// Below the map the table has a row for each layer once there is a run, also when that begins while the page is
    /// seen; what the user sizes stays, in the window of the next start too.
    void tableGrowsWithItsRows()
    {
        Shown shown({700, 900});
        TableView& table = shown.page.figures();
        const auto begin = [](Shown& on, std::uint32_t count) {
            auto run = std::make_unique<TestRun>(TestRun::Shape{60, count, experts, 2, 1 << 20}, on.store);
            run->setPrompt(run->ids("The hummingbird is small"));
            run->repeatUpTo(50);
            run->show();
            return run;
        };
        for (const std::uint32_t count : {3U, 6U, 4U}) {
            const auto run = begin(shown, count);
            QVERIFY(shown.settled());
            QCOMPARE(table.model()->rowCount(), int(count));
            const int spare = table.viewport()->height() - table.verticalHeader()->length();
            QVERIFY2(spare >= 0 && spare < table.rowHeight(0), qPrintable(QString::number(spare)));
        }
        const QList<int> chosen = shown.dragFigures(-60).sizes();
        Shown next({700, 900});
        QVERIFY(next.page.restoreLayout(shown.page.saveLayout()));
        for (Shown* const window : {&shown, &next}) {
            const auto run = begin(*window, 6);
            QVERIFY(window->settled());
            QCOMPARE(qobject_cast<QSplitter*>(window->page.figures().parentWidget())->sizes(), chosen);
        }
    }

    void theNoteIsSeenAtEveryWidth()
    {
        RoutingBar bar;
        bar.setNote("counting: 100,000 of 200,000");
        bar.show();
        const auto* const note = bar.findChild<QLabel*>({}, Qt::FindDirectChildrenOnly);
        QVERIFY(note);
        for (int width = 1100; width >= bar.minimumSizeHint().width(); width -= 7) {
            bar.resize(width, bar.heightForWidth(width));
            QCoreApplication::processEvents();
            QVERIFY2(note->width() >= 12 * grid::unit, qPrintable(QString::number(width)));
            QVERIFY(bar.rect().contains(note->geometry()));
        }
    }
};

QTEST_MAIN(TestRoutingSizes)
#include "tst_sizes.moc"
