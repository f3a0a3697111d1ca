// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/support/pictures.h"
#include "ui/support/testrun.h"
#include "views/run/colorbar.h"
#include "views/run/expertgridview.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"

#include <QApplication>
#include <QComboBox>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

class TestPage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qRegisterMetaType<RunSpec>(); }

    void pictures_data()
    {
        pictureRows({{"light", ThemeChoice::Light, {1100, 700}}, {"dark", ThemeChoice::Dark, {1100, 700}},
            {"small", ThemeChoice::Light, {800, 600}}, {"large", ThemeChoice::Dark, {1600, 1000}}});
    }
    void pictures()
    {
        QFETCH(ThemeChoice, choice);
        QFETCH(QSize, size);
        Theme theme;
        theme.setChoice(choice);
        QCoreApplication::processEvents();
        OpenStore open;
        RunStore store;
        SelectionStore selection;
        RunStore kept;
        RunPage page(open, store, kept, selection);
        page.resize(size);
        page.show();
        picture(page, "no-model");
        open.succeed(testModel(true));
        page.promptPanel().setPrompt(QStringLiteral("The hummingbird is small, fast and never still.\n"));
        picture(page, "empty");
        {
            TestRun run({}, store);
            store.setState(RunStore::State::Running);
            run.setPrompt(run.ids("The hummingbird is small, fast and never still.\n"));
            for (const TokenId id : run.ids("It sees colours that we do"))
                run.append(id);
            run.show();
            picture(page, "running");
        }
        TestRun run({}, store);
        run.fillWithStory();
        store.finish(StopReason::EndOfText);
        selection.select({24, 2, -1, -1});
        picture(page, "finished");
        page.colorBar().findChild<QComboBox*>()->setCurrentIndex(1);
        page.promptPanel().sampling().setFolded(false);
        page.promptPanel().sampling().setChoice({{0.8f, 40, 0.95f, 0.f, 1.1f, 7}, 200});
        picture(page, "margins");
        QVERIFY(page.textView().followsEnd());
    }

private:
    void picture(QWidget& page, const char* name)
    {
        QTest::qWait(50); // layouts follow their contents with the next events
        QVERIFY(savePicture(page, ofRow(name)));
    }
};

QTEST_MAIN(TestPage)
#include "tst_page.moc"
