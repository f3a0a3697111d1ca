// SPDX-License-Identifier: GPL-3.0-or-later
#include "shownmodel.h"

#include "models/parttext.h"
#include "ui/support/pictures.h"
#include "ui/support/testmodel.h"
#include "views/model/fittedtable.h"
#include "views/model/tensorpanel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace colibri;
using namespace colibri::test;

namespace {

struct Shown : ShownModel {
    using ShownModel::ShownModel;
    FittedTable& table() { return page.tensors().table(); }
    TensorTable& tensors() { return page.tensors().tensors(); }
    void showTensors()
    {
        page.tabs().setCurrentIndex(1);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
    }
    void clickRow(int row, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::mouseClick(
            table().viewport(), Qt::LeftButton, modifiers, table().visualRect(tensors().index(row, 0)).center());
    }
    void clickHeader(int column)
    {
        QHeaderView* const header = table().horizontalHeader();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
            {header->sectionViewportPosition(column) + 12, header->height() / 2});
    }
};

ModelFactsPtr modelWithNotes()
{
    const auto model = makeModel({6, 16, 256, 256, 2048});
    model->notes = {"model.layers.2.mlp.gate.weight lies at offset 1,234,567, which is no multiple of 64.",
        "config.json: tie_word_embeddings is false, but there is a head."};
    return model;
}

} // namespace

class TestModelPage : public QObject {
    Q_OBJECT

private slots:
    void emptyStates();
    void hiddenDoesNothing();
    void clickSelectsTensor();
    void headersSort();
    void keysSort();
    void tabReachesAll();
    void selectionSurvives();
    void followsSelection();
    void filterByKeys();
    void copyAndSave();
    void tabsAreRemembered();
    void details();
    void rulesAreReadWhole();
    void pictures_data();
    void pictures();
};

void TestModelPage::emptyStates()
{
    Shown shown;
    shown.window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&shown.window));
    auto* const button = shown.page.findChild<QPushButton*>(QStringLiteral("openFromModelPage"));
    QVERIFY(button && button->isVisible());
    QVERIFY(!shown.tree.filter().isEnabled());
    QSignalSpy asked(&shown.page, &ModelPage::openRequested);
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    shown.open.succeed(makeModel({}));
    QVERIFY(!button->isVisible());
    QVERIFY(shown.tree.tree().isVisible() && shown.tree.filter().isEnabled());
    shown.open.close();
    QVERIFY(button->isVisible());
    QVERIFY(!shown.tree.tree().isVisible());
    QCOMPARE(shown.tensors().rowCount(), 0);
}

void TestModelPage::hiddenDoesNothing()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    QCOMPARE(shown.tensors().rowCount(), 0);
    QCOMPARE(shown.tree.tree().model()->rowCount(), 0);
    shown.selection.select({-1, 1, -1, 3});
    QVERIFY(shown.details.report().title.isEmpty());
    shown.showTensors();
    QCOMPARE(shown.tensors().rowCount(), int(shown.open.model()->tensors.size()));
    QCOMPARE(shown.tree.tree().currentIndex().data().toString(), QStringLiteral("Expert 3"));
    QCOMPARE(shown.details.report().title, QStringLiteral("Layer 1, expert 3"));
}

void TestModelPage::clickSelectsTensor()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.clickRow(2);
    QCOMPARE(shown.selection.selection(), (Selection{-1, 0, -1, -1, 2}));
    QTest::keyClick(&shown.table(), Qt::Key_Down);
    QCOMPARE(shown.selection.selection().tensor, 3);
    QCOMPARE(shown.details.report().title, QStringLiteral("self_attn.k_proj.weight"));
    QCOMPARE(shown.tree.tree().currentIndex().data().toString(), QStringLiteral("self_attn.k_proj.weight"));
    QTest::keyClick(&shown.table(), Qt::Key_End, Qt::ControlModifier);
    const int last = shown.tensors().rowCount() - 1;
    QCOMPARE(shown.selection.selection(), (Selection{-1, 3, -1, 7, last}));
}

void TestModelPage::headersSort()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    const auto& tensors = shown.open.model()->tensors;
    const auto sizeAt = [&](int row) { return tensors[std::size_t(shown.tensors().tensorAt(row))].size; };
    shown.clickHeader(TensorTable::Name);
    for (int row = 1; row < shown.tensors().rowCount(); ++row)
        QVERIFY(!naturalLess(tensors[std::size_t(shown.tensors().tensorAt(row))].name,
            tensors[std::size_t(shown.tensors().tensorAt(row - 1))].name));
    shown.clickHeader(TensorTable::Type);
    shown.table().sortByColumn(TensorTable::Size, Qt::DescendingOrder);
    for (int row = 1; row < shown.tensors().rowCount(); ++row)
        QVERIFY(sizeAt(row) <= sizeAt(row - 1));
    shown.clickHeader(TensorTable::Name);
    shown.clickHeader(TensorTable::Name);
    QCOMPARE(shown.table().horizontalHeader()->sortIndicatorOrder(), Qt::DescendingOrder);
    shown.clickHeader(TensorTable::Name); // the third one: as the files have them
    for (int row = 0; row < shown.tensors().rowCount(); ++row)
        QCOMPARE(shown.tensors().tensorAt(row), row);
}

