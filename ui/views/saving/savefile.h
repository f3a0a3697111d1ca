// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <functional>

class QWidget;

namespace colibri {

/// Writes bytes to a file that appears whole or not at all. Returns what went wrong, empty when it is written.
QString writeWhole(const QString& path, const QByteArray& bytes);

/// Asks for a file to write, starting with `name`, and calls `chosen` with its path, unless the user changes their
/// mind. Does not wait.
void askForFile(
    QWidget* parent, const QString& name, const QString& filter, std::function<void(const QString& path)> chosen);
/// Says over `parent` what went wrong. Does not wait.
void showNotSaved(QWidget* parent, const QString& wrong);

/// Asks for a file and calls `write` with its path; what it returns, unless empty, is shown over `parent` as what went
/// wrong. Does not wait.
void saveAs(
    QWidget* parent, const QString& name, const QString& filter, std::function<QString(const QString& path)> write);
/// The same for bytes.
void saveBytesAs(QWidget* parent, const QString& name, const QByteArray& bytes);

} // namespace colibri
