// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/notelabel.h"

#include "views/theme/theme.h"

#include <QEvent>

#include <algorithm>
#include <array>

namespace colibri {
namespace {

struct Look {
    QRgb ThemeColors::*color;
    const char* sign;
};
/// By NoteLabel::Kind.
constexpr std::array<Look, 4> looks{{
    {&ThemeColors::mutedText, ""},
    {&ThemeColors::goodText, "\u2713 "},
    {&ThemeColors::warningText, "\u26a0 "},
    {&ThemeColors::errorText, "\u26a0 "},
}};

} // namespace

NoteLabel::NoteLabel(const QString& objectName, QWidget* parent)
    : QLabel(parent)
{
    setObjectName(objectName);
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    tint();
}

void NoteLabel::setNote(Kind kind, const QString& text)
{
    m_kind = kind;
    setText(text.isEmpty() ? text : QString::fromUtf8(looks[std::size_t(kind)].sign) + text);
    tint();
}

QSize NoteLabel::minimumSizeHint() const
{
    return QLabel::minimumSizeHint().expandedTo({0, fontMetrics().height()});
}

void NoteLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        tint();
}

void NoteLabel::tint()
{
    const QColor color = QColor::fromRgb(themeColors(schemeOf(palette())).*looks[std::size_t(m_kind)].color);
    if (palette().color(QPalette::WindowText) == color)
        return;
    QPalette tinted = palette();
    tinted.setColor(QPalette::WindowText, color);
    setPalette(tinted);
}

} // namespace colibri
