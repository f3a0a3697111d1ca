// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/ownsettings.h"
#include "ui/support/shownstudio.h"

#include <QMessageBox>
#include <QTemporaryDir>

class QLabel;

/// What the tests of saved runs share: a studio as its user has it, and what a run shows as values.
namespace colibri::test {

/// All that a run shows, by value.
struct Shot {
    QString text;
    std::vector<TokenId> tokens;
    int prompt = 0;
    std::vector<std::uint16_t> experts;
    std::vector<float> weights;
    std::vector<float> logits;
    std::vector<std::uint64_t> timings;
    std::uint64_t arena = 0;
    std::string modelId;
    bool operator==(const Shot&) const = default;
};

Shot shotOf(const RunStore& run);

struct Shown : ShownStudio {
    const RunStore& run() { return studio.run(); }
    bool open(const QString& path); ///< until its page is there
    bool waitForSaved(int tokens); ///< a saved run of so many
    bool runPrompt(const QString& text, std::uint32_t most); ///< until it has begun
    bool save(const QString& path);
    bool drop(const QString& path); ///< over the window; whether it was taken
    QMessageBox* box() { return part<QMessageBox>("savedRunError"); }
    bool waitForBox();
    QString tasks(); ///< all rows of the list of tasks
    QString state();
    QString tipOfState();

private:
    const QLabel& stateLabel();
};

bool picture(QWidget& window, const QString& name);

/// Settings of its own and a folder for files, in which "first.colibri-run" is a saved run of the tiny model.
class SavedRunFolder {
public:
    bool make(); ///< to be called first
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString folder() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
    OwnSettings m_settings;
};

} // namespace colibri::test
