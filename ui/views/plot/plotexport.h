// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <functional>

class QCustomPlot;
class QWidget;

namespace colibri {

/// Writes a plot at its present size: PNG at twice the scale, SVG or PDF, by the ending of `path`. Returns what went
/// wrong, empty when it is written; an existing file stays whole when it fails.
QString exportPlot(QCustomPlot& plot, const QString& path);

/// Writes bytes to a file that appears whole or not at all. Returns what went wrong, empty when it is written.
QString writeWhole(const QString& path, const QByteArray& bytes);

/// Asks for a file to write, starting with `name`, and calls `chosen` with its path, unless the user changes their
/// mind. Does not wait.
void askForFile(
    QWidget* parent, const QString& name, const QString& filter, std::function<void(const QString& path)> chosen);
/// Says over `parent` what went wrong. Does not wait.
void showNotSaved(QWidget* parent, const QString& wrong);

/// Asks for a file, starting with `name`, and writes the bytes; an error is shown over `parent`. Does not wait.
void saveBytesAs(QWidget* parent, const QString& name, const QByteArray& bytes);
/// The same for the picture of a plot.
void savePlotAs(QCustomPlot& plot, const QString& name);

} // namespace colibri
