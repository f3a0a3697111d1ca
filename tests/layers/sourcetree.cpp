// SPDX-License-Identifier: Apache-2.0
#include "layers/sourcetree.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <cctype>

namespace colibri::layers {

namespace {

bool isIdentifierPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Whether the quote at `at` stands inside of a number (1'000).
bool isDigitSeparator(const QByteArray& code, qsizetype at)
{
    qsizetype start = at;
    while (start > 0 && (isIdentifierPart(code[start - 1]) || code[start - 1] == '\''))
        --start;
    return start < at && std::isdigit(static_cast<unsigned char>(code[start]));
}

/// The index behind the literal that opens with the quote at `at`.
qsizetype endOfLiteral(const QByteArray& code, qsizetype at)
{
    if (code[at] == '"' && at > 0 && code[at - 1] == 'R') {
        const qsizetype paren = code.indexOf('(', at);
        const QByteArray close = ')' + code.mid(at + 1, paren - at - 1) + '"';
        const qsizetype end = paren < 0 ? -1 : code.indexOf(close, paren);
        return end < 0 ? code.size() : end + close.size();
    }
    const char quote = code[at];
    for (qsizetype i = at + 1; i < code.size() && code[i] != '\n'; ++i) {
        if (code[i] == '\\')
            ++i;
        else if (code[i] == quote)
            return i + 1;
    }
    return std::min(code.size(), code.indexOf('\n', at) < 0 ? code.size() : code.indexOf('\n', at));
}

/// The index behind the comment that opens at `at`; `at` when none does.
qsizetype endOfComment(const QByteArray& code, qsizetype at)
{
    const QByteArray opening = code.mid(at, 2);
    if (opening != "//" && opening != "/*")
        return at;
    const bool block = opening == "/*";
    const qsizetype end = block ? code.indexOf("*/", at + 2) : code.indexOf('\n', at);
    return end < 0 ? code.size() : end + (block ? 2 : 0);
}

void blank(QByteArray& code, qsizetype begin, qsizetype end)
{
    std::replace_if(
        code.begin() + begin, code.begin() + end, [](char c) { return c != '\n'; }, ' ');
}

} // namespace

SourceTree readSourceTree(const QString& root)
{
    static const QRegularExpression ignored(QStringLiteral("^((build|cmake-build).*|\\.(git|cache|idea|vscode))$"));
    SourceTree tree;
    const auto read = [&](const QString& path) {
        QFile file(path);
        if (file.open(QIODevice::ReadOnly))
            tree.insert(QDir(root).relativeFilePath(path), file.readAll());
    };
    const auto entries = QDir(root).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    for (const QFileInfo& entry : entries) {
        if (ignored.match(entry.fileName()).hasMatch())
            continue;
        if (!entry.isDir())
            read(entry.filePath());
        QDirIterator files(entry.filePath(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (entry.isDir() && files.hasNext())
            read(files.next());
    }
    return tree;
}

bool isHeader(const QString& path)
{
    return path.endsWith(QLatin1String(".h"));
}

bool isCode(const QString& path)
{
    return isHeader(path) || path.endsWith(QLatin1String(".cpp")) || path.endsWith(QLatin1String(".c"));
}

int lineCount(const QByteArray& text)
{
    return static_cast<int>(text.count('\n')) + (text.isEmpty() || text.endsWith('\n') ? 0 : 1);
}

QByteArray stripCode(const QByteArray& code, Strip what)
{
    QByteArray stripped = code;
    qsizetype at = 0;
    while (at < code.size()) {
        const char c = code[at];
        if (const qsizetype end = endOfComment(code, at); end > at) {
            blank(stripped, at, end);
            at = end;
        } else if (c == '"' || (c == '\'' && !isDigitSeparator(code, at))) {
            const qsizetype behind = endOfLiteral(code, at);
            if (what == Strip::CommentsAndLiterals)
                blank(stripped, at, behind);
            at = behind;
        } else {
            ++at;
        }
    }
    return stripped;
}

QList<Include> includesOf(const QByteArray& code)
{
    static const QRegularExpression directive(QStringLiteral("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]"));
    QList<Include> includes;
    int line = 0;
    for (const QByteArray& text : stripCode(code, Strip::Comments).split('\n')) {
        ++line;
        if (const auto match = directive.match(QString::fromUtf8(text)); match.hasMatch())
            includes.append({line, match.captured(1)});
    }
    return includes;
}

QString resolveInclude(const SourceTree& tree, const QString& from, const QString& name)
{
    QStringList folders{from.section('/', 0, -2), QStringLiteral("engine")};
    if (!from.startsWith(QLatin1String("engine/")))
        folders << QStringLiteral("ui") << QStringLiteral("app");
    for (const QString& folder : folders) {
        const QString path = QDir::cleanPath(folder + '/' + name);
        if (tree.contains(path))
            return path;
    }
    return {};
}

} // namespace colibri::layers
