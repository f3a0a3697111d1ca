// SPDX-License-Identifier: GPL-3.0-or-later
// What the user has sized stays, and what the bar says is seen at every width.
#include "shownpage.h"

#include "views/routing/routingbar.h"
#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>

using namespace colibri;
using namespace colibri::test;

class TestRoutingSizes : public QObject {
    Q_OBJECT

private slots:
    void comparingKeepsTheSplitter()
    {
        Shown shown({1600, 900});
        TestRun run({600, layers, experts, 2, 1 << 20}, shown.store);
        run.setPrompt(run.ids("The hummingbird is small"));
        run.repeatUpTo(599);
        run.show();
        QVERIFY(shown.settled());
        auto* const split = qobject_cast<QSplitter*>(shown.page.figures().parentWidget());
        QVERIFY(split && split->orientation() == Qt::Horizontal);
        const int moved = split->sizes()[0] - 120;
        split->setSizes({moved, split->sizes()[1] + 120});
        const QList<int> chosen = split->sizes();
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
