// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>

namespace colibri::test {

QString programPath()
{
    return QStringLiteral(COLIBRI_PROGRAM);
}

QString measurePath()
{
    return QStringLiteral(COLIBRI_MEASURE);
}

Outcome runProcess(const QString& program, const QStringList& arguments, const QByteArray& input)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForStarted())
        return {};
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(600000) || process.exitStatus() != QProcess::NormalExit)
        return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

Outcome runColibri(const QStringList& arguments, const QByteArray& input)
{
    return runProcess(programPath(), arguments, input);
}

QString refusalComplaint(const Outcome& outcome, const QStringList& words)
{
    if (outcome.code != 2)
        return QStringLiteral("code %1: %2").arg(outcome.code).arg(QString::fromUtf8(outcome.err));
    if (!outcome.out.isEmpty())
        return QStringLiteral("on standard output: ") + QString::fromUtf8(outcome.out);
    if (!outcome.err.startsWith("colibri: ") || outcome.err.count('\n') != 1)
        return QStringLiteral("not one line of colibri: ") + QString::fromUtf8(outcome.err);
    for (const QString& word : words)
        if (!outcome.err.contains(word.toUtf8()))
            return QStringLiteral("\"%1\" is missing in: %2").arg(word, QString::fromUtf8(outcome.err));
    return {};
}

std::optional<QJsonObject> onlyJson(const Outcome& outcome)
{
    const QJsonDocument document = QJsonDocument::fromJson(outcome.out); // nothing may follow the value
    if (outcome.code != 0 || !document.isObject())
        return std::nullopt;
    return document.object();
}

std::optional<QString> sharedPath(const QString& name)
{
    const QString root = qEnvironmentVariable("COLIBRI_SHARED");
    return root.isEmpty() ? std::nullopt : std::optional(root + '/' + name);
}

QString idList(const QJsonArray& ids)
{
    QStringList list;
    for (const QJsonValue id : ids)
        list << QString::number(id.toInteger());
    return list.join(',');
}

} // namespace colibri::test
