// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QTemporaryDir>

namespace colibri::test {

/// Settings of this program alone, which go when it ends.
class OwnSettings {
public:
    /// To be called before anything reads or writes settings.
    bool begin()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("colibri-test"));
        QCoreApplication::setApplicationName(QStringLiteral("colibri-test"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        return m_folder.isValid();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace colibri::test
