// SPDX-License-Identifier: GPL-3.0-or-later
#include "showndialog.h"

#include "models/exportreport.h"
#include "views/export/notelabel.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>

using namespace colibri;
using namespace colibri::test;

/// The dialog of exports, without an engine behind it.
class TestExportViews : public QObject {
    Q_OBJECT

private slots:
    void asksForWhatIsChosen();
    void textsOfTheTable();
    void tablesThatNeedNoText();
    void takenFolders();
    void refusedTypes();
    void moreThanTheDiskHas();
    void progress();
    void endsWithoutAnExport();
    void theErrorIsSeenInASmallDialog();
    void report();
    void keysGoAround();
};

void TestExportViews::asksForWhatIsChosen()
{
    Shown shown;
    QSignalSpy asked(shown.dialog.get(), &ExportDialog::exportRequested);
    QVERIFY(shown.named<QPushButton>("startExport").isEnabled());
    shown.choose(4);
    shown.named<QSpinBox>("exportCheckTokens").setValue(12);
    shown.click("startExport");
    QCOMPARE(asked.size(), 1);
    auto spec = asked[0][0].value<ExportSpec>();
    QCOMPARE(spec.out, shown.folder.filePath(QStringLiteral("new")));
    QVERIFY(spec.dtype == DType::Int8);
    QCOMPARE(spec.checkTokens, 12);
    QVERIFY(!spec.table && spec.profile == ExportSpec::Text::BuiltIn);
    // By keys: up to the first type, Enter in the name begins.
    shown.dialog->form().sizes().table().setFocus();
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(&shown.dialog->form().sizes().table(), Qt::Key_Up);
    QTest::keyClick(&shown.named<QLineEdit>("exportName"), Qt::Key_Return);
    QTRY_COMPARE(asked.size(), 2);
    spec = asked[1][0].value<ExportSpec>();
    QVERIFY(!spec.dtype);
}

void TestExportViews::textsOfTheTable()
{
    Shown shown;
    auto& table = shown.named<QCheckBox>("exportTable");
    auto& kind = shown.named<QComboBox>("exportTextKind");
    auto& own = shown.named<QPlainTextEdit>("exportOwnText");
    auto& file = shown.named<QLineEdit>("exportTextFile");
    auto& start = shown.named<QPushButton>("startExport");
    QVERIFY(!kind.isEnabled() && !own.isVisible());
    const std::uint64_t plain = shown.dialog->form().sizes().chosen()->total;
    shown.choose(3);
    QTest::mouseClick(&table, Qt::LeftButton, {}, {5, table.height() / 2});
    QVERIFY(table.isChecked() && kind.isEnabled() && start.isEnabled());
    QVERIFY(shown.dialog->form().sizes().dtype() == DType::BF16); // the choice stays
    shown.choose(0);
    QCOMPARE(shown.dialog->form().sizes().chosen()->total, plain + 116'686'848);
    QTest::keyClick(&kind, Qt::Key_Down);
    QVERIFY(own.isVisible());
    QVERIFY(!start.isEnabled()); // there is no text yet
    QVERIFY(shown.named<NoteLabel>("exportProfileNote").kind() == NoteLabel::Kind::Error);
    QTest::keyClicks(&own, QStringLiteral("the quick brown fox"));
    QVERIFY(start.isEnabled());
    ExportSpec spec = shown.dialog->form().spec();
    QVERIFY(spec.table && spec.profile == ExportSpec::Text::Own);
    QCOMPARE(spec.ownText, QStringLiteral("the quick brown fox"));
    QTest::keyClick(&kind, Qt::Key_Down);
    QVERIFY(file.isVisible() && !start.isEnabled());
    QTest::keyClicks(&file, QStringLiteral("/texts/a.txt"));
    QVERIFY(start.isEnabled());
    spec = shown.dialog->form().spec();
    QVERIFY(spec.profile == ExportSpec::Text::File && spec.ownText.isEmpty());
    QCOMPARE(spec.textFile, QStringLiteral("/texts/a.txt"));
    table.setChecked(false);
    QVERIFY(shown.dialog->form().spec().textFile.isEmpty()); // nothing of it is asked for
}

void TestExportViews::tablesThatNeedNoText()
{
    auto plan = std::make_shared<ExportPlanFacts>(*samplePlan());
    plan->table = ExportPlanFacts::Table::Exact;
    plan->hasTokenizer = false;
    Shown shown(plan);
    auto& table = shown.named<QCheckBox>("exportTable");
    auto& kind = shown.named<QComboBox>("exportTextKind");
    QVERIFY(table.isEnabled() && !kind.isVisible());
    table.click();
    QVERIFY(shown.dialog->form().spec().table && shown.dialog->form().ready());
    plan = std::make_shared<ExportPlanFacts>(*plan);
    plan->table = ExportPlanFacts::Table::Profiled;
    shown.store.setPlan(plan); // has no tokenizer, so no text
    QVERIFY(!table.isEnabled() && !shown.dialog->form().spec().table && shown.dialog->form().ready());
    plan = std::make_shared<ExportPlanFacts>(*plan);
    plan->table = ExportPlanFacts::Table::Kept;
    plan->hasTokenizer = true;
    shown.store.setPlan(plan);
    QVERIFY(!table.isEnabled() && !kind.isVisible() && shown.dialog->form().ready());
}

