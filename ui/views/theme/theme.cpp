// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include "views/theme/flatstyle.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>

#include <array>
#include <utility>

namespace colibri {
namespace {

struct RoleColors {
    QPalette::ColorRole role;
    QRgb light;
    QRgb dark;
};

constexpr std::array roles{
    RoleColors{QPalette::Window, 0xfff2f4f5, 0xff1d2124},
    RoleColors{QPalette::WindowText, 0xff1b2025, 0xffdde2e5},
    RoleColors{QPalette::Base, 0xffffffff, 0xff15181b},
    RoleColors{QPalette::AlternateBase, 0xfff6f8f9, 0xff1a1e21},
    RoleColors{QPalette::Text, 0xff1b2025, 0xffdde2e5},
    RoleColors{QPalette::PlaceholderText, 0xff656e76, 0xff8e989f},
    RoleColors{QPalette::Button, 0xffe8ebed, 0xff2a3034},
    RoleColors{QPalette::ButtonText, 0xff1b2025, 0xffdde2e5},
    RoleColors{QPalette::BrightText, 0xffb3261e, 0xffff9d94},
    RoleColors{QPalette::ToolTipBase, 0xff272d32, 0xffdde2e5},
    RoleColors{QPalette::ToolTipText, 0xfff2f4f5, 0xff15181b},
    RoleColors{QPalette::Highlight, 0xff0b6b73, 0xff5cc5cb},
    RoleColors{QPalette::HighlightedText, 0xffffffff, 0xff0d1113},
    RoleColors{QPalette::Link, 0xff0b6b73, 0xff5cc5cb},
    RoleColors{QPalette::LinkVisited, 0xff5b4b8a, 0xffb3a6e0},
    RoleColors{QPalette::Light, 0xffffffff, 0xff3a4146},
    RoleColors{QPalette::Midlight, 0xfff6f8f9, 0xff32383d},
    RoleColors{QPalette::Mid, 0xffb9c0c5, 0xff40484e},
    RoleColors{QPalette::Dark, 0xff98a1a8, 0xff0e1113},
    RoleColors{QPalette::Shadow, 0xff5c656c, 0xff000000},
};
constexpr std::array textRoles{QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText};

constexpr ThemeColors lightColors{
    .accent = 0xff0b6b73,
    .mutedText = 0xff58626a,
    .goodText = 0xff1c6b3c,
    .warningText = 0xff8a4b00,
    .errorText = 0xffb3261e,
    .line = 0xffd5dadd,
    .outline = 0xff737c83,
    .promptBand = 0xffeef1f3,
    .pending = 0xffe9ecee,
};
constexpr ThemeColors darkColors{
    .accent = 0xff5cc5cb,
    .mutedText = 0xff9aa4ab,
    .goodText = 0xff7fcf9b,
    .warningText = 0xffe9b15a,
    .errorText = 0xffff9d94,
    .line = 0xff343b40,
    .outline = 0xff78838a,
    .promptBand = 0xff22272b,
    .pending = 0xff262b2f,
};

} // namespace

QPalette themePalette(ColorScheme scheme)
{
    const bool light = scheme == ColorScheme::Light;
    QPalette palette;
    for (const RoleColors& entry : roles)
        palette.setColor(entry.role, QColor::fromRgb(light ? entry.light : entry.dark));
    const QColor disabledText = QColor::fromRgb(light ? 0xff7d868d : 0xff7a848b);
    for (const QPalette::ColorRole role : textRoles)
        palette.setColor(QPalette::Disabled, role, disabledText);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, palette.color(QPalette::Mid));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, palette.color(QPalette::Active, QPalette::Text));
    return palette;
}

const ThemeColors& themeColors(ColorScheme scheme)
{
    return scheme == ColorScheme::Light ? lightColors : darkColors;
}

ColorScheme schemeOf(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? ColorScheme::Dark : ColorScheme::Light;
}

QFont monospaceFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setStyleHint(QFont::Monospace);
    if (!QFontInfo(font).fixedPitch())
        font.setFamily(QStringLiteral("monospace"));
    const QFont interface = QApplication::font();
    if (interface.pointSizeF() > 0)
        font.setPointSizeF(interface.pointSizeF());
    else
        font.setPixelSize(interface.pixelSize());
    return font;
}

Theme::Theme(QObject* parent)
    : QObject(parent)
    , m_systemScheme(schemeOf(QApplication::palette()))
{
    QApplication::setStyle(new FlatStyle);
    apply();
}

ColorScheme Theme::scheme() const
{
    switch (m_choice) {
    case ThemeChoice::Light:
        return ColorScheme::Light;
    case ThemeChoice::Dark:
        return ColorScheme::Dark;
    case ThemeChoice::System:
        break;
    }
    return m_systemScheme;
}

void Theme::setChoice(ThemeChoice choice)
{
    m_choice = choice;
    apply();
}

void Theme::setSystemScheme(ColorScheme scheme)
{
    m_systemScheme = scheme;
    apply();
}

void Theme::apply()
{
    const ColorScheme wanted = scheme();
    if (m_applied == wanted)
        return;
    m_applied = wanted;
    QApplication::setPalette(themePalette(wanted));
    emit schemeChanged(wanted);
}

} // namespace colibri
