// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QHelpEvent>
#include <QImage>
#include <QToolTip>
#include <QWidget>

/// What is seen of a widget.
namespace colibri::test {

/// A widget as it is painted at the scale of the screen. Positions and sizes are the widget's own at every scale: of
/// the pixels of the screen that a position has, the upper left one is told.
class Seen {
public:
    explicit Seen(QWidget& widget)
        : m_image(widget.grab().toImage().convertToFormat(QImage::Format_RGB32))
        , m_size(widget.size())
    {
    }
    int width() const { return m_size.width(); }
    int height() const { return m_size.height(); }
    QRgb pixel(QPoint at) const
    {
        return m_image.pixel(at.x() * m_image.width() / width(), at.y() * m_image.height() / height());
    }
    QRgb pixel(int x, int y) const { return pixel(QPoint(x, y)); }
    bool operator==(const Seen&) const = default;

private:
    QImage m_image;
    QSize m_size;
};

/// The tool tip that a pointer has that rests there; empty when there is none.
inline QString toolTipAt(QWidget& widget, QPoint at)
{
    QHelpEvent event(QEvent::ToolTip, at, widget.mapToGlobal(at));
    QApplication::sendEvent(&widget, &event);
    return QToolTip::text();
}

} // namespace colibri::test
