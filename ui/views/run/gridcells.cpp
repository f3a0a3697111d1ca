// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/gridcells.h"

#include "views/theme/theme.h"

#include <algorithm>

namespace colibri {
namespace {

/// Colours of all experts; a cell then costs a lookup.
std::vector<QRgb> expertColors(std::uint32_t count, ColorScheme scheme)
{
    std::vector<QRgb> colors(count);
    for (std::uint32_t expert = 0; expert < count; ++expert)
        colors[expert] = expertColor(expert, count, scheme);
    return colors;
}

/// Answers what decisionColor() does, with the experts' colours at hand.
class CellColors {
public:
    CellColors(const RunRecord& record, const CellRequest& request)
        : m_record(record)
        , m_request(request)
        , m_experts(request.by == ColorBy::Expert ? expertColors(record.shape().experts, request.scheme)
                                                  : std::vector<QRgb>())
    {
    }

    QRgb at(int token, int layer) const
    {
        if (token >= m_request.routed)
            return themeColors(m_request.scheme).pending;
        if (m_request.by != ColorBy::Expert)
            return decisionColor(
                m_record, token, layer, m_request.by, m_request.rank, m_request.scheme, m_request.marginMiddle);
        const auto chosen = m_record.experts(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(layer));
        const auto rank = static_cast<std::size_t>(m_request.rank);
        return rank < chosen.size() && chosen[rank] < m_experts.size() ? m_experts[chosen[rank]]
                                                                       : noDataColor(m_request.scheme);
    }

private:
    const RunRecord& m_record;
    const CellRequest& m_request;
    std::vector<QRgb> m_experts;
};

void addId(CellDigits& to, std::uint32_t id, int places, double advance, QPointF left)
{
    for (int place = places - 1; place >= 0; --place) {
        to.digits.push_back(id % 10);
        to.points.push_back(left + QPointF(place * advance, 0));
        id /= 10;
        if (id == 0)
            return;
    }
}

} // namespace

QImage renderCells(const RunRecord& record, const CellRequest& request, bool markZeroed)
{
    const QSize size(request.tokens.size(), request.layers.size());
    if (size.isEmpty())
        return {};
    const CellColors colors(record, request);
    const QRgb zeroed = themeColors(request.scheme).errorText;
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    for (int layer = request.layers.first; layer < request.layers.end; ++layer) {
        auto* pixel = reinterpret_cast<QRgb*>(image.scanLine(layer - request.layers.first));
        for (int token = request.tokens.first; token < request.tokens.end; ++token) {
            const bool marked = markZeroed && token < request.routed
                && record.zeroed(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(layer)) != 0;
            *pixel++ = marked ? zeroed : colors.at(token, layer);
        }
    }
    return image;
}

CellText cellText(const RunRecord& record, const CellRequest& request, QSize cell, const DigitMetrics& metrics)
{
    CellText text;
    const CellColors colors(record, request);
    const double width = (metrics.ids * (metrics.places + 1) - 1) * metrics.advance;
    const QPointF inset((cell.width() - 1 - width) / 2, metrics.baseline);
    const Range tokens{request.tokens.first, std::min(request.tokens.end, request.routed)};
    for (int layer = request.layers.first; layer < request.layers.end; ++layer) {
        for (int token = tokens.first; token < tokens.end; ++token) {
            CellDigits& ink = readableOn(colors.at(token, layer)) == qRgb(0, 0, 0) ? text.dark : text.light;
            QPointF left(double(token - request.tokens.first) * cell.width(),
                double(layer - request.layers.first) * cell.height());
            left += inset;
            const auto chosen = record.experts(static_cast<std::uint32_t>(token), static_cast<std::uint32_t>(layer));
            for (int rank = 0; rank < metrics.ids && rank < static_cast<int>(chosen.size()); ++rank) {
                if (const std::uint16_t id = chosen[static_cast<std::size_t>(rank)]; id != noExpert)
                    addId(ink, id, metrics.places, metrics.advance, left);
                left.rx() += (metrics.places + 1) * metrics.advance;
            }
        }
    }
    return text;
}

} // namespace colibri
