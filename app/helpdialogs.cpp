// SPDX-License-Identifier: GPL-3.0-or-later
#include "helpdialogs.h"

#include <QAbstractButton>
#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMap>
#include <QMessageBox>
#include <QTableWidget>
#include <QVBoxLayout>

namespace colibri {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Help", text);
}

QString withoutMnemonic(QString text)
{
    return text.remove(QLatin1Char('&'));
}

/// What each key does, by the text of the key.
QMultiMap<QString, QString> shortcutsBelow(const QWidget* window)
{
    QMultiMap<QString, QString> lines;
    const auto add = [&](const QKeySequence& key, const QString& what) {
        const QString name = key.toString(QKeySequence::NativeText);
        if (!lines.contains(name, what)) // many tables, one key for each
            lines.insert(name, what);
    };
    for (const QAction* const action : window->findChildren<QAction*>()) {
        for (const QKeySequence& key : action->shortcuts())
            add(key, withoutMnemonic(action->text()));
    }
    for (const QAbstractButton* const button : window->findChildren<QAbstractButton*>()) {
        if (!button->shortcut().isEmpty() && !button->accessibleName().isEmpty())
            add(button->shortcut(), button->accessibleName());
    }
    return lines;
}

QTableWidget* shortcutTable(const QMultiMap<QString, QString>& lines)
{
    auto* const table = new QTableWidget(static_cast<int>(lines.size()), 2);
    table->setObjectName(QStringLiteral("shortcutTable"));
    table->setAccessibleName(tr("Keyboard shortcuts"));
    table->setHorizontalHeaderLabels({tr("Key"), tr("What it does")});
    table->horizontalHeader()->setStretchLastSection(true);
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    int row = 0;
    for (auto line = lines.begin(); line != lines.end(); ++line, ++row) {
        table->setItem(row, 0, new QTableWidgetItem(line.key()));
        table->setItem(row, 1, new QTableWidgetItem(line.value()));
    }
    table->resizeColumnToContents(0);
    return table;
}

} // namespace

void showShortcuts(QWidget* window)
{
    auto* const dialog = new QDialog(window);
    dialog->setObjectName(QStringLiteral("shortcutsDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Keyboard shortcuts"));
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    auto* const layout = new QVBoxLayout(dialog);
    layout->addWidget(shortcutTable(shortcutsBelow(window)));
    layout->addWidget(buttons);
    dialog->resize(480, 480);
    dialog->open();
}

void showAbout(QWidget* window)
{
    auto* const box = new QMessageBox(window);
    box->setObjectName(QStringLiteral("aboutDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowTitle(tr("About Colibri"));
    box->setText(tr("Colibri %1").arg(QCoreApplication::applicationVersion()));
    box->setInformativeText(tr("Looks inside mixture-of-experts language models while they run.\n\n"
                               "The window is under the GNU General Public License, version 3 or later; the engine is "
                               "under the Apache License, version 2.0. Built with Qt %1.")
                                .arg(QLatin1String(qVersion())));
    box->open();
}

} // namespace colibri
