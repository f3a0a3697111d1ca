// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen where there is little room, and limits by the context.
#include "ui/support/testmodel.h"
#include "ui/support/testrun.h"
#include "views/run/colorbar.h"
#include "views/run/promptpanel.h"
#include "views/run/runfigures.h"
#include "views/theme/elided.h"

#include <QLabel>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

using namespace colibri;
using namespace colibri::test;

namespace {

/// A model with a context of 512 tokens.
ModelFactsPtr shortModel()
{
    auto model = std::make_shared<ModelFacts>(*testModel(true));
    model->config.maxSeqLen = 512;
    return model;
}

QSpinBox* spin(QWidget& owner, const char* name)
{
    for (auto* const box : owner.findChildren<QSpinBox*>())
        if (box->accessibleName() == QLatin1String(name))
            return box;
    return nullptr;
}

} // namespace

class TestNarrow : public QObject {
    Q_OBJECT

private slots:
    void theEndsOfAFoldedLineStay_data()
    {
        QTest::addColumn<int>("characters");
        QTest::addColumn<QString>("line");
        QTest::newRow("all") << 41 << QStringLiteral("S: temp. 0.80, top-k 40, seed 7, max. 128");
        QTest::newRow("one less") << 40 << QStringLiteral("S: temp. 0.80, top-k 40, \u2026, max. 128");
        QTest::newRow("the ends") << 35 << QStringLiteral("S: temp. 0.80, \u2026, max. 128");
        QTest::newRow("no room") << 5 << QStringLiteral("S: temp. 0.80, \u2026, max. 128");
    }
    void theEndsOfAFoldedLineStay()
    {
        QFETCH(const int, characters);
        QFETCH(const QString, line);
        QCOMPARE(foldedLine(QStringLiteral("S"),
                     {QStringLiteral("temp. 0.80"), QStringLiteral("top-k 40"), QStringLiteral("seed 7"),
                         QStringLiteral("max. 128")},
                     [&](const QString& text) { return text.size() <= characters; }),
            line);
    }

    void theFoldSaysWhatMatters()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.sampling().setChoice({{0.8f, 40, 0.95f, 0.05f, 1.1f, 1234567890123456789ull}, 128, true});
        panel.resize(panel.minimumWidth(), 600);
        panel.show();
        QCoreApplication::processEvents();
        const auto* const fold = panel.sampling().findChild<QToolButton*>();
        QVERIFY2(fold->text().contains("0.80") && fold->text().endsWith("max. 128"), qPrintable(fold->text()));
        QVERIFY(fold->sizeHint().width() <= fold->width());
        QVERIFY(fold->toolTip().contains("seed 1234567890123456789"));
        const QString narrow = fold->text();
        panel.resize(1400, 600);
        QCoreApplication::processEvents();
        QVERIFY(fold->text().size() > narrow.size() && fold->text().contains("top-k 40"));
    }

    void theAnswerHasRoomInTheContext()
    {
        RunStore store;
        PromptPanel panel(store);
        QSpinBox* const most = spin(panel.sampling(), "At most");
        most->setValue(4000);
        QCOMPARE(panel.spec().maxTokens, 4000u); // no model yet
        panel.setModel(shortModel());
        QCOMPARE(panel.spec().maxTokens, 512u);
        spin(panel.engine(), "Context")->setValue(100);
        QCOMPARE(panel.spec().maxTokens, 100u);
        QCOMPARE(most->maximum(), 100);
        spin(panel.engine(), "Context")->setValue(0);
        QCOMPARE(panel.spec().maxTokens, 512u);
        panel.setModel(nullptr);
        QCOMPARE(panel.spec().maxTokens, 4000u); // what was asked for comes back
        panel.setModel(shortModel());
        most->setValue(30);
        panel.setModel(nullptr);
        QCOMPARE(panel.spec().maxTokens, 30u);
    }

    void numbersHaveUnits()
    {
        RunStore store;
        PromptPanel panel(store);
        panel.setModel(shortModel());
        QCOMPARE(spin(panel.engine(), "Batch")->text(), QStringLiteral("256 tokens"));
        QCOMPARE(spin(panel.engine(), "Context")->text(), QStringLiteral("model's, 512"));
        spin(panel.engine(), "Context")->setValue(64);
        QCOMPARE(spin(panel.engine(), "Context")->text(), QStringLiteral("64 tokens"));
    }

    void theWheelScrollsAndChangesNothing()
    {
        SamplingForm form;
        form.setFolded(false);
        form.show();
        QSpinBox* const most = spin(form, "At most");
        most->clearFocus();
        const int value = most->value();
        QWheelEvent wheel({5, 5}, most->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
            Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(most, &wheel);
        QCOMPARE(most->value(), value);
        QVERIFY(!wheel.isAccepted()); // it goes on to the area that scrolls
    }

    void everyBandHasNumbers()
    {
        QCOMPARE(numberStep(8, 96, 12), 1u);
        QCOMPARE(numberStep(16, 320, 20), 1u);
        QCOMPARE(numberStep(16, 140, 20), 4u);
        QCOMPARE(numberStep(128, 300, 28), 16u);
        QCOMPARE(numberStep(4, 1, 28), 4u); // the first only
        ColorLegend legend;
        legend.show(ColorBy::Expert, 64);
        legend.resize(200, legend.sizeHint().height());
        const QImage image = legend.grab().toImage();
        int inked = 0; // above the band, where nothing but numbers can be
        for (int x = 0; x < image.width(); ++x)
            inked += image.pixelColor(x, image.height() / 4) != image.pixelColor(0, 0);
        QVERIFY(inked > 4);
    }

    void figuresGiveWayToTheState()
    {
        RunStore store;
        QWidget page;
        RunFigures figures(store, &page);
        page.show();
        const auto shown = [&](int width) {
            figures.resize(width, figures.sizeHint().height());
            QCoreApplication::processEvents();
            QStringList names;
            for (const QLabel* const label : figures.findChildren<QLabel*>())
                if (label->isVisible() && !label->accessibleName().isEmpty())
                    names << label->accessibleName();
            return names;
        };
        QCOMPARE(shown(1200).size(), 5);
        const QStringList narrow = shown(450);
        QVERIFY(narrow.contains("State of the run") && narrow.contains("Tokens") && !narrow.contains("Last"));
        QCOMPARE(shown(1200).size(), 5);
        QVERIFY(figures.minimumSizeHint().width() < 300);
    }

    void longTextsEndInAnEllipsis()
    {
        ElidedLabel label;
        label.setText(QString(200, u'W'));
        QVERIFY(label.minimumSizeHint().width() < 100);
        label.resize(60, 20);
        const QImage cut = label.grab().toImage();
        label.setText(label.fontMetrics().elidedText(label.text(), Qt::ElideRight, 60));
        QCOMPARE(label.grab().toImage(), cut);
        ElidedButton button;
        button.setText(QString(200, u'W'));
        QVERIFY(button.minimumSizeHint().width() < 100);
        QVERIFY(button.sizeHint().width() > 600);
    }
};

QTEST_MAIN(TestNarrow)
#include "tst_narrow.moc"
