// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeldialog.h"

#include <QDir>
#include <QFileInfo>

namespace colibri {
namespace {

/// Files that stand for the folder they lie in.
const QStringList& partNames()
{
    static const QStringList names{QStringLiteral("*.safetensors"), QStringLiteral("*.safetensors.index.json"),
        QStringLiteral("expert_*.bin"), QStringLiteral("router_table.bin")};
    return names;
}

/// A file of weights alone may lie anywhere.
bool holdsModel(const QString& folder)
{
    static const QStringList names{QStringLiteral("config.json"), QStringLiteral("model.safetensors"),
        QStringLiteral("*.safetensors.index.json"), QStringLiteral("expert_*.bin"), QStringLiteral("router_table.bin")};
    return !QDir(folder).entryList(names, QDir::Files).isEmpty();
}

} // namespace

QString modelPath(const QString& chosen)
{
    const QFileInfo info(chosen);
    const bool part = info.isFile() && QDir::match(partNames(), info.fileName());
    return QDir::cleanPath(part ? info.absolutePath() : info.absoluteFilePath());
}

ModelDialog::ModelDialog(const QString& title, QWidget* parent)
    : QFileDialog(parent, title)
{
    setObjectName(QStringLiteral("modelDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFileMode(ExistingFile);
    setOption(HideNameFilterDetails);
    setNameFilters({tr("Models (*.gguf config.json *.safetensors expert_*.bin router_table.bin)"),
        tr("GGUF files (*.gguf)"), tr("Hugging Face folders and Colibri exports (config.json *.safetensors)"),
        tr("Raw exports (expert_*.bin router_table.bin config.json)"), tr("All files (*)")});
}

void ModelDialog::accept()
{
    const QStringList chosen = selectedFiles();
    if (chosen.size() != 1 || !holdsModel(chosen.front())) {
        QFileDialog::accept();
        return;
    }
    emit fileSelected(chosen.front());
    done(Accepted);
}

} // namespace colibri
