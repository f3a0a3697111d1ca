// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a run with real clicks and keys.
#include "shownviews.h"

#include "views/run/tokenglyphs.h"

#include <QApplication>
#include <QClipboard>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

class TestTextView : public QObject {
    Q_OBJECT

private slots:
    void keysWalkThroughTheText()
    {
        Views views;
        views.run.fillWithStory();
        const int last = views.store.tokens() - 1;
        const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&views.text, static_cast<Qt::Key>(key), modifiers);
            return views.selection.selection().token;
        };
        QCOMPARE(press(Qt::Key_Left), last); // nothing was chosen: the newest
        QCOMPARE(press(Qt::Key_Right), last);
        QCOMPARE(press(Qt::Key_Left), last - 1);
        QCOMPARE(press(Qt::Key_Home, Qt::ControlModifier), 0);
        QCOMPARE(press(Qt::Key_Left), 0);
        QCOMPARE(press(Qt::Key_End), views.store.promptTokens() - 1); // the prompt fills the first line
        const int below = press(Qt::Key_Down);
        QVERIFY(below >= views.store.promptTokens());
        QVERIFY(views.text.tokenRect(below).top() > views.text.tokenRect(0).top());
        QCOMPARE(press(Qt::Key_Home), views.store.promptTokens());
        press(Qt::Key_Up);
        QVERIFY(views.selection.selection().token < views.store.promptTokens());
        QVERIFY(press(Qt::Key_PageDown) > views.store.promptTokens());
        QCOMPARE(press(Qt::Key_End, Qt::ControlModifier), last);
        QVERIFY(views.text.viewport()->rect().contains(views.text.tokenRect(last).center()));
        // Every token can be reached by walking right.
        press(Qt::Key_Home, Qt::ControlModifier);
        for (int token = 1; token <= last; ++token)
            QCOMPARE(press(Qt::Key_Right), token);
    }

    void partialCharactersAreChipsUntilTheyAreComplete()
    {
        Views views;
        views.run.setPrompt(views.run.ids("The "));
        const auto bytes = views.run.ids("\xe2\x82\xac");
        const int first = views.store.tokens();
        QCOMPARE(bytes.size(), std::size_t{3});
        views.run.append(bytes[0]);
        views.run.show();
        const int at = views.store.tokens() - 1;
        const int chip = views.text.tokenRect(at).width();
        views.run.append(bytes[1]);
        views.run.show();
        QCOMPARE(views.text.tokenRect(at + 1).left(), views.text.tokenRect(at).right() + 1);
        views.run.append(bytes[2]);
        views.run.show();
        QVERIFY(views.text.tokenRect(at).width() < chip); // one character now, not two hexadecimal digits in a frame
        for (const int token : {at, at + 1, at + 2}) { // each keeps a place of its own
            QTest::mouseClick(views.text.viewport(), Qt::LeftButton, {}, views.text.tokenRect(token).center());
            QCOMPARE(views.selection.selection().token, token);
            QCOMPARE(views.details.report()->piece.bytes.size(), 1);
        }
        QVERIFY(first < at || first == 0);
        QTest::keyClick(&views.text, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&views.text, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("The \u20ac"));
    }

    void copyTakesTheStretchOrEverything()
    {
        Views views;
        views.run.fillWithStory();
        QTest::keyClick(&views.text, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), views.store.text());
        QTest::mouseClick(views.text.viewport(), Qt::LeftButton, {}, views.text.tokenRect(1).center());
        QTest::mouseClick(views.text.viewport(), Qt::LeftButton, Qt::ShiftModifier, views.text.tokenRect(3).center());
        QTest::keyClick(&views.text, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral(" hummingbird"));
        QTest::keyClick(&views.text, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(views.text.selectedText(), QStringLiteral(" hummingbird is"));
        QTest::keyClick(&views.text, Qt::Key_Right);
        QCOMPARE(views.text.selectedText(), QStringLiteral(" small"));
        QTest::mousePress(views.text.viewport(), Qt::LeftButton, {}, views.text.tokenRect(3).center());
        QMouseEvent drag(QEvent::MouseMove, views.text.tokenRect(1).center(),
            views.text.viewport()->mapToGlobal(views.text.tokenRect(1).center()), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(views.text.viewport(), &drag);
        QTest::mouseRelease(views.text.viewport(), Qt::LeftButton, {}, views.text.tokenRect(1).center());
        QCOMPARE(views.text.selectedText(), QStringLiteral(" hummingbird"));
    }

    void modelsWithoutTokenizerShowIds()
    {
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store, false);
        TokenTextView text(store, selection);
        text.resize(400, 200);
        text.show();
        run.setPrompt({101, 2001, 102});
        run.show();
        QCOMPARE(lookOf(store.piece(1)), TokenLook::Id);
        QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.tokenRect(1).center());
        QCOMPARE(selection.selection().token, 1);
        QVERIFY(text.tokenRect(1).width() > text.tokenRect(0).width());
    }
};

QTEST_MAIN(TestTextView)
#include "tst_textview.moc"
