// SPDX-License-Identifier: GPL-3.0-or-later
#include "statusline.h"

#include "stores/units.h"
#include "views/theme/elided.h"
#include "views/theme/theme.h"

#include <QFileInfo>
#include <QStatusBar>

namespace colibri {
namespace {

ElidedLabel* addLabel(QStatusBar* bar, const QString& name, const QString& toolTip, bool permanent)
{
    auto* const label = new ElidedLabel;
    label->setObjectName(name);
    label->setToolTip(toolTip);
    label->setFont(monospaceFont());
    if (permanent) {
        bar->addPermanentWidget(label);
    } else {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        bar->addWidget(label, 1);
    }
    return label;
}

} // namespace

StatusLine::StatusLine(const OpenStore& open, const RunStore& run, QStatusBar* bar)
    : QObject(bar)
    , m_open(open)
    , m_run(run)
    , m_model(addLabel(bar, QStringLiteral("statusModel"), tr("The model that is open"), false))
    , m_memory(addLabel(bar, QStringLiteral("statusMemory"),
          tr("Mapped: read-only mappings of the model's files. Copied: weights that had to be aligned. "
             "Arena: everything a run needs, of which the KV cache"),
          true))
{
    connect(&open, &OpenStore::modelChanged, this, &StatusLine::showModel);
    connect(&open, &OpenStore::modelChanged, this, &StatusLine::showMemory);
    connect(&run, &RunStore::reset, this, &StatusLine::showMemory);
    showModel();
    showMemory();
}

void StatusLine::showModel()
{
    const ModelFactsPtr& model = m_open.model();
    const bool refused = model && model->refused;
    m_model->setToolTip(refused ? QString::fromStdString(model->refused->message()) : tr("The model that is open"));
    if (!model) {
        m_model->setText(tr("No model is open"));
        return;
    }
    const QString what = refused ? tr("cannot be run")
                                 : tr("%1 MoE layers × %2 experts, %3 active")
                                       .arg(moeLayers(model->config))
                                       .arg(model->config.numExperts)
                                       .arg(model->config.numActiveExperts);
    m_model->setText(tr("%1 (%2)   %3")
                         .arg(QFileInfo(QString::fromStdString(model->path)).fileName(),
                             QString::fromStdString(model->format), what));
}

void StatusLine::showMemory()
{
    const ModelFactsPtr& model = m_open.model();
    QStringList parts; // the line ends at the right: what comes and goes with runs stands first and moves nothing
    if (m_run.arenaBytes() > 0)
        parts << tr("arena %1 (KV %2)").arg(bytesText(m_run.arenaBytes()), bytesText(m_run.kvBytes()));
    if (model && model->copiedBytes > 0)
        parts << tr("copied %1").arg(bytesText(model->copiedBytes));
    if (model && !model->refused)
        parts << tr("mapped %1").arg(bytesText(model->mappedBytes));
    m_memory->setText(parts.join(QStringLiteral("   ")));
}

} // namespace colibri
