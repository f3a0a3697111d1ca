// SPDX-License-Identifier: GPL-3.0-or-later
#include "showndialog.h"

#include "ui/support/pictures.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPlainTextEdit>

using namespace colibri;
using namespace colibri::test;

/// Pictures of the dialog in all its states, to be looked at, and that it fits small windows.
class TestExportPictures : public QObject {
    Q_OBJECT

private slots:
    void pictures_data();
    void pictures();
};

void TestExportPictures::pictures_data()
{
    QTest::addColumn<ThemeChoice>("choice");
    QTest::newRow("light") << ThemeChoice::Light;
    QTest::newRow("dark") << ThemeChoice::Dark;
}

void TestExportPictures::pictures()
{
    QFETCH(const ThemeChoice, choice);
    Theme theme;
    theme.setChoice(choice);
    Shown shown(samplePlan());
    const auto picture = [&](const char* name) {
        QTest::qWait(30);
        QVERIFY(savePicture(*shown.dialog, ofRow(name)));
    };
    shown.store.setPlan({});
    picture("planning");
    shown.store.setPlan(samplePlan());
    shown.dialog->form().setPlace(shown.folder.path(), QStringLiteral("qwen3-30b-a3b-q4_k_m-export"));
    picture("empty");
    shown.choose(4);
    shown.named<QCheckBox>("exportTable").setChecked(true);
    shown.named<QComboBox>("exportTextKind").setCurrentIndex(1);
    shown.named<QPlainTextEdit>("exportOwnText")
        .setPlainText(QStringLiteral("Once upon a time there was a hummingbird."));
    picture("own-text");
    shown.named<QComboBox>("exportTextKind").setCurrentIndex(2);
    shown.dialog->form().setPlace(QStringLiteral("/nowhere"), QStringLiteral("a"));
    picture("refused");
    shown.store.setPlan(samplePlan(false));
    shown.choose(0);
    picture("refused-type");
    shown.store.setPlan(samplePlan());
    shown.dialog->form().setPlace(shown.folder.path(), QStringLiteral("a"));
    shown.named<QCheckBox>("exportTable").setChecked(false);
    shown.write(sampleSpec());
    QTest::qWait(300);
    shown.tasks.progress(shown.store.task(), 13'123'456'789., 34'477'255'747.);
    picture("running");
    shown.tasks.setState(shown.store.task(), Task::State::Done);
    shown.store.compare(shown.tasks.begin(QStringLiteral("Compare"), QStringLiteral("tokens"), [] {}));
    QTest::qWait(300);
    shown.tasks.progress(shown.store.task(), 64, 256);
    picture("comparing");
    shown.store.succeed(sampleReport());
    picture("finished");
    auto plain = std::make_shared<ExportReportFacts>(*sampleReport());
    plain->table.reset();
    plain->notes.clear();
    plain->agreement->sameExperts = plain->agreement->decisions;
    plain->agreement->firstDifference.reset();
    plain->agreement->maxLogitDifference = plain->agreement->maxRouterLogitDifference = plain->agreement->logitNmse = 0;
    plain->agreement->sameGreedy = plain->agreement->tokens;
    plain->agreement->exportLoss = plain->agreement->sourceLoss;
    shown.store.succeed(plain);
    picture("the-same");
    shown.store.fail({Errc::Io, "write the export", "/exports/qwen3-30b-a3b-q4_k_m-export/experts/12_107.bin",
        1'867'776, "no space left on device; it takes 34,477,255,747 bytes and 11,811,160,064 were free"});
    picture("failed");
    shown.dialog->resize(shown.dialog->minimumSize());
    picture("failed-small");
    QVERIFY(shown.dialog->width() <= 1000 && shown.dialog->height() <= 700);
}

QTEST_MAIN(TestExportPictures)
#include "tst_exportpictures.moc"
