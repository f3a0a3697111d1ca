// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/testrun.h"
#include "views/run/expertgridview.h"
#include "views/run/tokendetails.h"
#include "views/run/tokentextview.h"

#include <QCoreApplication>

namespace colibri::test {

/// The three views over one run, in their own windows.
struct Views {
    RunStore store;
    SelectionStore selection;
    TestRun run;
    TokenTextView text{store, selection};
    ExpertGridView grid{store, selection};
    TokenDetails details{store, selection};

    explicit Views(const TestRun::Shape& shape = {})
        : run(shape, store)
    {
        text.resize(500, 300);
        grid.resize(600, 260);
        details.resize(320, 600);
        for (QWidget* view : std::initializer_list<QWidget*>{&text, &grid, &details})
            view->show();
        QCoreApplication::processEvents();
    }
};

} // namespace colibri::test