void TestExportViews::takenFolders()
{
    Shown shown;
    auto& name = shown.named<QLineEdit>("exportName");
    auto& note = shown.named<NoteLabel>("exportPlaceNote");
    auto& start = shown.named<QPushButton>("startExport");
    QVERIFY(note.kind() == NoteLabel::Kind::Muted && note.text().contains(QLatin1String("free")));
    QVERIFY(QDir(shown.folder.path()).mkdir(QStringLiteral("taken")));
    name.setFocus();
    name.selectAll();
    QTest::keyClicks(&name, QStringLiteral("taken"));
    QVERIFY(!start.isEnabled());
    QVERIFY(note.kind() == NoteLabel::Kind::Error);
    QVERIFY(note.text().contains(shown.folder.filePath(QStringLiteral("taken"))));
    QVERIFY(!name.accessibleDescription().isEmpty());
    QVERIFY(QDir(shown.folder.path()).rmdir(QStringLiteral("taken")));
    QTRY_VERIFY(start.isEnabled()); // it sees that the folder went
    // What appears just before the click is seen by the click.
    QSignalSpy asked(shown.dialog.get(), &ExportDialog::exportRequested);
    QVERIFY(QDir(shown.folder.path()).mkdir(QStringLiteral("taken")));
    shown.click("startExport");
    QCOMPARE(asked.size(), 0);
    QVERIFY(note.kind() == NoteLabel::Kind::Error);
}

void TestExportViews::refusedTypes()
{
    Shown shown(samplePlan(false));
    auto& note = shown.named<NoteLabel>("exportSizeNote");
    QVERIFY(!shown.named<QPushButton>("startExport").isEnabled());
    QVERIFY(note.kind() == NoteLabel::Kind::Error && note.text().contains(QLatin1String("iq2_xxs")));
    shown.choose(4);
    QVERIFY(shown.named<QPushButton>("startExport").isEnabled());
    QVERIFY(note.kind() == NoteLabel::Kind::Muted && note.text().contains(QLatin1String("the source has 17.3 GiB")));
    shown.store.failPlan({Errc::Lost, "read the model", "/models/a.gguf", {}, "it shrank"});
    QVERIFY(note.kind() == NoteLabel::Kind::Error && note.text().contains(QLatin1String("it shrank")));
    QVERIFY(!shown.named<QPushButton>("startExport").isEnabled());
    shown.store.setPlan({});
    QVERIFY(note.kind() == NoteLabel::Kind::Muted && !shown.dialog->form().ready());
}

void TestExportViews::moreThanTheDiskHas()
{
    auto plan = std::make_shared<ExportPlanFacts>(*samplePlan());
    plan->rows[2].plain.total = std::uint64_t{1} << 60;
    Shown shown(plan);
    plan->rows[0].plain.total = 1;
    shown.store.setPlan(plan);
    QVERIFY(shown.named<NoteLabel>("exportPlaceNote").kind() == NoteLabel::Kind::Muted);
    shown.choose(2);
    QVERIFY(shown.named<NoteLabel>("exportPlaceNote").kind() == NoteLabel::Kind::Warning);
    QVERIFY(shown.named<NoteLabel>("exportPlaceNote").text().contains(QLatin1String("1.0 EiB")));
}

void TestExportViews::progress()
{
    Shown shown;
    shown.write(sampleSpec());
    auto& bar = shown.named<QProgressBar>("exportBar");
    auto& cancel = shown.named<QPushButton>("cancelExport");
    QVERIFY(bar.isVisible());
    QVERIFY(!shown.named<QPushButton>("startExport").isVisible());
    QTest::qWait(20);
    shown.tasks.progress(shown.store.task(), 1 << 20, 4 << 20);
    QCOMPARE(bar.value() * 4, bar.maximum());
    QVERIFY(shown.named<QLabel>("exportNumbers").text().startsWith(QLatin1String("1.0 MiB of 4.0 MiB")));
    QVERIFY(shown.named<QLabel>("exportNumbers").text().contains(QLatin1String("left")));
    shown.click("cancelExport");
    QCOMPARE(shown.cancels, 1);
    QVERIFY(!cancel.isEnabled());
    shown.tasks.setState(shown.store.task(), Task::State::Done);
    shown.store.compare(
        shown.tasks.begin(QStringLiteral("Compare"), QStringLiteral("tokens"), [&] { ++shown.cancels; }));
    QVERIFY(cancel.isEnabled() && cancel.text().contains(QLatin1String("comparison")));
    shown.tasks.progress(shown.store.task(), 64, 256);
    QVERIFY(shown.named<QLabel>("exportNumbers").text().startsWith(QLatin1String("64 of 256 tokens")));
    shown.click("cancelExport");
    QCOMPARE(shown.cancels, 2);
}

