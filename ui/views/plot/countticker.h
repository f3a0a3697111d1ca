// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace colibri {

/// Ticks of a linear axis. While it is whole, none lies between two whole numbers: for counts.
class CountTicker : public QCPAxisTicker {
public:
    void setWhole(bool whole) { m_whole = whole; }

protected:
    double getTickStep(const QCPRange& range) override
    {
        const double step = QCPAxisTicker::getTickStep(range);
        return m_whole ? std::max(1., std::floor(step)) : step; // 2.5 becomes 2
    }

    int getSubTickCount(double step) override
    {
        return m_whole && step <= 1 ? 0 : QCPAxisTicker::getSubTickCount(step);
    }

private:
    bool m_whole = true;
};

} // namespace colibri
