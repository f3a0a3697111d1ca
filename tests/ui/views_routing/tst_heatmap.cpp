// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map: its pure parts exactly, its widget with real clicks, keys and wheel.
#include "samplematrix.h"

#include "stores/steps.h"
#include "ui/support/seen.h"
#include "views/heatmap/heatmap.h"
#include "views/theme/theme.h"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <limits>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Shown {
    HeatMap map{QStringLiteral("Map")};

    explicit Shown(HeatMatrix matrix, QSize size = {600, 400})
    {
        const double top = stepUp(largestMagnitude(matrix));
        map.setValues(std::move(matrix), {HeatScale::Kind::Amount, top});
        map.resize(size);
        map.show();
        QCoreApplication::processEvents();
    }
    HeatView& view() { return map.view(); }
    QPoint cell(int row, int column) { return view().geometry().cellRect(row, column).center(); }
    void wheel(QPoint at, int delta, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(
            at, view().viewport()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view().viewport(), &event);
    }
    QAction* action(const char* name) { return map.findChild<QAction*>(QLatin1String(name)); }
};

} // namespace

class TestHeatMap : public QObject {
    Q_OBJECT

private slots:
    void steps_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("step");
        const std::pair<double, double> rows[]{{0, 1}, {-3, 1}, {1, 1}, {1.01, 2}, {2, 2}, {3, 5}, {5, 5}, {6, 10},
            {10, 10}, {1000, 1000}, {1001, 2000}, {0.1, 0.1}, {0.11, 0.2}, {0.03, 0.05}, {0.001, 0.001},
            {123456, 200000}};
        for (const auto& [value, step] : rows)
            QTest::addRow("%g", value) << value << step;
    }
    void steps()
    {
        QFETCH(double, value);
        QFETCH(double, step);
        QCOMPARE(stepUp(value), step);
    }

    void topsStayWhereTheyAre()
    {
        QCOMPARE(steadyTop(0, 0.3, true), 0.5);
        QCOMPARE(steadyTop(0.5, 0.6, true), 1.); // grows at once
        QCOMPARE(steadyTop(1, 0.4, true), 1.); // shrinks late
        QCOMPARE(steadyTop(1, 0.3, true), 0.5);
        QCOMPARE(steadyTop(0, 28, false), 30.);
        QCOMPARE(steadyTop(50, 28, false), 30.); // a run has ended: the axis fits
        QCOMPARE(steadyTop(30, 19, false), 30.); // another layer: comparable
        QCOMPARE(steadyTop(30, 31, false), 40.);
    }

    void imagesAreExact()
    {
        HeatMatrix matrix = matrixOf(2, 3);
        matrix.values = {0, 5, 10, none, -10, 2};
        for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
            const QImage amounts = renderHeat(matrix, {0, 2}, {0, 3}, {HeatScale::Kind::Amount, 10}, scheme);
            QCOMPARE(amounts.size(), QSize(3, 2));
            QCOMPARE(amounts.format(), QImage::Format_ARGB32_Premultiplied);
            QCOMPARE(amounts.pixel(0, 0), amountColor(0, scheme));
            QCOMPARE(amounts.pixel(1, 0), amountColor(0.5, scheme));
            QCOMPARE(amounts.pixel(2, 0), amountColor(1, scheme));
            QCOMPARE(amounts.pixel(0, 1), noDataColor(scheme));
            const QImage part = renderHeat(matrix, {1, 2}, {1, 3}, {HeatScale::Kind::Diverging, 25}, scheme);
            QCOMPARE(part.size(), QSize(2, 1));
            QCOMPARE(part.pixel(0, 0), divergingColor(-0.4, scheme));
            QCOMPARE(part.pixel(1, 0), divergingColor(20. / 255, scheme));
        }
        QVERIFY(renderHeat(matrix, {0, 0}, {0, 3}, {}, ColorScheme::Light).isNull());
        QCOMPARE(largestMagnitude(matrix), 10.);
    }

    /// Every pixel of the cells belongs to the cell whose rectangle holds it, at every size and zoom.
    void geometryHasNoGaps()
    {
        for (const double zoom : {1., 1.7, 6.}) {
            HeatGeometry geometry;
            geometry.rows = 7;
            geometry.columns = 129;
            geometry.viewport = {401, 203};
            geometry.zoom = std::min(zoom, geometry.largestZoom());
            geometry.scroll = QPoint(geometry.scrollRange().width() / 2, geometry.scrollRange().height());
            const QRect area = geometry.cellArea();
            for (int x = area.left(); x <= area.right(); ++x) {
                const int column = geometry.columnAt(x);
                QVERIFY(column >= 0);
                QVERIFY(geometry.cellRect(0, column).left() <= x && geometry.cellRect(0, column).right() >= x);
            }
            for (int y = area.top(); y <= area.bottom(); ++y) {
                const int row = geometry.rowAt(y);
                QVERIFY(row >= 0);
                QVERIFY(geometry.cellRect(row, 0).top() <= y && geometry.cellRect(row, 0).bottom() >= y);
            }
            QCOMPARE(geometry.columnAt(area.left() - 1), -1);
            QCOMPARE(geometry.visibleColumns().first, geometry.columnAt(area.left()));
            QCOMPARE(geometry.visibleColumns().end, geometry.columnAt(area.right()) + 1);
        }
    }

    void clickingAndWalking()
    {
        Shown shown(matrixOf(6, 16));
        QSignalSpy chosen(&shown.map, &HeatMap::chosen);
        QTest::mouseClick(shown.view().viewport(), Qt::LeftButton, {}, shown.cell(2, 5));
        QCOMPARE(chosen.takeLast(), (QList<QVariant>{2, 5}));
        const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&shown.view(), key, modifiers);
            return QPoint(shown.view().currentRow(), shown.view().currentColumn());
        };
        QCOMPARE(press(Qt::Key_Right), QPoint(2, 6));
        QCOMPARE(press(Qt::Key_Down), QPoint(3, 6));
        QCOMPARE(press(Qt::Key_Home), QPoint(3, 0));
        QCOMPARE(press(Qt::Key_Left), QPoint(3, 0));
        QCOMPARE(press(Qt::Key_End), QPoint(3, 15));
        QCOMPARE(press(Qt::Key_End, Qt::ControlModifier), QPoint(5, 15));
        QCOMPARE(press(Qt::Key_Up), QPoint(4, 15));
        QCOMPARE(press(Qt::Key_Home, Qt::ControlModifier), QPoint(0, 0));
        QCOMPARE(chosen.last(), (QList<QVariant>{0, 0}));
        QCOMPARE(shown.view().currentText(), QStringLiteral("layer 0, expert 0: 0"));
        QAccessibleInterface* const accessible = QAccessible::queryAccessibleInterface(&shown.view());
        QCOMPARE(accessible->text(QAccessible::Value), shown.view().currentText());
        QCOMPARE(accessible->text(QAccessible::Name), QStringLiteral("Map"));
        QTest::mouseClick(shown.view().viewport(), Qt::LeftButton, {}, {3, shown.cell(4, 0).y()}); // a row's title
        QCOMPARE(chosen.last(), (QList<QVariant>{4, -1}));
        QCOMPARE(shown.view().currentText(), QString());
    }

    void wheelZoomsAroundThePointer()
    {
        Shown shown(matrixOf(48, 128));
        const QPoint at = shown.cell(20, 90);
        QCOMPARE(shown.view().geometry().zoom, 1.);
        for (int turn = 0; turn < 20; ++turn)
            shown.wheel(at, 120, turn == 0 ? Qt::NoModifier : Qt::ControlModifier);
        const HeatGeometry& geometry = shown.view().geometry();
        QCOMPARE(geometry.zoom, geometry.largestZoom());
        QVERIFY(geometry.smallestCell().width() >= 50);
        QCOMPARE(geometry.columnAt(at.x()), 90);
        QCOMPARE(geometry.rowAt(at.y()), 20);
        const int before = geometry.scroll.y();
        shown.wheel(at, -120);
        QVERIFY(geometry.scroll.y() > before);
        shown.view().setCurrent(47, 127);
        QVERIFY(geometry.cellArea().contains(geometry.cellRect(47, 127)));
        QTest::keyClick(&shown.view(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(geometry.zoom, 1.);
        QTest::keyClick(&shown.view(), Qt::Key_Plus);
        QVERIFY(geometry.zoom > 1);
        shown.action("resetView")->trigger();
        QCOMPARE(geometry.zoom, 1.);
    }

    void readoutAndLegend()
    {
        Shown shown(matrixOf(6, 16));
        auto* const readout = shown.view().findChild<QLabel*>("readout");
        QVERIFY(!readout->isVisible());
        QTest::mouseMove(shown.view().viewport(), shown.cell(5, 15));
        QTRY_VERIFY(readout->isVisible());
        QCOMPARE(readout->text(), QStringLiteral("layer 5, expert 15: 95"));
        QVERIFY(shown.view().viewport()->rect().contains(readout->geometry()));
        shown.map.legend().setUnit(QStringLiteral("decisions"));
        shown.map.legend().setMarkMeaning(QStringLiteral("dead"));
        QCOMPARE(shown.map.legend().text(), QStringLiteral("0 to 100 decisions"));
        HeatMatrix marked = matrixOf(2, 2);
        marked.marks = {0, 0, 1, 0};
        shown.map.setValues(std::move(marked), {HeatScale::Kind::Diverging, 5});
        QCOMPARE(shown.map.legend().text(), QStringLiteral("-5 to 5 decisions; \u2715 dead"));
    }

    /// Cells are their colours, a mark is a cross in them, and a cell without a value says so.
    void painting()
    {
        HeatMatrix matrix = matrixOf(2, 4);
        matrix.values = {0, 1, none, 4, 2, 2, 2, 2};
        matrix.marks = {1, 0, 0, 0, 0, 0, 0, 0};
        Shown shown(matrix);
        shown.view().setNumberText([](double) { return QString(); });
        const auto corner = [&](int row, int column) {
            return shown.view().geometry().cellRect(row, column).topLeft() + QPoint(3, 3);
        };
        for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
            shown.map.setPalette(themePalette(scheme));
            const Seen image(*shown.view().viewport());
            QCOMPARE(image.pixel(corner(0, 1)), amountColor(1. / 5, scheme));
            QCOMPARE(image.pixel(corner(0, 3)), amountColor(4. / 5, scheme));
            QCOMPARE(image.pixel(corner(0, 2)), noDataColor(scheme));
            QCOMPARE(image.pixel(corner(0, 0)), amountColor(0, scheme));
            const auto differs = [&](int column) {
                const QPoint middle = shown.cell(0, column);
                int other = 0;
                for (int x = -6; x <= 6; ++x)
                    other += image.pixel(middle + QPoint(x, x)) != image.pixel(corner(0, column));
                return other;
            };
            QVERIFY(differs(0) >= 8);
            QCOMPARE(differs(1), 0);
        }
    }

    void valuesAndPictures()
    {
        HeatMatrix matrix = matrixOf(2, 2);
        matrix.values[3] = none;
        Shown shown(matrix);
        shown.action("copyValues")->trigger();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("layer,expert 0,expert 1\n0,0,1\n1,2,\n"));
        shown.action("showTable")->trigger();
        QVERIFY(shown.map.findChild<QDialog*>("valueTable")->isVisible());
        shown.action("copyPicture")->trigger();
        QCOMPARE(QApplication::clipboard()->pixmap().size(), shown.map.size() * 2);
        shown.action("savePicture")->trigger();
        auto* const dialog = shown.map.findChild<QDialog*>("saveDialog");
        QVERIFY(dialog && dialog->isVisible());
        dialog->close();
    }

    void emptyAndShrinking()
    {
        Shown shown(matrixOf(6, 16));
        shown.view().setCurrent(5, 15);
        shown.map.setValues(matrixOf(2, 3), {});
        QCOMPARE(shown.view().currentRow(), -1);
        shown.view().setEmptyText(QStringLiteral("nothing"));
        shown.map.setValues({}, {});
        QTest::keyClick(&shown.view(), Qt::Key_Right);
        QTest::keyClick(&shown.view(), Qt::Key_Plus);
        QTest::mouseClick(shown.view().viewport(), Qt::LeftButton, {}, {80, 80});
        shown.wheel({80, 80}, 120);
        QCOMPARE(shown.view().currentRow(), -1);
        QVERIFY(!shown.map.grab().isNull());
    }
};

QTEST_MAIN(TestHeatMap)
#include "tst_heatmap.moc"
