// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/saving/savefile.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSaveFile>

namespace colibri {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("SaveFile", text);
}

} // namespace

QString writeWhole(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return translated("write %1: %2").arg(QDir::toNativeSeparators(path), file.errorString());
    return {};
}

void askForFile(
    QWidget* parent, const QString& name, const QString& filter, std::function<void(const QString& path)> chosen)
{
    auto* const dialog = new QFileDialog(parent, translated("Save"), QDir::current().filePath(name), filter);
    dialog->setObjectName(QStringLiteral("saveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QFileInfo(name).suffix());
    dialog->selectFile(name);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(chosen));
    dialog->open();
}

void showNotSaved(QWidget* parent, const QString& wrong)
{
    auto* const box = new QMessageBox(QMessageBox::Warning, translated("Not saved"), wrong, QMessageBox::Ok, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->open();
}

void saveAs(
    QWidget* parent, const QString& name, const QString& filter, std::function<QString(const QString& path)> write)
{
    askForFile(parent, name, filter, [parent, write = std::move(write)](const QString& path) {
        if (const QString wrong = write(path); !wrong.isEmpty())
            showNotSaved(parent, wrong);
    });
}

void saveBytesAs(QWidget* parent, const QString& name, const QByteArray& bytes)
{
    saveAs(parent, name, {}, [bytes](const QString& path) { return writeWhole(path, bytes); });
}

} // namespace colibri
