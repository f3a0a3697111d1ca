// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/testrun.h"
#include "views/heatmap/heatmap.h"
#include "views/routing/routingpage.h"
#include "views/table/tableview.h"

#include <QComboBox>
#include <QSplitter>
#include <QTest>

namespace colibri::test {

/// The boxes of the bar, in their order.
enum Choice { TokensChoice, ShowChoice, CompareChoice };

/// A shown page over a run that can grow.
struct Shown {
    RunStore store;
    RunStore kept;
    SelectionStore selection;
    RoutingPage page{store, kept, selection};

    explicit Shown(QSize size = {1200, 800})
    {
        page.resize(size);
        page.show();
        QCoreApplication::processEvents();
    }
    HeatView& map() { return page.map().view(); }
    bool settled()
    {
        return QTest::qWaitFor([this] {
            return !page.routing().isBehind() && (!page.keptRouting().isActive() || !page.keptRouting().isBehind())
                && !page.isRefreshing();
        });
    }
    /// Chooses by keys, as a user without a mouse does.
    void choose(Choice which, int index)
    {
        QComboBox* const box = page.bar().findChildren<QComboBox*>()[which];
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int step = 0; step < index; ++step)
            QTest::keyClick(box, Qt::Key_Down);
    }
    /// Drags what parts map and figures, by so many pixels to the right or down.
    QSplitter& dragFigures(int by)
    {
        auto* const parts = qobject_cast<QSplitter*>(page.figures().parentWidget());
        QSplitterHandle* const handle = parts->handle(1);
        const QPoint from = handle->rect().center();
        const QPoint to = from + (parts->orientation() == Qt::Horizontal ? QPoint(by, 0) : QPoint(0, by));
        QTest::mousePress(handle, Qt::LeftButton, {}, from);
        QTest::mouseMove(handle, to);
        QTest::mouseRelease(handle, Qt::LeftButton, {}, from); // it has followed
        return *parts;
    }
    void clickCell(int layer, int expert)
    {
        QTest::mouseClick(map().viewport(), Qt::LeftButton, {}, map().geometry().cellRect(layer, expert).center());
    }
};

/// Decisions of a layer for an expert: their number, and the sum of its weights.
struct Tally {
    double load = 0, weight = 0, zeroed = 0;
};
inline Tally tally(const RunRecord& record, int layer, int expert, int from, int to)
{
    Tally sum;
    for (int position = from; position < to; ++position) {
        const auto at = std::uint32_t(position);
        const auto chosen = record.experts(at, std::uint32_t(layer));
        for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
            if (chosen[rank] != expert)
                continue;
            ++sum.load;
            sum.weight += double(record.weights(at, std::uint32_t(layer))[rank]);
            sum.zeroed += record.zeroed(at, std::uint32_t(layer)) >> rank & 1u;
        }
    }
    return sum;
}

/// What a run has that does not say otherwise.
inline constexpr int layers = 6;
inline constexpr int experts = 16;

} // namespace colibri::test
