// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QByteArray>
#include <QRect>
#include <QSettings>
#include <QStringList>

namespace colibri {

/// The place of a window moved and made smaller as far as it has to be to lie in what a screen has free.
QRect fittedTo(const QRect& window, const QRect& available);

/// What the window remembers from one start to the next. Organization and application must be set before.
class Settings {
public:
    static constexpr int recentCount = 9;

    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);

    QStringList recent() const; ///< absolute paths, newest first
    void addRecent(const QString& path);
    void removeRecent(const QString& path);

    QByteArray geometry() const;
    QByteArray windowState() const;
    void setWindow(const QByteArray& geometry, const QByteArray& state);
    QByteArray pageLayout(const QString& page) const;
    void setPageLayout(const QString& page, const QByteArray& layout);
    QStringList prompts() const; ///< that were run, newest first
    void setPrompts(const QStringList& prompts);
    QString savedRunFolder() const; ///< where a run was saved or opened last; a usual folder when it is not there
    void setSavedRunFolder(const QString& folder);
    QString exportFolder() const; ///< that an export was put into last; likewise
    void setExportFolder(const QString& folder);

private:
    QSettings m_settings;
};

} // namespace colibri
