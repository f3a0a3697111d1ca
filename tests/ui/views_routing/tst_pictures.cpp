// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the page, to be looked at, and that nothing of it is clipped.
#include "ui/support/pictures.h"
#include "ui/support/testrun.h"
#include "views/heatmap/heatmap.h"
#include "views/routing/routingpage.h"

#include <QApplication>
#include <QComboBox>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

class TestPictures : public QObject {
    Q_OBJECT

private slots:
    void pictures_data()
    {
        pictureRows({{"light", ThemeChoice::Light, {1280, 800}}, {"dark", ThemeChoice::Dark, {1280, 800}},
            {"small", ThemeChoice::Light, {1000, 650}}});
    }
    void pictures()
    {
        QFETCH(ThemeChoice, choice);
        QFETCH(QSize, size);
        Theme theme;
        theme.setChoice(choice);
        QCoreApplication::processEvents();
        RunStore store;
        RunStore kept;
        SelectionStore selection;
        RoutingPage page(store, kept, selection);
        page.resize(size);
        page.show();
        picture(page, "empty");
        QVERIFY(page.minimumSizeHint().width() <= 1000 && page.minimumSizeHint().height() <= 650);
        {
            TestRun run({}, store);
            run.fillWithStory();
            picture(page, "running");
            kept.keep(store);
        }
        TestRun run({.positions = 5000, .layers = 6, .experts = 16, .k = 2}, store);
        run.fillWithStory();
        run.repeatUpTo(170);
        run.show();
        selection.select({-1, 2, -1, 5});
        picture(page, "finished");
        const QList<QComboBox*> choices = page.bar().findChildren<QComboBox*>();
        choices[2]->setCurrentIndex(1);
        picture(page, "difference");
        choices[2]->setCurrentIndex(2);
        picture(page, "prompt-and-answer");
        choices[2]->setCurrentIndex(0);
        TestRun large({.positions = 3000, .layers = 48, .experts = 128, .k = 8}, store);
        large.setPrompt(std::vector<TokenId>(400, 300));
        for (int token = 0; token < 1500; ++token)
            large.append(static_cast<TokenId>(256 + token % 40));
        large.show();
        QTRY_VERIFY(!page.routing().isBehind() && !page.isRefreshing());
        picture(page, "large");
    }

private:
    void picture(RoutingPage& page, const char* name)
    {
        QTRY_VERIFY(!page.routing().isBehind() && !page.isRefreshing());
        QCoreApplication::processEvents();
        QVERIFY(savePicture(page, ofRow(name)));
    }
};

QTEST_MAIN(TestPictures)
#include "tst_pictures.moc"
