// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeldialog.h"

#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace colibri;

/// Which folders the dialog goes into, and which it takes for a model.
class TestModelDialog : public QObject {
    Q_OBJECT

private slots:
    void folders_data();
    void folders();
};

void TestModelDialog::folders_data()
{
    QTest::addColumn<QString>("file"); // that lies in the folder
    QTest::addColumn<bool>("isModel");
    for (const char* const file :
        {"config.json", "model.safetensors", "model.safetensors.index.json", "expert_0.bin", "router_table.bin"})
        QTest::newRow(file) << QString::fromLatin1(file) << true;
    for (const char* const file : {"lora.safetensors", "notes.txt", "model.gguf"})
        QTest::newRow(file) << QString::fromLatin1(file) << false;
}

void TestModelDialog::folders()
{
    QFETCH(const QString, file);
    QFETCH(const bool, isModel);
    const QTemporaryDir parent;
    const QString folder = parent.filePath(QStringLiteral("chosen"));
    QVERIFY(QDir().mkpath(folder));
    QFile inside(QDir(folder).filePath(file));
    QVERIFY(inside.open(QIODevice::WriteOnly));
    ModelDialog dialog(QStringLiteral("Open a model"), nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.setDirectory(parent.path());
    dialog.show();
    QSignalSpy selected(&dialog, &QFileDialog::fileSelected);
    auto* const name = dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    name->setText(folder);
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(selected.count(), isModel ? 1 : 0);
    QCOMPARE(dialog.isVisible(), !isModel);
    if (isModel)
        QCOMPARE(selected[0][0].toString(), folder);
    else
        QCOMPARE(dialog.directory().path(), folder);
}

QTEST_MAIN(TestModelDialog)
#include "tst_modeldialog.moc"
