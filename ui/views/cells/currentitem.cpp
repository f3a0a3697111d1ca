// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cells/currentitem.h"

#include <QAccessibleWidget>
#include <QWidget>

namespace colibri {
namespace {

class CurrentItemInterface : public QAccessibleWidget {
public:
    CurrentItemInterface(QWidget* widget, const CurrentItem& item)
        : QAccessibleWidget(widget, item.itemsRole())
        , m_item(item)
    {
    }

    QString text(QAccessible::Text what) const override
    {
        return what == QAccessible::Value ? m_item.currentText() : QAccessibleWidget::text(what);
    }

private:
    const CurrentItem& m_item; ///< the widget itself
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    const auto* item = dynamic_cast<const CurrentItem*>(object);
    return item && object->isWidgetType() ? new CurrentItemInterface(static_cast<QWidget*>(object), *item) : nullptr;
}

} // namespace

CurrentItem::CurrentItem()
{
    QAccessible::installFactory(makeInterface); // the same one counts once
}

void announceCurrentItem(QWidget& widget, const CurrentItem& item)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleValueChangeEvent event(static_cast<QObject*>(&widget), item.currentText());
    QAccessible::updateAccessibility(&event);
}

} // namespace colibri
