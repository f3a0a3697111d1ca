// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/agreement.h"
#include "api/export.h"
#include "session/engineclient.h"
#include "settings.h"
#include "stores/exportstore.h"
#include "stores/logstore.h"
#include "stores/openstore.h"
#include "stores/taskstore.h"
#include "tasks/taskrunner.h"

#include <QObject>
#include <QPointer>

class QWidget;

namespace colibri {

class ExportDialog;

/// Exports the open model: one at a time, in tasks, with a dialog that waits for nobody. What an export would come to
/// is worked out when the dialog is opened and when another model is; the model that is exported stays open until its
/// tasks have ended, whatever the window opens meanwhile. Owned by the window.
class Exports : public QObject {
    Q_OBJECT

public:
    struct Parts { ///< all of it outlives this
        OpenStore& open;
        ExportStore& store;
        TaskStore& tasks;
        LogStore& log;
        EngineClient& engine;
        TaskRunner& runner;
        Settings& settings;
    };
    Exports(const Parts& parts, QWidget* window);

    void show(); ///< the dialog: for the export under way, else for another one of the open model
    void showReport(const ExportReportPtr& report); ///< of an export that has ended

signals:
    void openRequested(const QString& path);

private:
    struct Written {
        ExportReport report;
        double seconds = 0;
    };
    struct Compared {
        Agreement agreement;
        QString token; ///< at the first difference
    };
    void ask(); ///< for another export
    void followModel();
    void plan();
    void write(const ExportSpec& spec);
    QString onWritten(const std::shared_ptr<ExportReportFacts>& facts, const ModelPtr& model, Result<Written>& result);
    void compare(const std::shared_ptr<ExportReportFacts>& facts, const ModelPtr& model);
    QString onCompared(const std::shared_ptr<ExportReportFacts>& facts, const Result<Compared>& result);
    void finish(const std::shared_ptr<ExportReportFacts>& facts, int task);
    void choosePlace();
    template <class Dialog>
    void connectReport(Dialog* dialog);

    Parts m_parts;
    QWidget* m_window;
    QPointer<ExportDialog> m_dialog;
    int m_newestPlan = 0; ///< number of the newest one; answers to older ones are dropped
};

} // namespace colibri
