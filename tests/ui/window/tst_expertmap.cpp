// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/opening/expertmap.h"

#include <QTest>

#include <algorithm>

using namespace colibri;

class TestExpertMap : public QObject {
    Q_OBJECT

private slots:
    void gridFits_data();
    void gridFits();
    void cellsAndPlacesAgree();
    void imageShowsEveryState_data();
    void imageShowsEveryState();
    void aFailedExpertHasACross();
    void nothingToDraw();
    void statesCanBeToldApart();
};

void TestExpertMap::gridFits_data()
{
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("experts");
    QTest::addColumn<QSize>("available");
    QTest::addColumn<int>("cell");
    QTest::newRow("largest") << 2 << 4 << QSize(1000, 1000) << 24;
    QTest::newRow("width decides") << 2 << 100 << QSize(750, 1000) << 7;
    QTest::newRow("height decides") << 60 << 4 << QSize(1000, 330) << 5;
    QTest::newRow("never below a pixel") << 61 << 256 << QSize(100, 10) << 1;
    QTest::newRow("no model") << 0 << 0 << QSize(100, 100) << 0;
}

void TestExpertMap::gridFits()
{
    QFETCH(int, layers);
    QFETCH(int, experts);
    QFETCH(QSize, available);
    QFETCH(int, cell);
    const ExpertMapGrid grid = fitExpertMap(layers, experts, available);
    QCOMPARE(grid.cell, cell);
    if (cell > 1)
        QVERIFY(grid.size().width() <= available.width() && grid.size().height() <= available.height());
}

void TestExpertMap::cellsAndPlacesAgree()
{
    for (const int side : {1, 3, 4, 9}) {
        const ExpertMapGrid grid{3, 5, side, side >= 4 ? 1 : 0};
        for (int layer = 0; layer < 3; ++layer) {
            for (int expert = 0; expert < 5; ++expert) {
                QCOMPARE(grid.cellAt(grid.cellRect(layer, expert).center()), std::optional(QPoint(expert, layer)));
                QCOMPARE(grid.cellAt(grid.cellRect(layer, expert).topLeft()), std::optional(QPoint(expert, layer)));
            }
        }
        QVERIFY(!grid.cellAt({-1, 0}));
        QVERIFY(!grid.cellAt({0, 3 * side}));
        QVERIFY(!grid.cellAt({5 * side, 0}));
    }
    QVERIFY(!ExpertMapGrid().cellAt({0, 0}));
}

void TestExpertMap::imageShowsEveryState_data()
{
    QTest::addColumn<int>("cell");
    QTest::addColumn<double>("ratio");
    for (const double ratio : {1., 1.5, 2.}) {
        for (const int cell : {1, 4, 7, 24})
            QTest::addRow("%d at %.1f", cell, ratio) << cell << ratio;
    }
}

void TestExpertMap::imageShowsEveryState()
{
    QFETCH(int, cell);
    QFETCH(double, ratio);
    const ExpertMapGrid grid{4, 5, cell, cell >= 4 ? 1 : 0};
    std::vector<ExpertState> states;
    for (int i = 0; i < 20; ++i)
        states.push_back(ExpertState((i * 3 + i / 5) % expertStateCount));
    const ExpertStateColors colors = expertStateColors(ColorScheme::Dark);
    const QImage image = renderExpertMap(states, grid, colors, ratio);
    QCOMPARE(image.format(), QImage::Format_ARGB32_Premultiplied);
    QCOMPARE(image.devicePixelRatio(), ratio);
    QVERIFY(std::abs(image.width() - grid.size().width() * ratio) <= 1);
    for (int layer = 0; layer < 4; ++layer) {
        for (int expert = 0; expert < 5; ++expert) {
            const QRect rect = grid.cellRect(layer, expert);
            const QRgb expected = colors[std::size_t(states[std::size_t(layer * 5 + expert)])];
            QCOMPARE(image.pixel(qRound(rect.left() * ratio), qRound(rect.top() * ratio)), expected);
            if (grid.gap > 0)
                QCOMPARE(qAlpha(image.pixel(int((rect.right() + 2) * ratio) - 1, qRound(rect.top() * ratio))), 0);
        }
    }
}

void TestExpertMap::aFailedExpertHasACross()
{
    const ExpertStateColors colors = expertStateColors(ColorScheme::Light);
    const ExpertMapGrid grid{1, 2, 16, 1};
    const std::vector<ExpertState> states{ExpertState::Failed, ExpertState::Populated};
    const QImage image = renderExpertMap(states, grid, colors);
    QCOMPARE(image.pixel(grid.cellRect(0, 0).center()), readableOn(colors[std::size_t(ExpertState::Failed)]));
    QCOMPARE(image.pixel(grid.cellRect(0, 1).center()), colors[std::size_t(ExpertState::Populated)]);
}

void TestExpertMap::nothingToDraw()
{
    const ExpertStateColors colors = expertStateColors(ColorScheme::Light);
    QVERIFY(renderExpertMap({}, {}, colors).isNull());
    const std::vector<ExpertState> tooFew(3);
    QVERIFY(renderExpertMap(tooFew, {2, 2, 8, 1}, colors).isNull());
}

void TestExpertMap::statesCanBeToldApart()
{
    for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
        ExpertStateColors colors = expertStateColors(scheme);
        std::sort(colors.begin(), colors.end());
        QVERIFY(std::adjacent_find(colors.begin(), colors.end()) == colors.end());
    }
    const std::vector<ExpertState> states{ExpertState::Mapped, ExpertState::Failed, ExpertState::Mapped};
    QCOMPARE(countStates(states), (std::array<int, expertStateCount>{0, 2, 0, 0, 1}));
}

QTEST_APPLESS_MAIN(TestExpertMap)
#include "tst_expertmap.moc"
