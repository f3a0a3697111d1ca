// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>

namespace colibri::layers {

/// The files of a source tree: path relative to its root, with '/', and content.
using SourceTree = QMap<QString, QByteArray>;

/// Reads every file below `root` except build folders, version control and caches.
SourceTree readSourceTree(const QString& root);

/// Whether `path` is C or C++ code.
bool isCode(const QString& path);
bool isHeader(const QString& path);
int lineCount(const QByteArray& text);

/// What stripCode replaces by blanks. Line breaks stay, so that line numbers hold.
enum class Strip { Comments, CommentsAndLiterals };
QByteArray stripCode(const QByteArray& code, Strip what);

struct Include {
    int line = 0; ///< from 1
    QString name; ///< as written between the quotes or angles
};
QList<Include> includesOf(const QByteArray& code);

/// The file of the tree that an include in `from` means: beside it, else below engine/, and for ui/ and app/ also below
/// ui/ and app/. Empty when it is none of the tree's.
QString resolveInclude(const SourceTree& tree, const QString& from, const QString& name);

} // namespace colibri::layers
