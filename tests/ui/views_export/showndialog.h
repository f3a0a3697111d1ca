// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "exportsamples.h"
#include "views/export/exportdialog.h"
#include "views/export/exportform.h"
#include "views/export/exportsizes.h"
#include "views/model/fittedtable.h"

#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace colibri::test {

/// The dialog over stores that the test fills.
struct Shown {
    explicit Shown(const ExportPlanPtr& plan = samplePlan())
    {
        dialog->setAttribute(Qt::WA_DeleteOnClose, false);
        dialog->form().setPlace(folder.path(), QStringLiteral("new"));
        store.setPlan(plan);
        dialog->show();
        dialog->activateWindow();
        (void)QTest::qWaitForWindowActive(dialog.get());
    }
    template <class T>
    T& named(const char* name)
    {
        return *dialog->findChild<T*>(QLatin1String(name));
    }
    void click(const char* name) { QTest::mouseClick(&named<QPushButton>(name), Qt::LeftButton); }
    void choose(int row)
    {
        FittedTable& table = dialog->form().sizes().table();
        QTest::mouseClick(
            table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(row, 2)).center());
    }
    void write(const ExportSpec& spec)
    {
        const int task = tasks.begin(QStringLiteral("Export"), QStringLiteral("B"), [this] { ++cancels; });
        store.write(spec, samplePlan()->source, task);
    }

    QTemporaryDir folder;
    ExportStore store;
    TaskStore tasks;
    int cancels = 0;
    std::unique_ptr<ExportDialog> dialog = std::make_unique<ExportDialog>(store, tasks, nullptr);
};

inline ExportSpec sampleSpec()
{
    ExportSpec spec;
    spec.out = QStringLiteral("/exports/qwen3-30b-a3b-q4_k_m-export");
    spec.dtype = DType::Int8;
    spec.checkTokens = 256;
    return spec;
}

} // namespace colibri::test
