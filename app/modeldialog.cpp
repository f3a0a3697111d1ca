// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeldialog.h"

#include <QFileInfo>

namespace colibri {

ModelDialog::ModelDialog(const QString& title, QWidget* parent)
    : QFileDialog(parent, title)
{
    setObjectName(QStringLiteral("modelDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFileMode(ExistingFile);
    setNameFilters({tr("Models (*.gguf config.json)"), tr("All files (*)")});
}

void ModelDialog::accept()
{
    const QStringList chosen = selectedFiles();
    if (chosen.size() != 1 || !QFileInfo::exists(chosen.front() + QStringLiteral("/config.json"))) {
        QFileDialog::accept();
        return;
    }
    emit fileSelected(chosen.front());
    done(Accepted);
}

} // namespace colibri
