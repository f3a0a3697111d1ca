// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/colourmaps.h"

#include <QFont>
#include <QObject>
#include <QPalette>

#include <optional>

namespace colibri {

/// Distances of the 8-pixel grid, in device-independent pixels.
namespace grid {
inline constexpr int half = 4;
inline constexpr int unit = 8;
inline constexpr int wide = 16;
inline constexpr int page = 24;
} // namespace grid

/// Colours that QPalette has no role for. Text colours reach 4.5:1 on the palette's base and window.
struct ThemeColors {
    QRgb accent; ///< the one accent: selection, the next thing to do
    QRgb mutedText; ///< captions, units, axes
    QRgb goodText;
    QRgb warningText; ///< a narrow margin, a gap, a zeroed expert
    QRgb errorText;
    QRgb line; ///< separators and grid lines, not text
    QRgb outline; ///< the edge of a field, a check box: 3:1 on the palette's base and window
    QRgb promptBand; ///< the ground of a prompt beside that of an answer
    QRgb pending; ///< the ground of what is not there yet
};

QPalette themePalette(ColorScheme scheme);
const ThemeColors& themeColors(ColorScheme scheme);
/// The scheme a palette belongs to, for widgets: they ask with their own palette and need no Theme.
ColorScheme schemeOf(const QPalette& palette);
/// The system's fixed-pitch font at the size of the user interface: its figures are all of one width.
QFont monospaceFont();

enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// Puts Fusion and one of the two palettes on the application. GUI thread; made once by the program after QApplication.
class Theme : public QObject {
    Q_OBJECT

public:
    /// Looks at the palette the system gave before it is replaced: that is what ThemeChoice::System follows until
    /// setSystemScheme() says otherwise.
    explicit Theme(QObject* parent = nullptr);

    ThemeChoice choice() const { return m_choice; }
    ColorScheme scheme() const;
    void setChoice(ThemeChoice choice);
    void setSystemScheme(ColorScheme scheme);

signals:
    void schemeChanged(colibri::ColorScheme scheme);

private:
    void apply();

    ThemeChoice m_choice = ThemeChoice::System;
    ColorScheme m_systemScheme;
    std::optional<ColorScheme> m_applied; ///< empty: none yet
};

} // namespace colibri
