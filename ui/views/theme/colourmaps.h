// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRgb>

#include <cstdint>

namespace colibri {

enum class ColorScheme : std::uint8_t { Light, Dark };

/// A colour in the OKLCh space (B. Ottosson, 2020): lightness 0 to 1, chroma from 0, hue in degrees. Equal steps look
/// equal.
struct Oklch {
    double lightness = 0;
    double chroma = 0;
    double hue = 0;
};
/// The sRGB colour, opaque; chroma is lowered until the colour exists in sRGB.
QRgb toRgb(Oklch color);

/// For amounts: `t` from 0 (dark violet) to 1 (light yellow), lightness rising evenly, the same in both schemes. NaN:
/// noDataColor().
QRgb amountColor(double t, ColorScheme scheme);
/// Around a meaningful zero: -1 (blue) over 0 (neutral, near the background of the scheme) to 1 (orange). NaN:
/// noDataColor().
QRgb divergingColor(double t, ColorScheme scheme);
/// For what has no value.
QRgb noDataColor(ColorScheme scheme);

inline constexpr std::uint32_t categoricalColors = 8;
/// The colour of one of `count` experts as the ground under text: a fixed set up to 8, beyond it an even circle of hues
/// with three steps of lightness, so that neighbours differ in both. `expert` >= `count` gives noDataColor().
QRgb expertColor(std::uint32_t expert, std::uint32_t count, ColorScheme scheme);

/// Black or white, whichever is easier to read on `ground`; the contrast is always 4.5:1 or more.
QRgb readableOn(QRgb ground);
/// The contrast ratio of WCAG 2.1, 1 to 21, of two opaque colours.
double contrastRatio(QRgb a, QRgb b);
/// `over` laid on `under` with `share` from 0 to 1, in sRGB.
QRgb mixed(QRgb under, QRgb over, double share);

} // namespace colibri
