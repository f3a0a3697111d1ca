// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/engineclient.h"
#include "settings.h"
#include "stores/logstore.h"
#include "stores/openstore.h"
#include "stores/runsnapshot.h"
#include "stores/runstore.h"
#include "stores/taskstore.h"
#include "tasks/taskrunner.h"

#include <QObject>

#include <optional>

class QAction;
class QFileDialog;

namespace colibri {

class RunPage;

/// Saves the run that is shown and opens saved ones: asks where, has a task do the work, opens the model that a run is
/// of, and says what went wrong. Owned by the page.
class SavedRuns : public QObject {
    Q_OBJECT

public:
    struct Parts { ///< all of it outlives this
        OpenStore& open;
        RunStore& run;
        TaskStore& tasks;
        LogStore& log;
        EngineClient& engine;
        TaskRunner& runner;
        Settings& settings;
        RunPage& page;
    };
    explicit SavedRuns(const Parts& parts);

    QList<QAction*> actions() const { return {m_save, m_open}; }
    void save(const QString& path); ///< the run as it is now; there is one
    /// Shows a saved run in the place of the run that is shown. Opens its model first when another one is open, or
    /// none.
    void load(const QString& path);

signals:
    void saved(const QString& what); ///< in a sentence
    void shown(); ///< a saved run took the place of the run

private:
    /// A run that was read, and the model it waits for.
    struct Loaded {
        QString path;
        QString modelPath;
        std::string modelId;
        RestoredRun run;
    };
    void makeActions();
    void showAbilities();
    void choosePlace();
    void chooseFile();
    QFileDialog* makeDialog(const QString& name, const QString& title);
    void remember(const QString& path);
    QString suggestedName() const;
    QString onSaved(const QString& path, const Result<void>& result);
    QString onLoaded(Result<Loaded>& result);
    void followOpen();
    void show(Loaded loaded);
    void fail(const QString& what, const QString& why); ///< log and a box that waits for nobody
    void failLoaded(const Loaded& loaded, const QString& why); ///< and a failed task

    Parts m_parts;
    QAction* m_save = nullptr;
    QAction* m_open = nullptr;
    int m_newest = 0; ///< number of the newest call of load(); answers to older ones are dropped
    std::optional<Loaded> m_waiting; ///< for the opening of its model
};

} // namespace colibri
