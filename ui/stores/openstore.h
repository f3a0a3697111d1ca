// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"
#include "types/open_progress.h"
#include "types/result.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace colibri {

/// The opening of a model as the GUI thread sees it, and the model that is open.
class OpenStore : public QObject {
    Q_OBJECT

public:
    enum class State { Idle, Opening, Opened, Cancelled, Failed };
    Q_ENUM(State)

    using QObject::QObject;

    State state() const { return m_state; }
    const QString& path() const { return m_path; } ///< of the newest opening
    const std::optional<Error>& error() const { return m_error; } ///< present in State::Failed only
    /// The model that is open, perhaps one that can be looked at only (ModelFacts::refused); stays while another one is
    /// opened, and when that fails or is cancelled. Null: none.
    const ModelFactsPtr& model() const { return m_model; }

    std::uint64_t bytesDone() const { return m_bytesDone; }
    std::uint64_t bytesTotal() const { return m_bytesTotal; } ///< 0: not known yet
    int layers() const { return m_layers; } ///< 0: not known yet
    int experts() const { return m_experts; }
    /// [layers][experts], layer after layer; empty while the dimensions are not known.
    const std::vector<ExpertState>& expertStates() const { return m_expertStates; }
    double elapsedSeconds() const { return m_elapsedSeconds; }
    double bytesPerSecond() const { return m_elapsedSeconds > 0 ? double(m_bytesDone) / m_elapsedSeconds : 0; }

    // ---- the owner of the engine thread ----
    void begin(const QString& path, std::shared_ptr<const OpenProgress> progress);
    void catchUp(); ///< reads the progress; emits progressed() when it moved
    void succeed(ModelFactsPtr model);
    void fail(Error error);
    void cancel();
    void close(); ///< no model any more, State::Idle

signals:
    void stateChanged();
    void modelChanged();
    void progressed(); ///< numbers or map; at most once a pump tick

private:
    void end(State state);

    State m_state = State::Idle;
    QString m_path;
    std::optional<Error> m_error;
    ModelFactsPtr m_model;
    std::shared_ptr<const OpenProgress> m_progress;
    QElapsedTimer m_clock;
    std::uint64_t m_bytesDone = 0;
    std::uint64_t m_bytesTotal = 0;
    int m_layers = 0;
    int m_experts = 0;
    std::vector<ExpertState> m_expertStates;
    double m_elapsedSeconds = 0;
};

} // namespace colibri