void TestModelPage::keysSort()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&shown.window));
    shown.table().setFocus();
    shown.table().setCurrentIndex(shown.tensors().index(9, TensorTable::Size));
    const auto press = [&] { QTest::keyClick(&shown.table(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier); };
    const auto& tensors = shown.open.model()->tensors;
    const auto sizeAt = [&](int row) { return tensors[std::size_t(shown.tensors().tensorAt(row))].size; };
    const int last = shown.tensors().total() - 1;
    press();
    QVERIFY(sizeAt(0) < sizeAt(last));
    QCOMPARE(shown.table().currentIndex().column(), int(TensorTable::Size));
    QCOMPARE(shown.tensors().tensorAt(shown.table().currentIndex().row()), 9);
    press();
    QVERIFY(sizeAt(0) > sizeAt(last));
    press();
    QCOMPARE(shown.tensors().tensorAt(last), last);
    QCOMPARE(shown.selection.selection().tensor, 9);
}

void TestModelPage::tabReachesAll()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&shown.window));
    shown.page.tensors().filter().setFocus();
    QStringList order;
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        order << QApplication::focusWidget()->accessibleName();
    }
    QCOMPARE(order, (QStringList{"Copy all", "Save as CSV", "Tensors"}));
    shown.tree.filter().setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&shown.tree.tree()));
}

void TestModelPage::selectionSurvives()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.clickRow(2);
    shown.clickRow(4, Qt::ControlModifier);
    shown.clickRow(5, Qt::ControlModifier);
    const auto sorted = [&] {
        std::vector<int> tensors = shown.page.tensors().selected();
        std::ranges::sort(tensors);
        return tensors;
    };
    QCOMPARE(sorted(), (std::vector<int>{2, 4, 5}));
    for (int column = 0; column < TensorTable::ColumnCount; ++column) {
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            shown.table().sortByColumn(column, order);
            QCOMPARE(sorted(), (std::vector<int>{2, 4, 5}));
            QCOMPARE(shown.tensors().tensorAt(shown.table().currentIndex().row()), 5);
        }
    }
    shown.page.tensors().filter().setText(QStringLiteral("layers.0 proj"));
    QCOMPARE(sorted(), (std::vector<int>{2, 4, 5}));
    shown.page.tensors().filter().setText(QStringLiteral("q_proj")); // hides the current one
    QCOMPARE(sorted(), (std::vector<int>{2}));
    QCOMPARE(shown.selection.selection().tensor, 5);
    shown.page.tensors().filter().clear();
    QCOMPARE(shown.tensors().tensorAt(shown.table().currentIndex().row()), 5);
    shown.table().setFocus();
    QTest::keyClick(&shown.table(), Qt::Key_A, Qt::ControlModifier);
    shown.table().sortByColumn(TensorTable::Offset, Qt::DescendingOrder);
    QCOMPARE(shown.page.tensors().selected().size(), shown.open.model()->tensors.size());
}

void TestModelPage::followsSelection()
{
    Shown shown;
    shown.open.succeed(makeModel({4, 8}));
    shown.showTensors();
    const int last = shown.tensors().total() - 1;
    shown.selection.select({-1, 3, -1, 7, last});
    QCOMPARE(shown.table().currentIndex().row(), last);
    QVERIFY(shown.table().viewport()->rect().intersects(shown.table().visualRect(shown.table().currentIndex())));
    shown.selection.select({-1, 2, -1, 3}); // an expert: no tensor is selected any more
    QVERIFY(!shown.table().currentIndex().isValid());
    QVERIFY(shown.page.tensors().selected().empty());
    shown.selection.select({-1, -1, -1, -1, 1 << 20}); // not of this model
    QVERIFY(shown.details.report().title.isEmpty());
    QVERIFY(!shown.tree.tree().currentIndex().isValid());
}

void TestModelPage::filterByKeys()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&shown.window));
    shown.table().setFocus();
    QTest::keyClick(&shown.table(), Qt::Key_F, Qt::ControlModifier);
    QLineEdit& filter = shown.page.tensors().filter();
    QVERIFY(filter.hasFocus());
    QTest::keyClicks(&filter, QStringLiteral("ROUTER"));
    QCOMPARE(shown.tensors().rowCount(), 4);
    const auto labels = shown.page.tensors().findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](QLabel* label) { return label->text() == QStringLiteral("4 of 135"); }));
    QTest::keyClick(&filter, Qt::Key_Return);
    QVERIFY(shown.table().hasFocus());
    filter.setFocus();
    QTest::keyClick(&filter, Qt::Key_Escape);
    QCOMPARE(shown.tensors().rowCount(), shown.tensors().total());
}

