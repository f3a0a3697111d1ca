// SPDX-License-Identifier: GPL-3.0-or-later
#include "filedrop.h"

#include <QCoreApplication>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

namespace colibri {
namespace {

/// The one local file that is dragged; empty when it is something else.
QString draggedFile(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

} // namespace

FileDrop::FileDrop(QWidget* window)
    : QObject(window)
    , m_window(window)
{
    window->setAcceptDrops(true);
    QCoreApplication::instance()->installEventFilter(this);
}

bool FileDrop::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::DragLeave && type != QEvent::Drop)
        return false;
    const auto* const widget = qobject_cast<QWidget*>(watched);
    if (!widget || widget->window() != m_window)
        return false;
    if (type == QEvent::DragLeave) {
        emit activeChanged(false);
        return false;
    }
    auto* const drop = static_cast<QDropEvent*>(event);
    const QString path = draggedFile(*drop->mimeData());
    if (path.isEmpty())
        return false;
    drop->acceptProposedAction();
    emit activeChanged(type != QEvent::Drop);
    if (type == QEvent::Drop)
        emit dropped(path);
    return true;
}

} // namespace colibri
