// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAbstractItemView;
class QHelpEvent;
class QWidget;

namespace colibri {

/// A tool tip that shows `text` as it is and breaks its lines. Left to itself, Qt takes a text with "<s>" in its first
/// line for rich text. Empty for an empty one.
QString plainTip(const QString& text);
/// Shows a widget's tool tip, which says what `text` is about; where that is cut, all of it stands above.
void showElidedTip(const QHelpEvent& help, QWidget& widget, const QString& text, bool cut);
/// Shows the tool tip of the item under the pointer likewise. False: it has none.
bool showItemTip(const QHelpEvent& help, QAbstractItemView& view);

} // namespace colibri
