// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/colourmaps.h"

#include <QtMath>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace colibri {
namespace {

using Rgb = std::array<double, 3>; ///< linear light, 0 to 1 inside sRGB

// The matrices of Ottosson's OKLab.
Rgb linearRgb(const Oklch& color)
{
    const double a = color.chroma * std::cos(qDegreesToRadians(color.hue));
    const double b = color.chroma * std::sin(qDegreesToRadians(color.hue));
    const double l = std::pow(color.lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(color.lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(color.lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool insideSrgb(const Rgb& rgb)
{
    constexpr double slack = 1e-4;
    return std::all_of(rgb.begin(), rgb.end(), [](double c) { return c >= -slack && c <= 1 + slack; });
}

int encoded(double linear)
{
    const double c = std::clamp(linear, 0.0, 1.0);
    const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(255 * s));
}

double decoded(int channel)
{
    static const auto table = [] {
        std::array<double, 256> values{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double c = static_cast<double>(i) / 255;
            values[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        }
        return values;
    }();
    return table[static_cast<std::size_t>(channel)];
}

double luminance(QRgb color)
{
    return 0.2126 * decoded(qRed(color)) + 0.7152 * decoded(qGreen(color)) + 0.0722 * decoded(qBlue(color));
}

double between(double from, double to, double t)
{
    return from + (to - from) * t;
}

} // namespace

QRgb toRgb(Oklch color)
{
    color.lightness = std::clamp(color.lightness, 0.0, 1.0);
    Rgb rgb = linearRgb(color);
    if (!insideSrgb(rgb)) {
        double low = 0;
        double high = color.chroma;
        for (int step = 0; step < 16; ++step) {
            color.chroma = (low + high) / 2;
            (insideSrgb(linearRgb(color)) ? low : high) = color.chroma;
        }
        color.chroma = low;
        rgb = linearRgb(color);
    }
    return qRgb(encoded(rgb[0]), encoded(rgb[1]), encoded(rgb[2]));
}

QRgb amountColor(double t, ColorScheme scheme)
{
    if (std::isnan(t))
        return noDataColor(scheme);
    // A grid asks for a colour in each cell; 256 steps are finer than the eye.
    static const auto table = [] {
        std::array<QRgb, 256> colors{};
        for (std::size_t i = 0; i < colors.size(); ++i) {
            const double at = static_cast<double>(i) / 255;
            colors[i] = toRgb({between(0.28, 0.93, at), 0.125 + 0.04 * at, between(305, 105, at)});
        }
        return colors;
    }();
    return table[static_cast<std::size_t>(std::lround(255 * std::clamp(t, 0.0, 1.0)))];
}

QRgb divergingColor(double t, ColorScheme scheme)
{
    if (std::isnan(t))
        return noDataColor(scheme);
    t = std::clamp(t, -1.0, 1.0);
    const double middle = scheme == ColorScheme::Light ? 0.96 : 0.30;
    const double end = scheme == ColorScheme::Light ? 0.58 : 0.76;
    return toRgb({between(middle, end, std::abs(t)), 0.14 * std::abs(t), t < 0 ? 250.0 : 55.0});
}

QRgb noDataColor(ColorScheme scheme)
{
    return scheme == ColorScheme::Light ? 0xffe4e6e8 : 0xff33383d;
}

namespace {

QRgb circleColor(std::uint32_t expert, std::uint32_t count, ColorScheme scheme)
{
    const auto which = static_cast<std::size_t>(scheme);
    static constexpr std::array<std::array<double, 3>, 2> lightness{{{0.89, 0.78, 0.67}, {0.62, 0.48, 0.34}}};
    static constexpr std::array<double, 2> chroma{0.12, 0.11};
    const std::uint32_t ring = expert % 3;
    const std::uint32_t slots = (count + 2) / 3;
    return toRgb({lightness[which][ring], chroma[which], 30 + 360 * (expert / 3 + ring / 3.0) / slots});
}

/// The colours of all experts, for the last number of experts asked for: a paint asks for hundreds of them.
const std::vector<QRgb>& circleColors(std::uint32_t count, ColorScheme scheme)
{
    thread_local std::array<std::vector<QRgb>, 2> kept;
    std::vector<QRgb>& colors = kept[static_cast<std::size_t>(scheme)];
    if (colors.size() != count) {
        colors.resize(count);
        for (std::uint32_t expert = 0; expert < count; ++expert)
            colors[expert] = circleColor(expert, count, scheme);
    }
    return colors;
}

} // namespace

QRgb expertColor(std::uint32_t expert, std::uint32_t count, ColorScheme scheme)
{
    // Found by a search for the largest smallest distance in OKLab, as seen by people with normal vision and with each
    // of the three dichromacies (simulated after Machado, Oliveira and Fernandes, 2009).
    static constexpr std::array<std::array<QRgb, categoricalColors>, 2> fixed{{
        {0xff5496dc, 0xffecb25a, 0xff55d1b2, 0xffcb7493, 0xffb5b2fe, 0xfffdee87, 0xff98982f, 0xff93fef7},
        {0xff298fc9, 0xff904e05, 0xff17535a, 0xffbd6185, 0xff6f4f9e, 0xff8d8918, 0xff6a0f0b, 0xff421f6a},
    }};
    if (expert >= count)
        return noDataColor(scheme);
    if (count <= categoricalColors)
        return fixed[static_cast<std::size_t>(scheme)][expert];
    return circleColors(count, scheme)[expert];
}

QRgb readableOn(QRgb ground)
{
    const QRgb black = qRgb(0, 0, 0);
    const QRgb white = qRgb(255, 255, 255);
    return contrastRatio(ground, black) >= contrastRatio(ground, white) ? black : white;
}

double contrastRatio(QRgb a, QRgb b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QRgb mixed(QRgb under, QRgb over, double share)
{
    const auto channel = [share](int u, int o) { return static_cast<int>(std::lround(u + (o - u) * share)); };
    return qRgb(
        channel(qRed(under), qRed(over)), channel(qGreen(under), qGreen(over)), channel(qBlue(under), qBlue(over)));
}

} // namespace colibri
