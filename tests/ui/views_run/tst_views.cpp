// SPDX-License-Identifier: GPL-3.0-or-later
// Grid and details with real clicks and keys, and what the text shares with them.
#include "shownviews.h"

#include "ui/support/seen.h"
#include "views/run/routerbars.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QWheelEvent>

using namespace colibri;
using namespace colibri::test;

namespace {

void wheel(QWidget& widget, QPoint at, int delta, Qt::KeyboardModifiers modifiers = {})
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

QString valueOf(QWidget& widget)
{
    QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(&widget);
    return interface ? interface->text(QAccessible::Value) : QString();
}

} // namespace

class TestViews : public QObject {
    Q_OBJECT

private slots:
    void clickInTheTextSelectsEverywhere()
    {
        Views views;
        views.run.fillWithStory();
        QCOMPARE(views.details.report().has_value(), false);
        QTest::mouseClick(views.text.viewport(), Qt::LeftButton, {}, views.text.tokenRect(17).center());
        QCOMPARE(views.selection.selection().token, 17);
        QCOMPARE(views.selection.selection().layer, 0);
        QCOMPARE(views.details.report()->position, 17);
        QVERIFY(views.grid.geometry().cellArea().contains(views.grid.geometry().cellRect(17, 0)));
        QTest::mouseClick(views.grid.viewport(), Qt::LeftButton, {}, views.grid.geometry().cellRect(18, 3).center());
        QCOMPARE(views.selection.selection(), (Selection{18, 3, -1, -1}));
        QCOMPARE(views.details.report()->layer, 3);
        QCOMPARE(views.details.findChild<QSpinBox*>()->value(), 3);
        views.details.findChild<QSpinBox*>()->setValue(5);
        QCOMPARE(views.selection.selection(), (Selection{18, 5, -1, -1}));
    }

