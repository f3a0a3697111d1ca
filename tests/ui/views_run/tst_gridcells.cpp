// SPDX-License-Identifier: GPL-3.0-or-later
// Where the cells of the grid lie, their colours and digits: pure functions.
#include "ui/support/testrun.h"
#include "views/cells/cellimage.h"
#include "views/cells/gridgeometry.h"
#include "views/run/gridcells.h"
#include "views/theme/theme.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace colibri;
using namespace colibri::test;

class TestGridCells : public QObject {
    Q_OBJECT

private slots:
    void geometryAndItsInverseAgree()
    {
        GridGeometry grid;
        grid.tokens = 1000;
        grid.layers = 48;
        grid.viewport = {500, 300};
        for (int level = 0; level < zoomLevels; ++level) {
            grid.cell = cellSize(level);
            for (const QPoint scroll :
                {QPoint(0, 0), QPoint(37, 11), QPoint(grid.scrollRange().width(), grid.scrollRange().height())}) {
                grid.scroll = {std::min(scroll.x(), grid.scrollRange().width()),
                    std::min(scroll.y(), grid.scrollRange().height())};
                const Range tokens = grid.visibleTokens();
                for (const int token : {tokens.first, tokens.end - 1}) {
                    const QRect cell = grid.cellRect(token, grid.visibleLayers().first).intersected(grid.cellArea());
                    QVERIFY(!cell.isEmpty());
                    QCOMPARE(grid.tokenAt(cell.center().x()), token);
                    QCOMPARE(grid.layerAt(cell.center().y()), grid.visibleLayers().first);
                }
                if (tokens.first > 0)
                    QVERIFY(grid.cellRect(tokens.first - 1, 0).right() < grid.cellArea().left());
                QVERIFY(tokens.end == 1000 || grid.cellRect(tokens.end, 0).left() > grid.cellArea().right());
            }
            for (const int token : {0, 17, 999}) {
                grid.scroll = grid.scrollShowing(token, 47);
                QVERIFY(grid.cellArea().contains(grid.cellRect(token, 47)));
                QCOMPARE(grid.scrollShowing(token, 47), grid.scroll);
            }
        }
        QCOMPARE(grid.tokenAt(10), -1); // in the header
        QCOMPARE(grid.tokenAt(500), -1);
        grid.tokens = 2;
        grid.scroll = {};
        QCOMPARE(grid.tokenAt(499), -1); // behind the last one
    }

    void stepsAndIdsFit()
    {
        QCOMPARE(labelStep(100, 30), 1);
        QCOMPARE(labelStep(10, 30), 5);
        QCOMPARE(labelStep(2, 30), 20);
        QCOMPARE(idsThatFit({44, 20}, 16, 8, 16), 2);
        QCOMPARE(idsThatFit({43, 20}, 16, 8, 16), 1);
        QCOMPARE(idsThatFit({44, 15}, 16, 8, 16), 0);
        QCOMPARE(idsThatFit({8, 20}, 16, 8, 16), 0);
    }

