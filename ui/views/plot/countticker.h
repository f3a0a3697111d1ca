// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace colibri {

/// Ticks of a linear axis. While it is whole, none lies between two whole numbers, and no sub-tick either: for counts
/// and positions.
class CountTicker : public QCPAxisTicker {
public:
    void setWhole(bool whole) { m_whole = whole; }
    /// Item n lies from n to n + 1, and its tick in the middle.
    void setMiddles(bool middles) { setTickOrigin(middles ? 0.5 : 0); }

protected:
    double getTickStep(const QCPRange& range) override
    {
        const double step = QCPAxisTicker::getTickStep(range);
        return m_whole ? std::max(1., std::floor(step)) : step; // 2.5 becomes 2
    }

    int getSubTickCount(double step) override
    {
        int count = QCPAxisTicker::getSubTickCount(step);
        while (m_whole && count > 0 && std::fmod(step, count + 1) != 0)
            --count;
        return count;
    }

    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override
    {
        return QCPAxisTicker::getTickLabel(tick - tickOrigin(), locale, format, precision);
    }

private:
    bool m_whole = true;
};

} // namespace colibri
