// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/decisioncolor.h"

#include <algorithm>

namespace colibri {

double marginShare(float margin)
{
    const double size = std::max(0.0, static_cast<double>(margin));
    return margin != margin ? static_cast<double>(margin) : size / (size + 1);
}

QRgb decisionColor(const RunRecord& record, int position, int layer, ColorBy by, int rank, ColorScheme scheme)
{
    const auto at = static_cast<std::uint32_t>(position);
    const auto in = static_cast<std::uint32_t>(layer);
    switch (by) {
    case ColorBy::Expert: {
        const auto chosen = record.experts(at, in);
        const auto place = static_cast<std::size_t>(rank);
        return place < chosen.size() ? expertColor(chosen[place], record.shape().experts, scheme) : noDataColor(scheme);
    }
    case ColorBy::Margin:
        return amountColor(marginShare(record.margin(at, in)), scheme);
    case ColorBy::Nothing:
        break;
    }
    return noDataColor(scheme);
}

} // namespace colibri
