// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

namespace colibri::test {

/// What is wrong with an error that should have this kind and whose text should hold each of `parts`; empty when it is
/// as it should be. Use as QCOMPARE(complaint(error, ...), QString()).
inline QString complaint(const Error& error, Errc code, const QList<QByteArray>& parts)
{
    const QByteArray text = QByteArray::fromStdString(error.message());
    if (error.code != code)
        return QStringLiteral("kind %1 instead of %2: %3")
            .arg(int(error.code))
            .arg(int(code))
            .arg(QString::fromUtf8(text));
    for (const QByteArray& part : parts)
        if (!text.contains(part))
            return QStringLiteral("\"%1\" is missing in: %2").arg(QString::fromUtf8(part), QString::fromUtf8(text));
    return {};
}

/// The same for a result, which must be an error.
template <class T>
QString complaint(const Result<T>& result, Errc code, const QList<QByteArray>& parts)
{
    return result ? QStringLiteral("no error") : complaint(result.error(), code, parts);
}

} // namespace colibri::test
