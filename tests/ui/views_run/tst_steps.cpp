// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/testrun.h"
#include "views/run/promptpanel.h"

#include <QAction>
#include <QComboBox>
#include <QSpinBox>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

/// When a run that has ended can be stepped through anew.
class TestSteps : public QObject {
    Q_OBJECT

private slots:
    void anotherWayToCompute_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addColumn<bool>("another"); // it may make other tokens
        for (const char* const option :
            {"Numerics", "Instructions", "Activations", "KV cache", "Not finite", "Context"})
            QTest::newRow(option) << QString::fromLatin1(option) << true;
        for (const char* const option : {"Threads", "Batch"})
            QTest::newRow(option) << QString::fromLatin1(option) << false;
    }
    void anotherWayToCompute()
    {
        QFETCH(const QString, option);
        QFETCH(const bool, another);
        RunStore store;
        PromptPanel panel(store);
        TestRun run({}, store);
        panel.setModel(run.model());
        panel.setPrompt(QStringLiteral("Once"));
        panel.engine().setFolded(false);
        panel.show();
        RunStart start;
        start.model = run.model();
        start.record = std::make_shared<RunRecord>(run.record().shape());
        start.timings = std::make_shared<TimingRing>(timingRingCapacity);
        start.spec = panel.spec();
        store.begin(start);
        store.finish(StopReason::MaxTokens);
        const QAction& step = *panel.runActions()[2];
        QVERIFY(!step.isEnabled());
        QWidget* field = nullptr;
        for (QWidget* const widget : panel.engine().findChildren<QWidget*>()) {
            if (widget->accessibleName() == option)
                field = widget;
        }
        QVERIFY(field);
        field->setFocus();
        QTest::keyClick(field, qobject_cast<QComboBox*>(field) ? Qt::Key_Down : Qt::Key_Up);
        QVERIFY(panel.engine().options() != start.spec.engine);
        QCOMPARE(step.isEnabled(), another);
        panel.engine().resetToDefaults();
        QVERIFY(!step.isEnabled());
    }
};

QTEST_MAIN(TestSteps)
#include "tst_steps.moc"
