// SPDX-License-Identifier: GPL-3.0-or-later
// A file may be called anything: wherever its name is seen, it is seen as it is.
#include "ui/support/ownsettings.h"
#include "ui/support/shownstudio.h"

#include <QAbstractItemView>
#include <QFile>
#include <QLabel>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextDocument>

using namespace colibri;
using namespace colibri::test;

namespace {

const QString mark = QStringLiteral("<s>");
const QString oddName = QStringLiteral("50%1 <s> %2&%L3.gguf");

/// Texts of items, and of those below them.
void collect(const QAbstractItemModel& model, const QModelIndex& parent, QStringList& texts)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column)
            texts << model.index(row, column, parent).data().toString();
        collect(model, model.index(row, 0, parent), texts);
    }
}

/// What shows a name otherwise than it is; empty: nothing does. `seen` counts what shows it.
QString mangled(MainWindow& window, int& seen)
{
    QStringList texts{window.windowTitle()};
    for (const QLabel* const label : window.findChildren<QLabel*>()) {
        texts << label->text();
        const bool drawnAsItIs = label->textFormat() == Qt::PlainText || !Qt::mightBeRichText(label->text())
            || label->inherits("colibri::ElidedLabel");
        if (label->text().contains(mark) && !drawnAsItIs)
            return QStringLiteral("rich text: ") + label->text();
    }
    for (const QAbstractItemView* const view : window.findChildren<QAbstractItemView*>()) {
        if (view->model())
            collect(*view->model(), {}, texts);
    }
    for (const QString& text : texts) {
        seen += text.contains(oddName);
        if (text.contains(mark) && !text.contains(oddName))
            return text;
    }
    return {};
}

} // namespace

class TestOddNames : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_settings.begin() && m_folder.isValid());
        QVERIFY(QFile::copy(QStringLiteral(COLIBRI_TEST_DATA "/gguf/model.gguf"), path()));
        QVERIFY(QFile::setPermissions(path(), QFile::ReadOwner | QFile::WriteOwner));
    }

    void shownAsTheyAre()
    {
        ShownStudio shown;
        const qint64 whole = QFileInfo(path()).size();
        // Runs, can be looked at, cannot be opened; and what is seen then.
        const std::pair<qint64, const char*> states[]{
            {whole, "pages"}, {whole / 2, "modelRefusal"}, {1000, "errorWhy"}};
        for (const auto& [size, sign] : states) {
            QVERIFY(QFile::resize(path(), size));
            shown.window().openModel(path());
            auto* const widget = shown.part<QWidget>(sign);
            QVERIFY2(widget, sign);
            QVERIFY(QTest::qWaitFor([&] { return widget->isVisible(); }, answerMs));
            QCoreApplication::processEvents();
            int seen = 0;
            QCOMPARE(mangled(shown.window(), seen), QString());
            QVERIFY2(seen >= 3, qPrintable(QString::number(seen)));
        }
        const QAction* const again = shown.action("recent1");
        QVERIFY(again && again->text().count(u'&') == 2 && again->text().contains(QStringLiteral("&&")));
    }

private:
    QString path() const { return m_folder.filePath(oddName); }

    OwnSettings m_settings;
    QTemporaryDir m_folder;
};

QTEST_MAIN(TestOddNames)
#include "tst_oddnames.moc"
