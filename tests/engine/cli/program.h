// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QStringList>

#include <optional>

namespace colibri::test {

struct Outcome {
    int code = -1; ///< exit code; -1 when it did not end by itself
    QByteArray out;
    QByteArray err;
};

/// The program's path, and the one of the helper that measures a program.
QString programPath();
QString measurePath();

/// Runs any program to its end, `input` on its standard input.
Outcome runProcess(const QString& program, const QStringList& arguments, const QByteArray& input = {});
/// Runs colibri.
Outcome runColibri(const QStringList& arguments, const QByteArray& input = {});

/// What is wrong with the end of a program whose arguments have to be refused: with code 2, nothing on standard output
/// and one line of standard error that begins with "colibri: " and holds each of `words`. Empty when it is as it should
/// be.
QString refusalComplaint(const Outcome& outcome, const QStringList& words);

/// The JSON object that is all of standard output; empty when there is anything else, or the program failed.
std::optional<QJsonObject> onlyJson(const Outcome& outcome);

/// The shared folder's path below it, when the environment names one.
std::optional<QString> sharedPath(const QString& name);

/// "1,2,3"
QString idList(const QJsonArray& ids);

} // namespace colibri::test
