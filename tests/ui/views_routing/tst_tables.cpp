// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the page: their order, what is copied, and that their models keep Qt's rules.
#include "shownpage.h"

#include "views/routing/expertpanel.h"
#include "views/table/tableview.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSortFilterProxyModel>

#include <algorithm>

using namespace colibri;
using namespace colibri::test;

class TestTables : public QObject {
    Q_OBJECT

private slots:
    void servedTokensSort()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        shown.selection.select({-1, 2, -1, 5});
        QVERIFY(shown.settled());
        TableView& tokens = shown.page.expertPanel().tokens();
        const auto column = [&](int which) {
            std::vector<double> values;
            for (int row = 0; row < tokens.model()->rowCount(); ++row)
                values.push_back(tokens.model()->index(row, which).data(ServedTokensModel::SortRole).toDouble());
            return values;
        };
        const std::vector<double> positions = column(ServedTokensModel::Position);
        QVERIFY(positions.size() > 3 && std::ranges::is_sorted(positions));
        QHeaderView& header = *tokens.horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
            {header.sectionViewportPosition(ServedTokensModel::Margin) + 8, header.height() / 2});
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Margin)));
        QVERIFY(!std::ranges::is_sorted(column(ServedTokensModel::Position)));
        // A chosen row is the token that it shows, and new ones come to lie in order.
        const QModelIndex least = tokens.model()->index(0, ServedTokensModel::Margin);
        QTest::mouseClick(tokens.viewport(), Qt::LeftButton, {}, tokens.visualRect(least).center());
        QCOMPARE(shown.selection.selection().token, least.siblingAtColumn(ServedTokensModel::Position).data().toInt());
        for (int token = 0; token < 100; ++token)
            run.append(260);
        run.show();
        QVERIFY(shown.settled());
        QVERIFY(tokens.model()->rowCount() > int(positions.size()));
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Margin)));
        // By keys: falling by the current column, then as they came.
        tokens.setCurrentIndex(tokens.model()->index(0, ServedTokensModel::Margin));
        QTest::keyClick(&tokens, Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Margin), std::greater<>()));
        QTest::keyClick(&tokens, Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(std::ranges::is_sorted(column(ServedTokensModel::Position)));
    }

    void figuresSortCopyAndChoose()
    {
        Shown shown;
        TestRun run({}, shown.store);
        run.fillWithStory();
        QVERIFY(shown.settled());
        QTableView& table = shown.page.figures();
        QHeaderView& header = *table.horizontalHeader();
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
            {header.sectionViewportPosition(LayerFiguresModel::Gini) + 8, header.height() / 2});
        double before = -1;
        for (int row = 0; row < layers; ++row) {
            const double gini = table.model()->index(row, LayerFiguresModel::Gini).data(Qt::EditRole).toDouble();
            if (header.sortIndicatorOrder() == Qt::AscendingOrder)
                QVERIFY(gini >= before);
            else if (row > 0)
                QVERIFY(gini <= before);
            before = gini;
        }
        const int layer = table.model()->index(3, LayerFiguresModel::Layer).data().toInt();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(3, 0)).center());
        QCOMPARE(shown.selection.selection().layer, layer);
        QTest::keySequence(&table, QKeySequence::Copy);
        const QStringList cells = QApplication::clipboard()->text().split(u'\t');
        QCOMPARE(cells.size(), int(LayerFiguresModel::ColumnCount) - 1); // nothing is compared: no distance
        QCOMPARE(cells[0], QString::number(layer));
        table.findChild<QAction*>("copyTable")->trigger();
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), layers + 1);
        QVERIFY(lines[0].startsWith(QLatin1String("Layer,Distance,Entropy (bit)")));
        QVERIFY(lines[4].startsWith(QString::number(layer) + QLatin1String(",,"))); // an empty field
    }

    void modelsKeepTheirRules()
    {
        using Mode = QAbstractItemModelTester::FailureReportingMode;
        Shown shown;
        auto* const sorted = qobject_cast<QSortFilterProxyModel*>(shown.page.figures().model());
        for (QAbstractItemModel* const model : {shown.page.expertPanel().tokens().model(),
                 shown.page.expertPanel().texts().model(), sorted->sourceModel(), shown.page.figures().model()})
            new QAbstractItemModelTester(model, Mode::Fatal, &shown.page);
        TestRun run({.positions = 9000, .layers = 2, .experts = 4, .k = 2}, shown.store);
        run.setPrompt(run.ids("The hummingbird is small"));
        shown.selection.select({-1, 1, -1, 2});
        for (int token = 0; token < 4000; ++token) {
            run.append(static_cast<TokenId>(token * 7 % 290));
            if (token % 500 == 499) {
                run.show();
                QVERIFY(shown.settled());
            }
        }
        QCOMPARE(shown.page.expertPanel().tokens().model()->rowCount(), int(ExpertProfile::keptTokens));
        QCOMPARE(shown.page.expertPanel().texts().model()->rowCount(), int(TopTextsModel::limit));
        shown.choose(TokensChoice, 1);
        QVERIFY(shown.settled());
        QVERIFY(shown.page.expertPanel().tokens().model()->rowCount() < 100);
        shown.choose(TokensChoice, 0);
        QVERIFY(shown.settled());
        shown.store.clear();
        QCOMPARE(shown.page.expertPanel().tokens().model()->rowCount(), 0);
        QCOMPARE(shown.page.expertPanel().texts().model()->rowCount(), 0);
    }
};

QTEST_MAIN(TestTables)
#include "tst_tables.moc"
