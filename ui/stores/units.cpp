// SPDX-License-Identifier: GPL-3.0-or-later
#include "stores/units.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

/// Three figures, as long as the value is below 1000.
QString figures(double value)
{
    return QString::number(value, 'f', value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

} // namespace

QString bytesText(std::uint64_t bytes)
{
    constexpr std::uint64_t most = std::numeric_limits<qint64>::max(); // Qt counts no further
    return QLocale().formattedDataSize(static_cast<qint64>(std::min(bytes, most)), 1, QLocale::DataSizeIecFormat);
}

QString durationText(double seconds)
{
    if (!std::isfinite(seconds))
        return {};
    if (seconds < 0.9995e-3)
        return QCoreApplication::translate("Units", "%1 \u00b5s").arg(figures(seconds * 1e6));
    if (seconds < 0.9995)
        return QCoreApplication::translate("Units", "%1 ms").arg(figures(seconds * 1e3));
    if (seconds < 99.95)
        return QCoreApplication::translate("Units", "%1 s").arg(figures(seconds));
    const auto whole = static_cast<qint64>(std::llround(seconds));
    return QCoreApplication::translate("Units", "%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

} // namespace colibri
