// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/plot.h"

#include "ui/support/seen.h"
#include "views/plot/plotexport.h"
#include "views/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace colibri;

namespace {

/// A shown plot of y = x from 0 to 10.
struct Shown {
    Plot plot{QStringLiteral("Line")};

    Shown()
    {
        plot.resize(480, 320);
        plot.setAxisTitles("x (ms)", "y (MiB)");
        plot.addGraph()->setData(QVector<double>{0, 10}, QVector<double>{0, 10});
        plot.setWhole({0, 10}, {0, 10});
        plot.setReadout([](double x, double y) { return QStringLiteral("%1 %2").arg(x, 0, 'f', 1).arg(y, 0, 'f', 1); });
        plot.setValues([] { return ValueTable{{"x", "y"}, {{0, 0}, {10, std::nan("")}}}; });
        plot.show();
    }
    bool exposed() { return QTest::qWaitForWindowExposed(&plot); }
    QPoint middle() const { return plot.axisRect()->rect().center(); }
    QAction* action(const char* name) const { return plot.findChild<QAction*>(QLatin1String(name)); }
    void wheel(int steps, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QWheelEvent event(middle(), plot.mapToGlobal(middle()), {}, {0, 120 * steps}, Qt::NoButton, modifiers,
            Qt::NoScrollPhase, false);
        QApplication::sendEvent(&plot, &event);
    }
};

} // namespace

class TestPlot : public QObject {
    Q_OBJECT

private slots:
    void wheelAndKeysZoomAndComeBack();
    void dragging();
    void aClickPicks();
    void theWholeFollowsUntilZoomed();
    void readout();
    void colours();
    void values();
    void pictures_data();
    void pictures();
    void picturesThatCannotBe();
};

void TestPlot::wheelAndKeysZoomAndComeBack()
{
    Shown shown;
    QVERIFY(shown.exposed());
    Plot& plot = shown.plot;
    shown.wheel(1);
    QVERIFY(plot.isZoomed());
    QVERIFY(std::abs(plot.xAxis->range().size() - 8) < 1e-9);
    QCOMPARE(plot.yAxis->range(), QCPRange(0, 10));
    shown.wheel(1, Qt::ShiftModifier);
    QVERIFY(std::abs(plot.yAxis->range().size() - 8) < 1e-9);
    QTest::keyClick(&plot, Qt::Key_Home);
    QVERIFY(!plot.isZoomed());
    QCOMPARE(plot.xAxis->range(), QCPRange(0, 10));
    QTest::keyClick(&plot, Qt::Key_Right);
    QVERIFY(std::abs(plot.xAxis->range().lower - 1) < 1e-9);
    QTest::keyClick(&plot, Qt::Key_Plus);
    QTest::keyClick(&plot, Qt::Key_Minus);
    QVERIFY(std::abs(plot.xAxis->range().lower - 1) < 1e-9);
    shown.action("resetView")->trigger();
    QCOMPARE(plot.xAxis->range(), QCPRange(0, 10));
    plot.setZoomable(Qt::Horizontal);
    QTest::keyClick(&plot, Qt::Key_Up);
    QTest::keyClick(&plot, Qt::Key_Plus);
    QCOMPARE(plot.yAxis->range(), QCPRange(0, 10));
}

void TestPlot::dragging()
{
    Shown shown;
    QVERIFY(shown.exposed());
    Plot& plot = shown.plot;
    QSignalSpy picked(&plot, &Plot::picked);
    const int tenth = plot.axisRect()->width() / 10;
    QTest::mousePress(&plot, Qt::LeftButton, {}, shown.middle());
    QTest::mouseMove(&plot, shown.middle() + QPoint(tenth, 0));
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, shown.middle() + QPoint(tenth, 0));
    QVERIFY(std::abs(plot.xAxis->range().lower + 1) < 0.05);
    QCOMPARE(picked.size(), 0);
    QTest::mouseDClick(&plot, Qt::LeftButton, {}, shown.middle());
    QCOMPARE(plot.xAxis->range(), QCPRange(0, 10));
}

