// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/csv.h"

#include <QStandardItemModel>
#include <QTest>

using namespace colibri;

class TestCsv : public QObject {
    Q_OBJECT

private slots:
    void lines();
    void tables();
};

void TestCsv::lines()
{
    QCOMPARE(csvLine({"a", "b c", ""}), QString("a,b c,\n"));
    QCOMPARE(csvLine({"1,5", "say \"no\"", "two\nlines", "r\r"}),
        QString("\"1,5\",\"say \"\"no\"\"\",\"two\nlines\",\"r\r\"\n"));
    QCOMPARE(csvLine({}), QString("\n"));
}

void TestCsv::tables()
{
    QStandardItemModel table(2, 2);
    table.setHorizontalHeaderLabels({"name", "size, B"});
    table.setItem(0, 0, new QStandardItem("\u00e9"));
    auto* const number = new QStandardItem;
    number->setData(0.1, Qt::EditRole);
    table.setItem(0, 1, number);
    QCOMPARE(csv(table), QByteArray("name,\"size, B\"\n\xc3\xa9,0.10000000000000001\n,\n"));
}

QTEST_APPLESS_MAIN(TestCsv)
#include "tst_csv.moc"
