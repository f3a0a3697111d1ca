// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/seen.h"
#include "ui/support/testrun.h"
#include "views/run/expertgridview.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"
#include "views/theme/tips.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QTableWidget>
#include <QTest>
#include <QTextDocumentFragment>
#include <QToolTip>

using namespace colibri;
using namespace colibri::test;

namespace {

/// What is read in the tool tip there, as rich text where Qt takes it for that.
QString readAt(QWidget& widget, QPoint at)
{
    const QString tip = toolTipAt(widget, at);
    return Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
}

QLabel& labelOf(QWidget& widget, const QString& accessibleName)
{
    const QList<QLabel*> labels = widget.findChildren<QLabel*>();
    return **std::ranges::find(labels, accessibleName, &QLabel::accessibleName);
}

/// A run whose first token is the special one "<s>".
struct Marked {
    Marked()
        : run({}, store)
    {
        auto model = std::make_shared<ModelFacts>(*testModel(true));
        model->tokenBytes.back() = "<s>";
        const auto special = static_cast<TokenId>(model->tokenBytes.size() - 1);
        const auto record = std::make_shared<RunRecord>(run.record().shape());
        store.begin({model, record, std::make_shared<TimingRing>(timingRingCapacity), {}, 0, 0});
        record->setPrompt(std::vector<TokenId>{special, special});
        run.show();
    }
    RunStore store;
    TestRun run;
    SelectionStore selection;
};

} // namespace

class TestTips : public QObject {
    Q_OBJECT

private slots:
    void tokensAreShownAsTheyAre()
    {
        Marked marked;
        QCOMPARE(marked.store.tokens(), 2);
        TokenTextView text(marked.store, marked.selection);
        text.resize(500, 300);
        text.show();
        ExpertGridView grid(marked.store, marked.selection);
        grid.resize(500, 300);
        grid.show();
        QCoreApplication::processEvents();
        for (const QString& tip : {readAt(*text.viewport(), text.tokenRect(1).center()),
                 readAt(*grid.viewport(), grid.geometry().cellRect(1, 2).center())}) {
            QVERIFY2(tip.contains(QStringLiteral("<s> (special)")), qPrintable(tip));
            QVERIFY2(tip.split(u'\n').size() > 2, qPrintable(tip));
        }
        marked.selection.select({1, 2, -1, -1});
        TokenDetails details(marked.store, marked.selection);
        details.resize(360, 700);
        details.setVisible(true);
        QLabel& token = labelOf(details, QStringLiteral("Token"));
        token.setFixedWidth(token.fontMetrics().horizontalAdvance(QStringLiteral("<s> (")));
        QCoreApplication::processEvents();
        QVERIFY(token.text().contains(QChar(0x2026)));
        QCOMPARE(readAt(token, {2, 2}), QStringLiteral("<s> (special)\nWhat the token adds to the text"));
    }

    void cellsAreShownAsTheyAre()
    {
        QTableWidget table(1, 2);
        table.setItem(0, 0, new QTableWidgetItem(QStringLiteral("name")));
        table.item(0, 0)->setToolTip(QStringLiteral("<b>.weight\nnext"));
        table.show();
        const auto shows = [&](int column) {
            const QPoint at =
                table.visualItemRect(table.item(0, 0)).center() + QPoint(column * table.columnWidth(0), 0);
            return showItemTip(QHelpEvent(QEvent::ToolTip, at, table.viewport()->mapToGlobal(at)), table);
        };
        QVERIFY(shows(0));
        QCOMPARE(QTextDocumentFragment::fromHtml(QToolTip::text()).toPlainText(), QStringLiteral("<b>.weight\nnext"));
        QVERIFY(!shows(1));
        QCOMPARE(plainTip({}), QString());
    }

    void whatIsNotTimedHasNoStages()
    {
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store);
        run.fillWithStory();
        TokenDetails details(store, selection);
        details.resize(500, 700);
        details.setVisible(true);
        const QLabel& time = labelOf(details, QStringLiteral("Time"));
        const QString meaning = QStringLiteral("Computing time of the step");
        selection.select({store.tokens() - 4, 0, -1, -1});
        QVERIFY2(time.toolTip().contains(QStringLiteral("ms")), qPrintable(time.toolTip()));
        selection.select({store.tokens() - 1, 0, -1, -1}); // the newest one did not go through the layers yet
        QCOMPARE(time.text(), QStringLiteral("not timed"));
        QVERIFY2(time.toolTip().contains(meaning), qPrintable(time.toolTip()));
    }
};

QTEST_MAIN(TestTips)
#include "tst_tips.moc"
