// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QDir>
#include <QPixmap>
#include <QTest>
#include <QWidget>

#include <initializer_list>

/// Pictures to be looked at, in the folder COLIBRI_PICTURES of the program.
namespace colibri::test {

/// A row of a test that makes pictures: what they look like, and how large the window is.
struct PictureRow {
    const char* name;
    ThemeChoice choice;
    QSize size;
};

/// Adds them in the columns "choice" and "size".
inline void pictureRows(std::initializer_list<PictureRow> rows)
{
    QTest::addColumn<ThemeChoice>("choice");
    QTest::addColumn<QSize>("size");
    for (const PictureRow& row : rows)
        QTest::newRow(row.name) << row.choice << row.size;
}

/// The name with that of the test's row.
inline QString ofRow(const char* name)
{
    return QString::fromLatin1(name) + u'-' + QString::fromLatin1(QTest::currentDataTag());
}

/// Saves what a widget shows, all of it, as NAME.png; at another scale S (QT_SCALE_FACTOR) as NAME@Sx.png.
inline bool savePicture(QWidget& widget, const QString& name)
{
    const QPixmap picture = widget.grab();
    const qreal ratio = widget.devicePixelRatio();
    const QString scale = ratio == 1 ? QString() : QStringLiteral("@%1x").arg(ratio);
    return picture.size() == (QSizeF(widget.size()) * ratio).toSize() && QDir().mkpath(QStringLiteral(COLIBRI_PICTURES))
        && picture.save(QStringLiteral(COLIBRI_PICTURES "/%1%2.png").arg(name, scale));
}

} // namespace colibri::test
