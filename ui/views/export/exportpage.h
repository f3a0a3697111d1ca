// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QString;
class QVBoxLayout;
class QWidget;

namespace colibri {

// What the pages of the export dialog are laid out with.

/// A title in large letters, for the first line of a page.
QLabel* pageTitle(const QString& text, QWidget* page);

/// The layout of a page, still empty.
QVBoxLayout* pageColumn(QWidget* page);

} // namespace colibri
