// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>

namespace colibri {

/// What to open for a file or folder that was chosen, as an absolute path: itself, or the folder of which it is a part
/// (a shard, an expert of a raw export, a routing table).
QString modelPath(const QString& chosen);

/// Asks for a model: a GGUF file (of a split the first part), a folder that holds a model, or a file of it.
class ModelDialog : public QFileDialog {
    Q_OBJECT

public:
    ModelDialog(const QString& title, QWidget* parent);

protected:
    void accept() override; ///< takes a model's folder instead of entering it
};

} // namespace colibri
