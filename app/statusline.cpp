// SPDX-License-Identifier: GPL-3.0-or-later
#include "statusline.h"

#include "views/theme/theme.h"

#include <QLabel>
#include <QLocale>
#include <QStatusBar>

namespace colibri {
namespace {

QLabel* addLabel(QStatusBar* bar, const QString& name, const QString& toolTip, bool permanent)
{
    auto* const label = new QLabel;
    label->setObjectName(name);
    label->setToolTip(toolTip);
    label->setTextFormat(Qt::PlainText);
    label->setFont(monospaceFont());
    if (permanent)
        bar->addPermanentWidget(label);
    else
        bar->addWidget(label, 1);
    return label;
}

QString bytesText(std::uint64_t bytes)
{
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1, QLocale::DataSizeIecFormat);
}

/// Always as wide, so that nothing beside it moves while it changes.
QString rateText(double tokensPerSecond)
{
    return tokensPerSecond > 0 ? QLocale().toString(tokensPerSecond, 'f', 1).rightJustified(8)
                               : QStringLiteral("       –");
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
    , m_speed(addLabel(bar, QStringLiteral("statusSpeed"),
          tr("Speed of computing, without waits for the pace: prompt, and tokens one by one"), true))
{
    connect(&open, &OpenStore::modelChanged, this, &StatusLine::showModel);
    connect(&open, &OpenStore::modelChanged, this, &StatusLine::showMemory);
    connect(&run, &RunStore::reset, this, &StatusLine::showMemory);
    connect(&run, &RunStore::reset, this, &StatusLine::showSpeed);
    connect(&run, &RunStore::timingsAdvanced, this, &StatusLine::showSpeed);
    showModel();
    showMemory();
    showSpeed();
}

void StatusLine::showModel()
{
    const ModelFactsPtr& model = m_open.model();
    m_model->setText(model ? tr("%1   %2 layers × %3 experts, %4 active")
                                 .arg(QString::fromStdString(model->format))
                                 .arg(model->config.numLayers)
                                 .arg(model->config.numExperts)
                                 .arg(model->config.numActiveExperts)
                           : tr("No model is open"));
}

void StatusLine::showMemory()
{
    const ModelFactsPtr& model = m_open.model();
    QStringList parts;
    if (model)
        parts << tr("mapped %1").arg(bytesText(model->mappedBytes));
    if (model && model->copiedBytes > 0)
        parts << tr("copied %1").arg(bytesText(model->copiedBytes));
    if (m_run.arenaBytes() > 0)
        parts << tr("arena %1 (KV %2)").arg(bytesText(m_run.arenaBytes()), bytesText(m_run.kvBytes()));
    m_memory->setText(parts.join(QStringLiteral("   ")));
}

void StatusLine::showSpeed()
{
    m_speed->setText(tr("prompt %1 tok/s   decode %2 tok/s")
                         .arg(rateText(m_run.prefillTokensPerSecond()), rateText(m_run.decodeTokensPerSecond())));
    m_speed->setVisible(m_run.record() != nullptr);
}

} // namespace colibri
