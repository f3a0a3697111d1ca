// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QString>

namespace colibri {

/// A widget of many painted items, one of which is current. What assistive programs read of it: its accessible name
/// and, as its value, the current item in words.
class CurrentItem {
public:
    CurrentItem(); ///< from now on Qt asks items of this kind
    CurrentItem(const CurrentItem&) = delete;
    CurrentItem& operator=(const CurrentItem&) = delete;
    virtual ~CurrentItem() = default;
    virtual QAccessible::Role itemsRole() const = 0;
    virtual QString currentText() const = 0; ///< empty when nothing is current
};

/// Tells assistive programs that the current item of `widget` is another one or reads otherwise now.
void announceCurrentItem(QWidget& widget, const CurrentItem& item);

} // namespace colibri
