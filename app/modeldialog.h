// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>

namespace colibri {

/// Asks for a model: a GGUF file (of a split the first part), a folder with a config.json, or that config.json.
class ModelDialog : public QFileDialog {
    Q_OBJECT

public:
    ModelDialog(const QString& title, QWidget* parent);

protected:
    void accept() override; ///< takes a model's folder instead of entering it
};

} // namespace colibri