void TestPlot::aClickPicks()
{
    Shown shown;
    QVERIFY(shown.exposed());
    QSignalSpy picked(&shown.plot, &Plot::picked);
    QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.middle());
    QCOMPARE(picked.size(), 1);
    QVERIFY(std::abs(picked[0][0].toDouble() - 5) < 0.1);
    QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, QPoint(1, 1)); // beside the axes
    QCOMPARE(picked.size(), 1);
}

void TestPlot::theWholeFollowsUntilZoomed()
{
    Shown shown;
    shown.plot.setWhole({0, 20}, {0, 5});
    QCOMPARE(shown.plot.xAxis->range(), QCPRange(0, 20));
    shown.wheel(1);
    const QCPRange zoomed = shown.plot.xAxis->range();
    shown.plot.setWhole({0, 30}, {0, 5});
    QCOMPARE(shown.plot.xAxis->range(), zoomed);
    shown.plot.resetView();
    QCOMPARE(shown.plot.xAxis->range(), QCPRange(0, 30));
}

void TestPlot::readout()
{
    Shown shown;
    QVERIFY(shown.exposed());
    auto* const label = shown.plot.findChild<QLabel*>("readout");
    QVERIFY(label && !label->isVisible());
    QTest::mouseMove(&shown.plot, shown.middle());
    QTRY_VERIFY(label->isVisible());
    QCOMPARE(label->text(), QStringLiteral("5.0 5.0"));
    shown.plot.setWhole({0, 20}, {0, 10}); // under a pointer at rest
    shown.plot.replot();
    QCOMPARE(label->text(), QStringLiteral("10.0 5.0"));
    shown.plot.setWhole({0, 10}, {0, 10});
    shown.plot.replot();
    QVERIFY(shown.plot.rect().contains(label->geometry()));
    QTest::mouseMove(&shown.plot, QPoint(shown.plot.axisRect()->right() - 1, shown.plot.axisRect()->top() + 1));
    QVERIFY(shown.plot.rect().contains(label->geometry()));
}

void TestPlot::colours()
{
    Shown shown;
    QVERIFY(shown.exposed());
    QSignalSpy changed(&shown.plot, &Plot::schemeChanged);
    for (const ColorScheme scheme : {ColorScheme::Dark, ColorScheme::Light}) {
        shown.plot.setPalette(themePalette(scheme));
        QCOMPARE(changed.takeLast()[0].value<ColorScheme>(), scheme);
        const QRgb ground = themePalette(scheme).color(QPalette::Base).rgb();
        shown.plot.replot();
        QCOMPARE(test::Seen(shown.plot).pixel(2, 2), ground);
        QVERIFY(contrastRatio(shown.plot.xAxis->tickLabelColor().rgb(), ground) >= 4.5);
        QVERIFY(contrastRatio(shown.plot.xAxis->labelColor().rgb(), ground) >= 4.5);
    }
}

void TestPlot::values()
{
    Shown shown;
    QVERIFY(shown.exposed());
    shown.action("copyValues")->trigger();
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("x,y\n0,0\n10,\n"));
    shown.action("showTable")->trigger();
    auto* const dialog = shown.plot.findChild<QDialog*>("valueTable");
    QVERIFY(dialog && dialog->isVisible());
    dialog->close();
    ValueTableModel model({{"x"}, {{1}, {2}}});
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QCOMPARE(model.rowCount(), 2);
}

void TestPlot::pictures_data()
{
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("png") << QByteArray("\x89PNG");
    QTest::newRow("svg") << QByteArray("<?xml");
    QTest::newRow("pdf") << QByteArray("%PDF");
}

void TestPlot::pictures()
{
    QFETCH(const QByteArray, start);
    Shown shown;
    QVERIFY(shown.exposed());
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.") + QTest::currentDataTag());
    QCOMPARE(exportPlot(shown.plot, path), QString());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith(start));
    QVERIFY(bytes.size() > 1000);
}

void TestPlot::picturesThatCannotBe()
{
    Shown shown;
    QVERIFY(exportPlot(shown.plot, "/nowhere/at/all.png").contains("/nowhere/at/all.png"));
    QVERIFY(exportPlot(shown.plot, "a.gif").contains(".png, .svg or .pdf"));
}

QTEST_MAIN(TestPlot)
#include "tst_plot.moc"
