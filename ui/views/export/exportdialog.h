// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportstore.h"
#include "stores/taskstore.h"

#include <QDialog>

class QStackedWidget;

namespace colibri {

class ExportForm;
class ExportReportView;

/// Exports the open model: asks, shows how it goes, then what came of it. Waits for nobody; deletes itself when closed.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    ExportDialog(ExportStore& store, TaskStore& tasks, QWidget* parent); ///< the stores outlive it

    ExportForm& form() const { return *m_form; }

signals:
    void exportRequested(const colibri::ExportSpec& spec);
    void openRequested(const QString& path);
    void folderRequested(const QString& path);
    void formRequested(); ///< another export is to be asked for

private:
    void showTitle();
    void showState();

    ExportStore& m_store;
    QStackedWidget* m_pages;
    ExportForm* m_form;
    QWidget* m_progress;
    ExportReportView* m_report;
};

/// The report of an export that has ended, in a window of its own.
class ExportReportDialog : public QDialog {
    Q_OBJECT

public:
    ExportReportDialog(const ExportReportPtr& report, QWidget* parent);

signals:
    void openRequested(const QString& path);
    void folderRequested(const QString& path);
};

} // namespace colibri
