// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace colibri {
namespace {

const QString themeKey = QStringLiteral("theme");
const QString recentKey = QStringLiteral("recent");
const QString geometryKey = QStringLiteral("window/geometry");
const QString pageKey = QStringLiteral("page/");
const QString promptsKey = QStringLiteral("prompts");
const QString savedRunFolderKey = QStringLiteral("savedRuns/folder");
const QString exportFolderKey = QStringLiteral("exports/folder");
const QString stateKey = QStringLiteral("window/state");

/// Indexed by ThemeChoice.
constexpr std::array<const char*, 3> themeNames{"system", "light", "dark"};

/// The first that is there: the remembered folder, the user's documents, else the user's own folder.
QString firstFolder(const QString& remembered)
{
    for (const QString& folder : {remembered, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)}) {
        if (!folder.isEmpty() && QFileInfo(folder).isDir())
            return folder;
    }
    return QDir::homePath();
}

} // namespace

QRect fittedTo(const QRect& window, const QRect& available)
{
    QRect place(window.topLeft(), window.size().boundedTo(available.size()));
    place.moveLeft(std::clamp(place.left(), available.left(), available.left() + available.width() - place.width()));
    place.moveTop(std::clamp(place.top(), available.top(), available.top() + available.height() - place.height()));
    return place;
}

ThemeChoice Settings::theme() const
{
    const std::string name = m_settings.value(themeKey).toString().toStdString();
    const auto at = std::find(themeNames.begin(), themeNames.end(), name);
    return at == themeNames.end() ? ThemeChoice::System : ThemeChoice(at - themeNames.begin());
}

void Settings::setTheme(ThemeChoice theme)
{
    m_settings.setValue(themeKey, themeNames[std::size_t(theme)]);
}

QStringList Settings::recent() const
{
    return m_settings.value(recentKey).toStringList();
}

void Settings::addRecent(const QString& path)
{
    const QString absolute = QDir::cleanPath(QDir::current().absoluteFilePath(path));
    QStringList paths = recent();
    paths.removeAll(absolute);
    paths.prepend(absolute);
    m_settings.setValue(recentKey, paths.mid(0, recentCount));
}

void Settings::removeRecent(const QString& path)
{
    QStringList paths = recent();
    paths.removeAll(path);
    m_settings.setValue(recentKey, paths);
}

QByteArray Settings::geometry() const
{
    return m_settings.value(geometryKey).toByteArray();
}

QByteArray Settings::windowState() const
{
    return m_settings.value(stateKey).toByteArray();
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state)
{
    m_settings.setValue(geometryKey, geometry);
    m_settings.setValue(stateKey, state);
}

QByteArray Settings::pageLayout(const QString& page) const
{
    return m_settings.value(pageKey + page).toByteArray();
}

void Settings::setPageLayout(const QString& page, const QByteArray& layout)
{
    m_settings.setValue(pageKey + page, layout);
}

QStringList Settings::prompts() const
{
    return m_settings.value(promptsKey).toStringList();
}

void Settings::setPrompts(const QStringList& prompts)
{
    m_settings.setValue(promptsKey, prompts);
}

QString Settings::savedRunFolder() const
{
    return firstFolder(m_settings.value(savedRunFolderKey).toString());
}

void Settings::setSavedRunFolder(const QString& folder)
{
    m_settings.setValue(savedRunFolderKey, folder);
}

QString Settings::exportFolder() const
{
    return firstFolder(m_settings.value(exportFolderKey).toString());
}

void Settings::setExportFolder(const QString& folder)
{
    m_settings.setValue(exportFolderKey, folder);
}

} // namespace colibri
