// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAction;
class QLineEdit;
class QString;
class QToolButton;
class QWidget;

namespace colibri {

/// A button with the text of an action, which can be reached by Tab and says what it does to assistive programs.
QToolButton* toolButton(QAction* action, QWidget* parent);

/// A line to filter a view by: Ctrl+F anywhere in `owner` goes to it, Escape clears a text that it has.
QLineEdit* filterLine(const QString& name, const QString& toolTip, QWidget* owner);

} // namespace colibri
