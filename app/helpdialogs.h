// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace colibri {

/// Both return at once; the dialogs delete themselves when they are closed.
void showShortcuts(QWidget* window); ///< of all actions and buttons below `window`
void showAbout(QWidget* window);

} // namespace colibri