void TestExportViews::endsWithoutAnExport()
{
    Shown shown;
    const Error error{Errc::Io, "write the export", "/exports/a/dense.bin", 4096, "no space left on device"};
    shown.write(sampleSpec());
    shown.store.fail(error);
    auto& why = shown.named<QLabel>("exportErrorWhy");
    QVERIFY(why.isVisible());
    QCOMPARE(why.text(), QStringLiteral("no space left on device"));
    QCOMPARE(shown.named<QLabel>("exportErrorWhere").text(),
        QStringLiteral("/exports/a/dense.bin at offset 4,096 bytes (0x1000)"));
    shown.click("copyExportError");
    QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(error.message()));
    QVERIFY(shown.named<QPushButton>("startExport").isEnabled()); // it can be tried again
    shown.write(sampleSpec());
    shown.store.cancel();
    QVERIFY(!why.isVisible());
    QVERIFY(shown.named<NoteLabel>("exportEnd").text().contains(QLatin1String("cancelled")));
}

void TestExportViews::theErrorIsSeenInASmallDialog()
{
    Shown shown;
    shown.dialog->resize(shown.dialog->minimumSize());
    shown.store.fail(
        {Errc::Io, "write the export", "/exports/experts/12_107.bin", 1'867'776, "no space left on device"});
    auto* const copy = shown.dialog->findChild<QAbstractButton*>(QStringLiteral("copyExportError"));
    QVERIFY(copy);
    QTRY_VERIFY(copy->visibleRegion().boundingRect() == copy->rect());
}

void TestExportViews::report()
{
    Shown shown;
    shown.write(sampleSpec());
    const auto report = sampleReport();
    shown.store.succeed(report);
    auto& verdict = shown.named<NoteLabel>("exportVerdict");
    QVERIFY(verdict.isVisible() && verdict.kind() == NoteLabel::Kind::Warning);
    QVERIFY(verdict.text().contains(QLatin1String("87 of 12,288")));
    QSignalSpy opened(shown.dialog.get(), &ExportDialog::openRequested);
    QSignalSpy folders(shown.dialog.get(), &ExportDialog::folderRequested);
    QSignalSpy again(shown.dialog.get(), &ExportDialog::formRequested);
    shown.click("openExport");
    shown.click("showExportFolder");
    shown.click("copyExportReport");
    shown.click("exportAgain");
    QCOMPARE(opened[0][0].toString(), report->out);
    QCOMPARE(folders[0][0].toString(), report->out);
    QCOMPARE(again.size(), 1);
    QCOMPARE(QApplication::clipboard()->text(), plainText(*report));
    auto same = std::make_shared<ExportReportFacts>(*report);
    same->agreement->sameExperts = same->agreement->decisions;
    shown.store.succeed(same);
    QVERIFY(verdict.kind() == NoteLabel::Kind::Good && verdict.text().contains(QLatin1String("a little")));
    same = std::make_shared<ExportReportFacts>(*same);
    same->agreement->maxLogitDifference = same->agreement->maxRouterLogitDifference = 0;
    shown.store.succeed(same);
    QVERIFY(verdict.kind() == NoteLabel::Kind::Good && verdict.text().contains(QLatin1String("all logits")));
    shown.click("closeReport");
    QVERIFY(!shown.dialog->isVisible());
}

void TestExportViews::keysGoAround()
{
    Shown shown;
    shown.named<QCheckBox>("exportTable").setChecked(true);
    shown.named<QComboBox>("exportTextKind").setCurrentIndex(1);
    shown.named<QPlainTextEdit>("exportOwnText").setPlainText(QStringLiteral("a text"));
    shown.named<QLineEdit>("exportFolder").setFocus();
    QStringList order;
    for (int i = 0; i < 10; ++i) {
        order << QApplication::focusWidget()->objectName();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    QCOMPARE(order,
        (QStringList{"exportFolder", "browseExportFolder", "exportName", "exportSizes", "exportTable", "exportTextKind",
            "exportOwnText", "exportCheckTokens", "startExport", "closeExport"}));
    QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("exportFolder"));
    QTest::keyClick(shown.dialog.get(), Qt::Key_Escape);
    QVERIFY(!shown.dialog->isVisible());
}

QTEST_MAIN(TestExportViews)
#include "tst_exportviews.moc"
