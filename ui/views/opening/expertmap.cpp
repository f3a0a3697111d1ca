// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/opening/expertmap.h"

#include "views/theme/theme.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr int largestCell = 24;
constexpr int cellWithGap = 4; ///< cells from this size on have a gap
constexpr int cellWithCross = 8; ///< and from this size on a cross where they failed

QRect scaled(const QRect& rect, double ratio)
{
    const QPoint topLeft(qRound(rect.left() * ratio), qRound(rect.top() * ratio));
    const QPoint end(qRound((rect.left() + rect.width()) * ratio), qRound((rect.top() + rect.height()) * ratio));
    return {topLeft, QSize(std::max(1, end.x() - topLeft.x()), std::max(1, end.y() - topLeft.y()))};
}

void fill(QImage& image, const QRect& rect, QRgb color)
{
    const QRect inside = rect & image.rect();
    for (int y = inside.top(); y <= inside.bottom(); ++y) {
        QRgb* const line = reinterpret_cast<QRgb*>(image.scanLine(y));
        std::fill(line + inside.left(), line + inside.right() + 1, color);
    }
}

void drawCross(QImage& image, const QRect& rect, QRgb color)
{
    const int margin = rect.width() / 4;
    for (int i = margin; i < rect.width() - margin; ++i) {
        fill(image, {rect.left() + i, rect.top() + i, 2, 1}, color);
        fill(image, {rect.right() - i, rect.top() + i, 2, 1}, color);
    }
}

} // namespace

std::optional<QPoint> ExpertMapGrid::cellAt(QPoint at) const
{
    if (cell == 0 || !QRect({}, size()).contains(at))
        return std::nullopt;
    return QPoint(at.x() / cell, at.y() / cell);
}

ExpertMapGrid fitExpertMap(int layers, int experts, QSize available)
{
    if (layers <= 0 || experts <= 0)
        return {};
    const int cell = std::clamp(std::min(available.width() / experts, available.height() / layers), 1, largestCell);
    return {layers, experts, cell, cell >= cellWithGap ? 1 : 0};
}

ExpertStateColors expertStateColors(ColorScheme scheme)
{
    const ThemeColors& colors = themeColors(scheme);
    ExpertStateColors states{};
    states[std::size_t(ExpertState::Pending)] = colors.line;
    states[std::size_t(ExpertState::Mapped)] = mixed(colors.line, colors.accent, 0.45);
    states[std::size_t(ExpertState::Populated)] = colors.accent;
    states[std::size_t(ExpertState::Copied)] = colors.warningText;
    states[std::size_t(ExpertState::Failed)] = colors.errorText;
    return states;
}

QImage renderExpertMap(std::span<const ExpertState> states, const ExpertMapGrid& grid, const ExpertStateColors& colors,
    double devicePixelRatio)
{
    if (grid.cell == 0 || states.size() < std::size_t(grid.layers) * std::size_t(grid.experts))
        return {};
    QImage image(scaled({QPoint(), grid.size()}, devicePixelRatio).size(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int expert = 0; expert < grid.experts; ++expert) {
            const ExpertState state = states[std::size_t(layer) * std::size_t(grid.experts) + std::size_t(expert)];
            const QRgb color = colors[std::size_t(state)];
            const QRect rect = scaled(grid.cellRect(layer, expert), devicePixelRatio);
            fill(image, rect, color);
            if (state == ExpertState::Failed && grid.cell >= cellWithCross)
                drawCross(image, rect, readableOn(color));
        }
    }
    image.setDevicePixelRatio(devicePixelRatio);
    return image;
}

std::array<int, expertStateCount> countStates(std::span<const ExpertState> states)
{
    std::array<int, expertStateCount> counts{};
    for (const ExpertState state : states)
        ++counts[std::size_t(state)];
    return counts;
}

} // namespace colibri
