// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/exportplace.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStorageInfo>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ExportPlace)
};

QString whyNot(const QString& folder, const QString& name, const QString& path)
{
    const QFileInfo parent(folder);
    if (folder.isEmpty())
        return Words::tr("Name the folder that the export is put into.");
    if (!parent.exists())
        return Words::tr("There is no folder %1.").arg(QDir::toNativeSeparators(folder));
    if (!parent.isDir())
        return Words::tr("%1 is a file, not a folder.").arg(QDir::toNativeSeparators(folder));
    if (!parent.isWritable())
        return Words::tr("The folder %1 is not writable.").arg(QDir::toNativeSeparators(folder));
    if (name.isEmpty())
        return Words::tr("Give the export a name: it becomes a folder of its own.");
    if (name == QLatin1String(".") || name == QLatin1String("..") || name.contains(u'/') || name.contains(u'\0'))
        return Words::tr("The name of a folder cannot be \u201c%1\u201d.").arg(name);
    const QFileInfo target(path);
    if (target.exists() || target.isSymLink())
        return Words::tr("%1 is there already; an export goes into a new folder.").arg(QDir::toNativeSeparators(path));
    return {};
}

} // namespace

ExportPlace exportPlace(const QString& folder, const QString& name)
{
    ExportPlace place;
    const QString absolute = folder.isEmpty() ? QString() : QDir::cleanPath(QDir::current().absoluteFilePath(folder));
    if (!absolute.isEmpty() && !name.isEmpty())
        place.path = QDir(absolute).filePath(name);
    place.why = whyNot(absolute, name, place.path);
    const QStorageInfo disk(absolute.isEmpty() ? QDir::currentPath() : absolute);
    if (!absolute.isEmpty() && disk.isValid() && disk.isReady() && disk.bytesAvailable() >= 0)
        place.freeBytes = static_cast<std::uint64_t>(disk.bytesAvailable());
    return place;
}

QString freeExportName(const QString& folder, const QString& modelPath)
{
    QString base = QFileInfo(QDir::cleanPath(modelPath)).fileName();
    if (base == QLatin1String("config.json"))
        base = QFileInfo(QFileInfo(modelPath).absolutePath()).fileName();
    if (base.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive))
        base.chop(5);
    if (base.isEmpty())
        base = QStringLiteral("model");
    const QString first = base + QStringLiteral("-export");
    QString name = first;
    for (int number = 2; QFileInfo::exists(QDir(folder).filePath(name)) && number < 1000; ++number)
        name = first + u'-' + QString::number(number);
    return name;
}

} // namespace colibri
