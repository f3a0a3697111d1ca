// SPDX-License-Identifier: GPL-3.0-or-later
// What the page says can be read: all columns of the figures, whole titles and numbers of maps, square cells where rows
// and columns are of one kind, and a readout beside what is compared.
#include "samplematrix.h"
#include "shownpage.h"

#include "views/heatmap/heatmap.h"
#include "views/routing/layerpanel.h"
#include "views/routing/loadplot.h"
#include "views/table/tableview.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTest>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

/// A page over a run that is kept, too.
struct Filled : Shown {
    explicit Filled(QSize size)
        : Shown(size)
    {
        TestRun run({}, store);
        run.fillWithStory();
        kept.keep(store);
    }
};

} // namespace

class TestRoutingReadable : public QObject {
    Q_OBJECT

private slots:
    void allColumnsAreSeen_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("a window of 1280 with details") << QSize(985, 640);
        QTest::newRow("a window of 1000 with details") << QSize(700, 520);
        QTest::newRow("1280") << QSize(1280, 800);
        QTest::newRow("1600") << QSize(1600, 900);
    }
    void allColumnsAreSeen()
    {
        QFETCH(const QSize, size);
        Filled shown(size);
        QVERIFY(shown.settled());
        TableView& table = shown.page.figures();
        const auto check = [&] {
            QCoreApplication::processEvents();
            const QHeaderView& header = *table.horizontalHeader();
            for (int column = 0; column < table.model()->columnCount(); ++column) {
                if (table.isColumnHidden(column))
                    continue;
                const int end = header.sectionViewportPosition(column) + header.sectionSize(column);
                QVERIFY2(end <= table.viewport()->width(),
                    qPrintable(
                        QStringLiteral("column %1: %2 of %3").arg(column).arg(end).arg(table.viewport()->width())));
                const QString name = table.model()->headerData(column, Qt::Horizontal).toString();
                QVERIFY(header.fontMetrics().horizontalAdvance(name) + grid::half < header.sectionSize(column));
                QVERIFY(table.model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString() != name
                    || column == LayerFiguresModel::Layer);
                for (int row = 0; row < table.model()->rowCount(); ++row) {
                    const QString text = table.model()->index(row, column).data().toString();
                    QVERIFY(table.fontMetrics().horizontalAdvance(text) + grid::half < header.sectionSize(column));
                }
            }
            QVERIFY(shown.page.map().width() >= 160 && shown.page.map().height() >= 96);
        };
        check();
        shown.page.bar().findChildren<QComboBox*>()[CompareChoice]->setCurrentIndex(
            1); // with the distance to the kept run
        QVERIFY(shown.settled());
        QVERIFY(!table.isColumnHidden(LayerFiguresModel::Distance));
        check();
        const QByteArray layout = shown.page.saveLayout();
        Filled other(size);
        QVERIFY(other.page.restoreLayout(layout));
    }

    /// Sizes that the user chose stay, until the figures have to go to the other side.
    void chosenSizesStay()
    {
        Filled shown({1280, 500});
        QVERIFY(shown.settled());
        const int before = shown.page.figures().width();
        const QSplitter* const halves = &shown.dragFigures(100);
        QCOMPARE(halves->orientation(), Qt::Horizontal);
        const QList<int> chosen = halves->sizes();
        QCOMPARE(chosen[1], before - 100);
        shown.page.resize(1400, 500);
        QCoreApplication::processEvents();
        QCOMPARE(halves->sizes()[1], chosen[1]); // the map takes what is new
        shown.page.resize(700, 600);
        QCoreApplication::processEvents();
        QCOMPARE(halves->orientation(), Qt::Vertical);
        shown.page.resize(1400, 500);
        QCoreApplication::processEvents();
        QCOMPARE(halves->orientation(), Qt::Horizontal);
    }

    void cellsChosenTogetherAreSquare()
    {
        for (const QSize size : {QSize(985, 640), QSize(1280, 800), QSize(700, 520)}) {
            Filled shown(size);
            QVERIFY(shown.settled());
            const HeatGeometry& geometry = shown.page.layerPanel().together().view().geometry();
            QCOMPARE(geometry.content().width(), geometry.content().height());
            QVERIFY(!geometry.content().isEmpty());
            QVERIFY(geometry.cellArea().size().width() >= geometry.content().width()
                && geometry.cellArea().size().height() >= geometry.content().height());
        }
        HeatGeometry geometry;
        geometry.square = true;
        geometry.rows = geometry.columns = 16;
        geometry.viewport = {400, 300};
        for (const double zoom : {1., 1.3, 2.}) {
            geometry.zoom = zoom;
            for (int item = 0; item < 16; ++item)
                QVERIFY(std::abs(geometry.cellRect(item, item).width() - geometry.cellRect(item, item).height()) <= 1);
        }
    }

    /// All of a title lies beside the cells, near to its own, and a cell that is cut by the edge has none there.
    void titlesAreWhole()
    {
        for (const int rows : {1, 3, 6, 16, 48, 128, 500}) {
            for (const int height : {60, 101, 150, 333}) {
                HeatGeometry geometry;
                geometry.rows = geometry.columns = rows;
                geometry.viewport = {400, height};
                for (const int item : {0, rows / 2, rows - 1}) {
                    const auto at = geometry.titleAt(item, 11, false);
                    QVERIFY(at && *at >= geometry.cellArea().top() && *at + 11 <= height);
                    QVERIFY(std::abs(*at + 5 - geometry.cellRect(item, 0).center().y()) <= 11);
                    const auto x = geometry.titleAt(item, 24, true);
                    QVERIFY(x && *x >= geometry.cellArea().left() && *x + 24 <= 400);
                }
            }
        }
        HeatGeometry geometry;
        geometry.rows = geometry.columns = 50;
        geometry.viewport = {300, 300};
        geometry.zoom = 4;
        geometry.scroll = {15, 15}; // most of the first cells is hidden
        QVERIFY(!geometry.titleAt(0, 11, false) && !geometry.titleAt(0, 16, true));
        QVERIFY(geometry.titleAt(1, 11, false) && geometry.titleAt(1, 16, true));
    }

    void theReadoutIsBesideWhatIsCompared_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("rows");
        QTest::newRow("wide") << QSize(900, 400) << 6;
        QTest::newRow("narrow") << QSize(340, 300) << 6;
        QTest::newRow("many rows") << QSize(600, 500) << 40;
    }
    void theReadoutIsBesideWhatIsCompared()
    {
        QFETCH(const QSize, size);
        QFETCH(const int, rows);
        HeatMap map(QStringLiteral("Map"));
        map.setValues(matrixOf(rows, 16), {HeatScale::Kind::Amount, 1000});
        map.resize(size);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        const HeatGeometry& geometry = map.view().geometry();
        auto* const readout = map.view().findChild<QLabel*>("readout");
        const int step = rows > 10 ? 7 : 1;
        for (int row = 0; row < rows; row += step) {
            for (int column = 0; column < 16; ++column) {
                const QRect cell = geometry.cellRect(row, column);
                QTest::mouseMove(map.view().viewport(), cell.center());
                QTRY_COMPARE(readout->text(), map.view().describe(row, column));
                QVERIFY(readout->isVisible());
                const QRect area = geometry.cellArea();
                const QRect tip = readout->geometry();
                QVERIFY(area.contains(tip)); // no title is hidden
                QVERIFY2(!tip.intersects(QRect(area.left(), cell.top(), area.width(), cell.height())),
                    qPrintable(QStringLiteral("row %1 column %2").arg(row).arg(column)));
                if (size.width() > 400) // else it is wider than what is beside the middle columns
                    QVERIFY(!tip.intersects(QRect(cell.left(), area.top(), cell.width(), area.height())));
                QVERIFY(readout->height() >= readout->heightForWidth(readout->width()) || !readout->wordWrap());
            }
        }
    }

    void readoutsLookAlike()
    {
        for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
            QApplication::setPalette(themePalette(scheme));
            Filled shown({1280, 800});
            QVERIFY(shown.settled());
            HeatView& cells = shown.page.map().view();
            QTest::mouseMove(cells.viewport(), cells.geometry().cellRect(1, 3).center());
            LoadPlot& loads = shown.page.layerPanel().loads();
            QTest::mouseMove(&loads, loads.axisRect()->rect().center());
            const QRgb ground = themePalette(scheme).color(QPalette::ToolTipBase).rgb();
            for (QWidget* const view : std::initializer_list<QWidget*>{&cells, &loads}) {
                auto* const readout = view->findChild<QLabel*>("readout");
                QTRY_VERIFY(!readout->text().isEmpty());
                QCOMPARE(readout->grab().toImage().pixel(1, 1), ground);
                QCOMPARE(readout->font(), monospaceFont());
            }
        }
        QApplication::setPalette(themePalette(ColorScheme::Light));
    }

    /// The numbers of the scale, the unit and the meaning of a cross are never cut: where they do not fit in one line,
    /// there are two.
    void legendsAreWhole()
    {
        HeatMap map(QStringLiteral("Map"));
        map.view().setNumberText([](double value) { return QString::asprintf("%+.1f%%", value); });
        map.legend().setUnit(QStringLiteral("of load zeroed"));
        map.legend().setMarkMeaning(QStringLiteral("no load in one"));
        HeatMatrix matrix = matrixOf(4, 4);
        matrix.marks.assign(16, 1);
        map.setValues(matrix, {HeatScale::Kind::Diverging, 100});
        map.show();
        const int line = map.legend().fontMetrics().height() + grid::unit;
        int before = 3;
        for (const int width : {240, 300, 420, 560, 900}) {
            map.resize(width, 300);
            QCoreApplication::processEvents();
            const int lines = map.legend().lines();
            QCOMPARE(map.legend().height(), lines * line);
            QVERIFY(lines <= before && lines >= 1 && (width > 240 ? lines <= 2 : lines == 2));
            for (int each = 0; each < lines; ++each)
                QVERIFY2(map.legend().neededWidth(each) <= map.legend().width(), qPrintable(QString::number(width)));
            before = lines;
            map.setValues(matrixOf(4, 4), {HeatScale::Kind::Diverging, 100}); // without a mark: nothing moves
            QCoreApplication::processEvents();
            QCOMPARE(map.legend().height(), lines * line);
            map.setValues(matrix, {HeatScale::Kind::Diverging, 100});
        }
        QCOMPARE(before, 1);
        QVERIFY(map.legend().neededWidth(0) > map.legend().fontMetrics().horizontalAdvance(map.legend().text()));
    }
};

QTEST_MAIN(TestRoutingReadable)
#include "tst_readable.moc"
