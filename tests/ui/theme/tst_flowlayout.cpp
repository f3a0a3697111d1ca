// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets flow into as many lines as they need, and none is lost.
#include "views/theme/flowlayout.h"

#include <QTest>
#include <QWidget>

using namespace colibri;

namespace {

constexpr int space = 8;
constexpr int height = 20;

QWidget* addTo(QWidget& bar, int width, QSizePolicy::Policy policy)
{
    auto* const item = new QWidget(&bar);
    item->setMinimumSize(width, height);
    item->setSizePolicy(policy, QSizePolicy::Fixed);
    bar.layout()->addWidget(item);
    return item;
}

} // namespace

class TestFlowLayout : public QObject {
    Q_OBJECT

private slots:
    void anyWidthIsNoLessThanTheMinimum()
    {
        QWidget bar;
        auto* const flow = new FlowLayout(&bar);
        flow->setContentsMargins(0, 0, 0, 0);
        flow->setSpacing(space);
        const QWidget* const first = addTo(bar, 100, QSizePolicy::Fixed);
        const QWidget* const second = addTo(bar, 150, QSizePolicy::Fixed);
        const QWidget* const note = addTo(bar, 60, QSizePolicy::Ignored);
        bar.show();
        const int all = 100 + space + 150 + space + 60;
        for (int width = 400; width >= 150; --width) {
            bar.resize(width, flow->heightForWidth(width));
            flow->activate();
            QVERIFY2(note->width() >= 60, qPrintable(QString::number(width)));
            QCOMPARE(note->geometry().right(), width - 1);
            QVERIFY(bar.rect().contains(note->geometry()));
            QVERIFY(!note->geometry().intersects(first->geometry()));
            QVERIFY(!note->geometry().intersects(second->geometry()));
            QCOMPARE(note->y() > second->y(), width < (width < 258 ? 150 + space + 60 : all));
        }
        QCOMPARE(flow->sizeHint().width(), all);
        QCOMPARE(flow->minimumSize().width(), 150);
    }
};

QTEST_MAIN(TestFlowLayout)
#include "tst_flowlayout.moc"
