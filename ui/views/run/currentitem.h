// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QString>

namespace colibri {

/// A widget of many painted items, one of which is current. What assistive programs read of it: its accessible name
/// and, as its value, the current item in words.
class CurrentItem {
public:
    virtual ~CurrentItem() = default;
    virtual QAccessible::Role itemsRole() const = 0;
    virtual QString currentText() const = 0; ///< empty when nothing is current
};

/// Makes Qt ask CurrentItem for every widget that is one. Once or more often, GUI thread.
void installCurrentItemAccessibility();
/// Tells assistive programs that the current item of `widget` is another one or reads otherwise now.
void announceCurrentItem(QWidget& widget, const CurrentItem& item);

} // namespace colibri
