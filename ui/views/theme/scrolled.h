// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace colibri {

/// `content` in an area that needs no room of its own: where there is less than the content needs, bars appear. The
/// name is for assistive programs.
inline QScrollArea* scrolled(QWidget* content, const QString& accessibleName = {})
{
    auto* const area = new QScrollArea;
    area->setWidget(content);
    area->setAccessibleName(accessibleName);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    return area;
}

} // namespace colibri