    void cellsHaveTheColoursOfTheirDecisions()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
            for (const ColorBy by : {ColorBy::Expert, ColorBy::Margin, ColorBy::Nothing}) {
                for (const int rank : {0, 1}) {
                    const CellRequest request{{5, 60}, {1, 6}, 50, by, rank, scheme};
                    const QImage image = renderCells(run.record(), request, false);
                    QCOMPARE(image.size(), QSize(55, 5));
                    for (int token = 5; token < 60; ++token)
                        for (int layer = 1; layer < 6; ++layer)
                            QCOMPARE(image.pixel(token - 5, layer - 1),
                                token < 50 ? decisionColor(run.record(), token, layer, by, rank, scheme)
                                           : themeColors(scheme).pending);
                }
            }
        }
        QVERIFY(renderCells(run.record(), {{5, 5}, {0, 6}}, false).isNull());
    }

    void decisionColoursAreTheMapsOwn()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const RunRecord& record = run.record();
        QCOMPARE(decisionColor(record, 9, 3, ColorBy::Expert, 1, ColorScheme::Dark),
            expertColor(record.experts(9, 3)[1], 16, ColorScheme::Dark));
        QCOMPARE(decisionColor(record, 9, 3, ColorBy::Margin, 0, ColorScheme::Light),
            amountColor(marginShare(record.margin(9, 3)), ColorScheme::Light));
        QCOMPARE(decisionColor(record, 9, 3, ColorBy::Expert, 2, ColorScheme::Light),
            noDataColor(ColorScheme::Light)); // no such rank
        QCOMPARE(marginShare(0.f), 0.0);
        QCOMPARE(marginShare(1.f), 0.5);
        QVERIFY(std::isnan(marginShare(std::numeric_limits<float>::quiet_NaN())));
    }

    void zeroedCellsAreMarked()
    {
        RunStore store;
        TestRun run({}, store);
        run.zeroNext();
        run.setPrompt(run.ids("The"));
        const QImage image =
            renderCells(run.record(), {{0, 1}, {0, 6}, 1, ColorBy::Expert, 0, ColorScheme::Light}, true);
        QCOMPARE(image.pixel(0, 1), themeColors(ColorScheme::Light).errorText);
        QVERIFY(image.pixel(0, 0) != themeColors(ColorScheme::Light).errorText);
    }

    void digitsSpellTheIds()
    {
        RunStore store;
        TestRun run({}, store);
        run.fillWithStory();
        const CellRequest request{{3, 9}, {0, 6}, 8, ColorBy::Expert, 0, ColorScheme::Light};
        const QSize cell(44, 20);
        const DigitMetrics metrics{8, 15, 2, 2};
        const CellText text = cellText(run.record(), request, cell, metrics);
        for (int token = 3; token < 9; ++token) {
            for (int layer = 0; layer < 6; ++layer) {
                const QRectF here(QPointF((token - 3) * 44, layer * 20), QSizeF(cell));
                std::map<double, quint32> found;
                const QRgb ground = token < 8
                    ? decisionColor(run.record(), token, layer, ColorBy::Expert, 0, ColorScheme::Light)
                    : 0xff000000;
                const bool dark = readableOn(ground) == qRgb(0, 0, 0);
                const CellDigits& ink = dark ? text.dark : text.light;
                for (qsizetype i = 0; i < ink.digits.size(); ++i)
                    if (here.contains(ink.points[i]))
                        found[ink.points[i].x()] = ink.digits[i];
                QString read;
                double last = -1;
                for (const auto& [x, digit] : found) {
                    if (last >= 0 && x > last + 8)
                        read += u' ';
                    read += QString::number(digit);
                    last = x;
                }
                const auto experts =
                    run.record().experts(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(layer));
                QCOMPARE(read, token < 8 ? QStringLiteral("%1 %2").arg(experts[0]).arg(experts[1]) : QString());
            }
        }
    }

    void everyPixelIsOfItsCell()
    {
        std::mt19937 random(11);
        for (int round = 0; round < 50; ++round) {
            const auto edges = [&](int cells, int largest) {
                std::vector<int> at{int(random() % 100) - 50}; // partly scrolled out
                for (int i = 0; i < cells; ++i)
                    at.push_back(at.back() + int(random() % unsigned(largest + 1)));
                return at;
            };
            const std::vector<int> columns = edges(40, 45);
            const std::vector<int> rows = edges(12, 30);
            QImage cells(40, 12, QImage::Format_ARGB32_Premultiplied);
            for (int y = 0; y < 12; ++y)
                for (int x = 0; x < 40; ++x)
                    cells.setPixel(x, y, qRgb(x, y, round));
            const QImage spread = spreadCells(cells, columns, rows);
            QCOMPARE(spread.size(), QSize(columns.back() - columns[0], rows.back() - rows[0]));
            for (std::size_t row = 0; row < 12; ++row)
                for (std::size_t column = 0; column < 40; ++column)
                    for (int y = rows[row]; y < rows[row + 1]; ++y)
                        for (int x = columns[column]; x < columns[column + 1]; ++x)
                            if (spread.pixel(x - columns[0], y - rows[0]) != cells.pixel(int(column), int(row)))
                                QFAIL(qPrintable(QStringLiteral("%1, %2").arg(x).arg(y)));
        }
        QVERIFY(spreadCells(QImage(1, 1, QImage::Format_RGB32), std::vector{3, 3}, std::vector{0, 9}).isNull());
    }
};

QTEST_GUILESS_MAIN(TestGridCells)
#include "tst_gridcells.moc"
