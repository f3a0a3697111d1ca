// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks stand where their axis has values, as many as have room; focus is seen with and without something drawn.
#include "ui/support/seen.h"
#include "views/plot/countticker.h"
#include "views/plot/plot.h"
#include "views/plot/plotlegend.h"
#include "views/theme/flatstyle.h"

#include <QAccessible>
#include <QLabel>
#include <QPainter>
#include <QTest>

#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

int rowsWithInk(const QImage& image, const QRect& where)
{
    const QRgb ground = image.pixel(where.topLeft());
    int rows = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        bool ink = false;
        for (int x = where.left(); x <= where.right(); ++x)
            ink = ink || image.pixel(x, y) != ground;
        rows += ink;
    }
    return rows;
}

} // namespace

class TestTicks : public QObject {
    Q_OBJECT

private slots:
    /// All pixels of a name in the legend are drawn, those below its line too.
    void legendsKeepDescenders()
    {
        const QString name = QStringLiteral("Hgjpqy");
        Plot plot(QStringLiteral("Legend"));
        placeLegendAbove(plot);
        plot.resize(400, 300);
        plot.addGraph()->setName(name);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        plot.legend->setBorderPen(Qt::NoPen);
        plot.replot();
        const QRect item = plot.legend->item(0)->outerRect();
        const QImage drawn = plot.toPixmap().toImage();
        QImage whole(200, 100, QImage::Format_RGB32);
        whole.fill(plot.palette().color(QPalette::Base));
        QPainter painter(&whole);
        painter.setPen(plot.palette().color(QPalette::Text));
        painter.setFont(plot.legend->font());
        painter.drawText(10, 50, name);
        painter.end();
        QVERIFY(rowsWithInk(whole, whole.rect()) > 5);
        QCOMPARE(rowsWithInk(drawn, item.adjusted(plot.legend->iconSize().width() + 1, 0, 0, 0)),
            rowsWithInk(whole, whole.rect()));
    }

    void ofCountsAreWhole_data()
    {
        QTest::addColumn<double>("end");
        for (const double end : {1., 3., 7., 9., 12., 20., 33., 60., 100., 250., 1000., 1e6})
            QTest::newRow(qPrintable(QString::number(end))) << end;
    }

    void ofCountsAreWhole()
    {
        QFETCH(double, end);
        for (const bool middles : {false, true}) {
            for (int count = 2; count <= 8; ++count) {
                CountTicker ticker;
                ticker.setMiddles(middles);
                ticker.setTickCount(count);
                QVector<double> ticks;
                QVector<double> between;
                ticker.generate({0, end}, {}, 'g', 6, ticks, &between, nullptr);
                for (const double tick : ticks + between) {
                    const double item = tick - (middles ? 0.5 : 0);
                    QVERIFY2(std::abs(item - std::round(item)) < 1e-9, qPrintable(QString::number(item)));
                }
                QVERIFY(ticks.size() > (end < 12 ? 0 : 1));
            }
        }
        CountTicker speed;
        speed.setWhole(false);
        QVector<double> ticks;
        QVector<double> between;
        speed.generate({0, 1}, {}, 'g', 6, ticks, &between, nullptr);
        QVERIFY(between.size() > 1);
    }

    void stepsOfTwoKeepTheWholeOneBetween()
    {
        CountTicker ticker;
        ticker.setTickCount(5);
        QVector<double> ticks;
        QVector<double> between;
        ticker.generate({0, 8}, {}, 'g', 6, ticks, &between, nullptr);
        QCOMPARE(ticks, (QVector<double>{0, 2, 4, 6, 8}));
        for (const double odd : {1., 3., 5., 7.})
            QVERIFY(between.contains(odd));
    }

    void haveRoomForTheirLabels()
    {
        Plot plot(QStringLiteral("Line"));
        plot.setWhole({0, 10}, {0, 10});
        plot.resize(800, 600);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        int drawn = 0;
        connect(&plot, &QCustomPlot::afterReplot, &plot, [&] { drawn = int(plot.xAxis->tickVector().size()); });
        const auto shown = [&](QSize size) {
            drawn = 0;
            plot.resize(size); // draws at once
            return drawn;
        };
        const int wide = shown({900, 600});
        const int narrow = shown({170, 600});
        QVERIFY2(wide > narrow && narrow > 0, qPrintable(QStringLiteral("%1 %2").arg(wide).arg(narrow)));
        plot.replot();
        QCOMPARE(int(plot.xAxis->tickVector().size()), narrow);
    }

    void titlesStayInside_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("whole");
        QTest::newRow("wide") << QSize(600, 400) << true;
        QTest::newRow("narrow") << QSize(165, 400) << false;
        QTest::newRow("narrow and low") << QSize(160, 112) << false;
    }

    void titlesStayInside()
    {
        QFETCH(QSize, size);
        QFETCH(bool, whole);
        Plot plot(QStringLiteral("Line"));
        const QString words = QStringLiteral("Time of the whole run");
        plot.setAxisTitles(words + QStringLiteral(" (s)"), QStringLiteral("Speed (tok/s)"));
        plot.setWhole({0, 10}, {0, 10});
        plot.resize(500, 400);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        plot.resize(size);
        QCoreApplication::processEvents();
        const QString title = plot.xAxis->label();
        QCOMPARE(title == plot.xTitle(), whole);
        QVERIFY2(title.endsWith(" (s)"), qPrintable(title));
        QVERIFY(plot.yAxis->label().endsWith(" (tok/s)"));
        QCOMPARE(plot.xTitle(), words + QStringLiteral(" (s)"));
        const QRect axes = plot.axisRect()->rect();
        const double half = plot.fontMetrics().horizontalAdvance(title) / 2.;
        QVERIFY(axes.center().x() - half >= -1 && axes.center().x() + half <= plot.width() + 1);
    }

    void focusIsSeenAroundWords()
    {
        Plot plot(QStringLiteral("Line"));
        plot.setEmptyText(QStringLiteral("No step yet."));
        plot.resize(400, 300);
        plot.show();
        plot.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&plot));
        plot.clearFocus();
        const Seen without(plot);
        plot.setFocus(Qt::TabFocusReason);
        QVERIFY(plot.hasFocus());
        const Seen with(plot);
        const QRgb ring = plot.palette().color(QPalette::Highlight).rgb();
        const QPoint sides[]{{0, 150}, {399, 150}, {200, 0}, {200, 299}};
        for (const QPoint side : sides) {
            QCOMPARE(with.pixel(side), ring);
            QVERIFY(without.pixel(side) != ring);
        }
        plot.resize(300, 200);
        QCOMPARE(Seen(plot).pixel(299, 100), ring);
        const QAccessibleInterface& accessible = *QAccessible::queryAccessibleInterface(&plot);
        QCOMPARE(accessible.text(QAccessible::Description), QStringLiteral("No step yet."));
        QVERIFY(plot.findChild<QLabel*>("empty")->geometry().contains(plot.axisRect()->rect())); // no axis is seen
    }
};

QTEST_MAIN(TestTicks)
#include "tst_ticks.moc"