    void keysWalkThroughTheGrid()
    {
        Views views;
        views.run.fillWithStory();
        const int last = views.store.tokens() - 1;
        const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&views.grid, static_cast<Qt::Key>(key), modifiers);
            const GridGeometry& geometry = views.grid.geometry();
            const Selection& at = views.selection.selection();
            [&] { QVERIFY(geometry.cellArea().contains(geometry.cellRect(at.token, at.layer))); }();
            return std::pair(at.token, at.layer);
        };
        QCOMPARE(press(Qt::Key_Down), std::pair(last, 0));
        QCOMPARE(press(Qt::Key_Down), std::pair(last, 1));
        QCOMPARE(press(Qt::Key_Left), std::pair(last - 1, 1));
        QCOMPARE(press(Qt::Key_Home), std::pair(0, 1));
        QCOMPARE(press(Qt::Key_Up), std::pair(0, 0));
        QCOMPARE(press(Qt::Key_Up), std::pair(0, 0));
        QCOMPARE(press(Qt::Key_End, Qt::ControlModifier), std::pair(last, 5));
        QCOMPARE(press(Qt::Key_Down), std::pair(last, 5));
        QVERIFY(press(Qt::Key_PageUp).first < last - 3);
        QVERIFY(press(Qt::Key_PageDown).first > last - 3);
        QCOMPARE(press(Qt::Key_Home, Qt::ControlModifier), std::pair(0, 0));
    }

    void headersSelectOneCoordinate()
    {
        Views views;
        views.run.fillWithStory();
        views.selection.select({4, 2, -1, -1});
        const GridGeometry& geometry = views.grid.geometry();
        QTest::mouseClick(views.grid.viewport(), Qt::LeftButton, {}, {geometry.cellRect(6, 0).center().x(), 20});
        QCOMPARE(views.selection.selection(), (Selection{6, 2, -1, -1}));
        const QPoint layer(10, geometry.cellRect(0, 4).center().y());
        QTest::mouseClick(views.grid.viewport(), Qt::LeftButton, {}, layer);
        QCOMPARE(views.selection.selection(), (Selection{6, 4, -1, -1}));
        QSignalSpy activated(&views.grid, &ExpertGridView::layerActivated);
        QTest::mouseDClick(views.grid.viewport(), Qt::LeftButton, {}, layer);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].toInt(), 4);
    }

    void wheelScrollsAndZooms()
    {
        Views views;
        views.run.fillWithStory();
        QScrollBar& bar = *views.grid.horizontalScrollBar();
        QCOMPARE(bar.value(), bar.maximum());
        wheel(*views.grid.viewport(), {300, 150}, 120);
        QCOMPARE(bar.value(), bar.maximum() - 120);
        QVERIFY(!views.grid.followsEnd());
        bar.setValue(bar.maximum() / 2);
        const int zoom = views.grid.zoom();
        const int token = views.grid.geometry().tokenAt(300);
        wheel(*views.grid.viewport(), {300, 150}, -120, Qt::ControlModifier);
        QCOMPARE(views.grid.zoom(), zoom - 1);
        QCOMPARE(views.grid.geometry().tokenAt(300), token); // what is under the pointer stays there
        QTest::keyClick(&views.grid, Qt::Key_Plus);
        QCOMPARE(views.grid.zoom(), zoom);
        QTest::keyClick(&views.grid, Qt::Key_Minus);
        QTest::keyClick(&views.grid, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(views.grid.zoom(), zoom);
        views.grid.setZoom(99);
        QCOMPARE(views.grid.zoom(), zoomLevels - 1);
        views.grid.setZoom(-1);
        QCOMPARE(views.grid.zoom(), 0);
    }

    void growingFollowsTheEndUnlessTheUserLooksElsewhere()
    {
        Views views;
        views.run.setPrompt(views.run.ids("The hummingbird"));
        const auto grow = [&](int count) {
            for (int i = 0; i < count; ++i) {
                views.run.append(views.run.ids(" never still.\n")[std::size_t(i) % 4]);
                views.run.show();
            }
        };
        grow(120);
        QVERIFY(views.text.followsEnd() && views.grid.followsEnd());
        QVERIFY(views.text.verticalScrollBar()->maximum() > 0);
        views.text.verticalScrollBar()->setValue(10);
        views.grid.horizontalScrollBar()->setValue(10);
        grow(50);
        QCOMPARE(views.text.verticalScrollBar()->value(), 10);
        QCOMPARE(views.grid.horizontalScrollBar()->value(), 10);
        QTest::keyClick(&views.text, Qt::Key_End, Qt::ControlModifier);
        QTest::keyClick(&views.grid, Qt::Key_End);
        grow(20);
        QVERIFY(views.text.followsEnd() && views.grid.followsEnd());
        QCOMPARE(views.grid.geometry().tokens, views.store.tokens());
        // The newest token has no decision yet: the report says so, and the next token brings it.
        views.selection.select({views.store.tokens() - 1, 0, -1, -1});
        QCOMPARE(views.details.report()->logitState, LogitState::NotRouted);
        grow(1);
        QCOMPARE(views.details.report()->logitState, LogitState::Held);
    }

    void toolTipsTellTheDecision()
    {
        Views views;
        views.run.fillWithStory();
        const RunRecord& record = views.run.record();
        const QString inText = toolTipAt(*views.text.viewport(), views.text.tokenRect(3).center());
        QVERIFY2(inText.contains(QStringLiteral("bird")), qPrintable(inText));
        QVERIFY(inText.contains(QStringLiteral("experts %1 (").arg(record.experts(3, 0)[0])));
        views.selection.select({20, 4, -1, -1});
        const QString inGrid = toolTipAt(*views.grid.viewport(), views.grid.geometry().cellRect(20, 4).center());
        QVERIFY2(
            inGrid.contains(QStringLiteral("Layer 4: experts %1 (").arg(record.experts(20, 4)[0])), qPrintable(inGrid));
        QVERIFY(inGrid.contains(logitText(record.margin(20, 4))));
    }

    void barsShowAndSelectExperts()
    {
        Views views;
        views.run.fillWithStory();
        views.selection.select({20, 4, -1, -1});
        auto& bars = *views.details.findChild<RouterBars*>();
        const TokenReport& report = *views.details.report();
        QCOMPARE(bars.rows(), barOrder(report, BarOrder::ByValue));
        QTest::mouseClick(bars.viewport(), Qt::LeftButton, {}, bars.rowRect(1).center());
        QCOMPARE(views.selection.selection(), (Selection{20, 4, 1, report.chosen[1].expert}));
        QTest::keyClick(&bars, Qt::Key_Down);
        QCOMPARE(views.selection.selection().expert, report.firstRejected);
        QCOMPARE(views.selection.selection().rank, -1);
        QVERIFY2(valueOf(bars).contains(QStringLiteral("first rejected")), qPrintable(valueOf(bars)));
        views.details.findChild<QComboBox*>()->setCurrentIndex(1);
        QCOMPARE(bars.rows().front(), 0);
        QTest::keyClick(&bars, Qt::Key_End);
        QCOMPARE(views.selection.selection().expert, 15);
        views.details.copyCsv();
        QCOMPARE(QApplication::clipboard()->text(), TokenReportText::csv(*views.details.report(), BarOrder::ByExpert));
        views.details.copyText();
        QCOMPARE(
            QApplication::clipboard()->text(), TokenReportText::plain(*views.details.report(), BarOrder::ByExpert));
    }

    void emptyDetailsOfferTheNewestToken()
    {
        Views views;
        auto& newest = *views.details.findChild<QPushButton*>();
        QVERIFY(!newest.isVisible());
        views.run.fillWithStory();
        QVERIFY(newest.isVisible());
        QTest::mouseClick(&newest, Qt::LeftButton);
        QCOMPARE(views.selection.selection().token, views.store.tokens() - 1);
        QVERIFY(!newest.isVisible());
        views.store.clear();
        QVERIFY(!views.details.report().has_value());
    }

    void anotherRunStartsFromNothing()
    {
        Views views;
        views.run.fillWithStory();
        views.selection.select({90, 4, -1, -1});
        TestRun next({64, 3, 8, 2, 1 << 20}, views.store);
        QVERIFY(!views.details.report().has_value()); // position 90 is not there
        next.setPrompt(next.ids("It drinks"));
        next.show();
        QCOMPARE(views.grid.geometry().layers, 3);
        QCOMPARE(views.grid.geometry().tokens, 3);
        for (QWidget* view : std::initializer_list<QWidget*>{&views.text, &views.grid, &views.details})
            QVERIFY(!view->grab().isNull());
        QTest::keyClick(&views.grid, Qt::Key_Left);
        QCOMPARE(views.selection.selection(), (Selection{2, 2, -1, -1}));
    }

    void coloursAreWhatIsPainted()
    {
        Views views;
        views.run.fillWithStory();
        views.selection.select({16, 0, -1, -1});
        const RunRecord& record = views.run.record();
        const ColorScheme scheme = ColorScheme::Light;
        for (const Coloring coloring : {Coloring{ColorBy::Expert, 2, 1}, Coloring{ColorBy::Margin, 3, 0}}) {
            views.text.setColoring(coloring);
            views.grid.setColoring(coloring);
            const Seen text(*views.text.viewport());
            for (const int token : {15, 17, 18})
                QCOMPARE(text.pixel(views.text.tokenRect(token).topLeft() + QPoint(1, 4)),
                    decisionColor(record, token, coloring.layer, coloring.by, coloring.rank, scheme));
            const Seen grid(*views.grid.viewport());
            for (const int layer : {1, 5})
                QCOMPARE(grid.pixel(views.grid.geometry().cellRect(16, layer).topLeft() + QPoint(1, 2)),
                    decisionColor(record, 16, layer, coloring.by, coloring.rank, scheme));
        }
    }

    void assistiveProgramsReadTheCurrentItem()
    {
        Views views;
        views.run.fillWithStory();
        QCOMPARE(valueOf(views.grid), QString());
        views.selection.select({3, 4, -1, -1});
        for (QWidget* view : std::initializer_list<QWidget*>{&views.text, &views.grid}) {
            QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(view);
            QVERIFY(interface);
            QVERIFY(!interface->text(QAccessible::Name).isEmpty());
            QVERIFY2(valueOf(*view).contains(QStringLiteral("bird")), qPrintable(valueOf(*view)));
        }
        QVERIFY(valueOf(views.grid).contains(QStringLiteral("layer 4")));
        QCOMPARE(QAccessible::queryAccessibleInterface(&views.grid)->role(), QAccessible::Table);
    }

    void narrowViewsPaint()
    {
        Views views;
        views.run.fillWithStory();
        for (QWidget* view : std::initializer_list<QWidget*>{&views.text, &views.grid, &views.details}) {
            view->resize(1, 1);
            QVERIFY(!view->grab().isNull());
            view->resize(40, 30);
            QVERIFY(!view->grab().isNull());
        }
    }
};

QTEST_MAIN(TestViews)
#include "tst_views.moc"