void TestModelPage::copyAndSave()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.clickRow(1);
    shown.clickRow(0, Qt::ControlModifier);
    QTest::keyClick(&shown.table(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[0],
        QString::fromUtf8("model.embed_tokens.weight\tembedding\tf16\t256 \u00d7 64\tdense.bin\t0  0x00000\t32.0 KiB"
                          "\t4096+ B"));
    QVERIFY(lines[1].startsWith(QStringLiteral("model.layers.0.input_layernorm.weight\tlayer 0, norm\t")));
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("tensors.csv"));
    auto* const save = shown.page.tensors().findChild<QToolButton*>(QStringLiteral("saveTableButton"));
    QTest::mouseClick(save, Qt::LeftButton);
    auto* const dialog = shown.table().findChild<QFileDialog*>(QStringLiteral("saveDialog"));
    QVERIFY(dialog);
    emit dialog->fileSelected(path);
    dialog->close();
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray written = file.readAll();
    QCOMPARE(written.count('\n'), 136);
    QVERIFY(written.startsWith(
        "Name,Part,Type,Shape,File,Offset (bytes),Size,Alignment\n"
        "model.embed_tokens.weight,embedding,f16,\"[256, 64]\",dense.bin,0,32768,4096\n"
        "model.layers.0.input_layernorm.weight,\"layer 0, norm\",f16,[64],dense.bin,32768,128,4096\n"));
}

void TestModelPage::tabsAreRemembered()
{
    Shown shown;
    shown.page.tabs().setCurrentIndex(3);
    const QByteArray layout = shown.page.saveLayout();
    Shown other;
    QVERIFY(other.page.restoreLayout(layout));
    QCOMPARE(other.page.tabs().currentIndex(), 3);
    QVERIFY(!other.page.restoreLayout("no"));
    QVERIFY(!other.page.restoreLayout(QByteArray(4, '\x7f')));
    QCOMPARE(other.page.tabs().currentIndex(), 3);
}

void TestModelPage::details()
{
    Shown shown;
    shown.open.succeed(makeModel({}));
    shown.showTensors();
    shown.selection.select({7, 2, 1, 5}); // a cell of the grid with its expert
    QCOMPARE(shown.details.report().title, QStringLiteral("Layer 2, expert 5"));
    auto* const copy = shown.details.findChild<QToolButton*>(QStringLiteral("copyDetailsButton"));
    QTest::mouseClick(copy, Qt::LeftButton);
    QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("Layer 2, expert 5\nTensors\t3\n")));
    shown.selection.clear();
    QVERIFY(shown.details.report().title.isEmpty());
    QVERIFY(!copy->isVisible());
}

void TestModelPage::rulesAreReadWhole()
{
    Shown shown({1000, 650});
    shown.window.show();
    shown.open.succeed(modelWithNotes());
    shown.page.tabs().setCurrentIndex(3);
    auto* const rule = shown.page.findChild<QLabel*>(QStringLiteral("ruleText"));
    auto* const table = shown.page.tabs().currentWidget()->findChild<QTableView*>();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 0)).center());
    const int rows = table->model()->rowCount();
    QVERIFY(rows > 2);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < 4; ++column) {
            const QString text = table->model()->index(row, column).data().toString();
            QVERIFY(!text.isEmpty() && rule->text().contains(text));
        }
        QVERIFY2(rule->heightForWidth(rule->width()) <= rule->height(), qPrintable(rule->text()));
        QTest::keyClick(table, Qt::Key_Down);
    }
}

void TestModelPage::pictures_data()
{
    pictureRows({{"light", ThemeChoice::Light, {1000, 650}}, {"dark", ThemeChoice::Dark, {1000, 650}},
        {"large", ThemeChoice::Light, {1600, 1000}}});
}

void TestModelPage::pictures()
{
    QFETCH(ThemeChoice, choice);
    QFETCH(QSize, size);
    Theme theme;
    theme.setChoice(choice);
    Shown shown(size);
    const auto picture = [&](const char* name) {
        QCoreApplication::processEvents();
        QVERIFY(savePicture(shown.window, ofRow(name)));
    };
    shown.window.show();
    picture("no-model");
    shown.open.succeed(modelWithNotes());
    picture("summary");
    shown.page.tabs().setCurrentIndex(1);
    shown.selection.select({-1, 2, -1, 7});
    picture("tensors");
    shown.tree.filter().setText(QStringLiteral("router"));
    shown.page.tensors().filter().setText(QStringLiteral("expert down_proj layers.3"));
    shown.clickRow(3);
    picture("filtered");
    shown.tree.filter().setText(QStringLiteral("nothing has this"));
    shown.page.tabs().setCurrentIndex(2);
    shown.selection.select({-1, 4, -1, -1});
    picture("files");
    shown.tree.filter().clear();
    shown.page.tabs().setCurrentIndex(3);
    picture("rules");
}

QTEST_MAIN(TestModelPage)
#include "tst_page.moc"
