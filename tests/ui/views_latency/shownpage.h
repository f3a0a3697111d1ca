// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "latencyrun.h"

#include "views/latency/histogramplot.h"
#include "views/latency/latencypage.h"
#include "views/latency/sideplot.h"
#include "views/latency/timelineplot.h"
#include "views/table/tableview.h"

#include <QSignalSpy>
#include <QTest>

namespace colibri::test {

/// A shown page over a run that can grow.
struct Shown {
    RunStore store;
    RunStore kept;
    SelectionStore selection;
    LatencyPage page{store, kept, selection};
    QSignalSpy refreshed{&page, &LatencyPage::refreshed};

    explicit Shown(bool visible = true)
    {
        page.resize(1000, 650);
        if (visible)
            page.show();
    }
    /// A prompt of 100 tokens, then `steps` of 4 ms.
    static void fill(LatencyRun& run, int steps)
    {
        run.prompt(100, 32, 1);
        for (int i = 0; i < steps; ++i)
            run.decode(4);
        run.show();
    }
    bool settled()
    {
        refreshed.clear();
        emit store.timingsAdvanced();
        return QTest::qWaitFor(
            [this] { return !refreshed.empty() && page.history().size() == store.timings().size(); });
    }
    TimelinePlot& timeline() { return page.timeline(); }
    QPoint pointAt(double position)
    {
        timeline().replot();
        return {int(timeline().xAxis->coordToPixel(position)), timeline().axisRect()->rect().center().y()};
    }
    template <class T>
    T* named(const char* accessibleName) const
    {
        for (T* const child : page.findChildren<T*>()) {
            if (child->accessibleName() == QLatin1String(accessibleName))
                return child;
        }
        qFatal("%s is missing", accessibleName);
    }
};

} // namespace colibri::test
