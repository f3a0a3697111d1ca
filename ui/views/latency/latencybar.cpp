// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latencybar.h"

#include "views/theme/elided.h"
#include "views/theme/flowlayout.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

#include <cmath>

namespace colibri {
namespace {

constexpr double largestTargetMs = 99'999.9;
constexpr int leastSelectedWidth = 18 * grid::unit; ///< with less, the selected step has a line of its own

} // namespace

LatencyBar::LatencyBar(const QList<QAction*>& exports, QWidget* parent)
    : QWidget(parent)
    , m_phase(new QComboBox(this))
    , m_waiting(new QCheckBox(tr("Wa&iting"), this))
    , m_target(new QDoubleSpinBox(this))
    , m_over(new QLabel(this))
    , m_selected(new ElidedLabel(this))
{
    auto* const flow = new FlowLayout(this);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->setSpacing(grid::unit);
    m_phase->addItems({tr("Decode"), tr("Prefill"), tr("Both")}); // in the order of ShownPhase
    m_phase->setAccessibleName(tr("Steps shown"));
    addLabelled(tr("&Show"), m_phase,
        tr("Steps of the answer, of the prompt, or both; with both, the figures are those of the answer"));
    m_waiting->setToolTip(tr("Puts the wait for the pace before each step on top of its time; pauses are not counted"));
    flow->addWidget(m_waiting);
    m_target->setRange(0, largestTargetMs);
    m_target->setDecimals(1);
    m_target->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_target->setSuffix(tr(" ms"));
    m_target->setSpecialValueText(tr("none"));
    m_target->setAccessibleName(tr("Target time of a token"));
    addLabelled(
        tr("&Target"), m_target, tr("The time a token may take: a dashed line, and the share of steps over it"));
    m_over->setFont(monospaceFont());
    m_over->setMinimumWidth(m_over->fontMetrics().horizontalAdvance(QStringLiteral("000.0 % over (0000000)")));
    m_over->setAccessibleName(tr("Steps over the target"));
    flow->addWidget(m_over);
    m_selected->setFont(monospaceFont());
    m_selected->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_selected->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_selected->setMinimumWidth(leastSelectedWidth);
    m_selected->setAccessibleName(tr("Time of the selected token"));
    flow->addWidget(m_selected);
    addSave(exports);
    connect(m_phase, &QComboBox::currentIndexChanged, this, &LatencyBar::choiceChanged);
    connect(m_waiting, &QCheckBox::toggled, this, &LatencyBar::choiceChanged);
    connect(m_target, &QDoubleSpinBox::valueChanged, this, &LatencyBar::choiceChanged);
}

void LatencyBar::addLabelled(const QString& text, QWidget* control, const QString& tip)
{
    auto* const group = new QWidget(this);
    auto* const pair = new QHBoxLayout(group);
    pair->setContentsMargins(0, 0, grid::unit, 0);
    pair->setSpacing(grid::unit);
    auto* const label = new QLabel(text, group);
    label->setBuddy(control);
    control->setToolTip(tip);
    pair->addWidget(label);
    pair->addWidget(control);
    layout()->addWidget(group);
}

void LatencyBar::addSave(const QList<QAction*>& exports)
{
    auto* const save = new QToolButton(this);
    save->setText(tr("S&ave"));
    save->setPopupMode(QToolButton::InstantPopup);
    save->setToolTip(tr("Save the timings of all steps to a file"));
    save->setFocusPolicy(Qt::StrongFocus);
    auto* const menu = new QMenu(save);
    menu->addActions(exports);
    save->setMenu(menu);
    layout()->addWidget(save);
}

LatencyChoice LatencyBar::choice() const
{
    return {static_cast<ShownPhase>(m_phase->currentIndex()), m_waiting->isChecked(),
        m_target->value() > 0 ? std::optional(m_target->value()) : std::nullopt};
}

void LatencyBar::setChoice(const LatencyChoice& choice)
{
    if (choice == this->choice())
        return;
    {
        const QSignalBlocker all(this); // one signal for the three
        m_phase->setCurrentIndex(static_cast<int>(choice.phase));
        m_waiting->setChecked(choice.waiting);
        m_target->setValue(choice.targetMs.value_or(0));
    }
    emit choiceChanged();
}

void LatencyBar::showOver(const Distribution& steps)
{
    const auto target = choice().targetMs;
    if (!target || steps.count() == 0)
        return m_over->clear();
    const std::uint64_t count = steps.countAbove(std::uint64_t(std::llround(*target * 1e6)));
    m_over->setText(tr("%1 % over (%2)")
                        .arg(100. * double(count) / double(steps.count()), 0, 'f', 1)
                        .arg(QLocale().toString(qulonglong(count))));
}

void LatencyBar::showSelected(const QString& step)
{
    m_selected->setText(step.section(u'\n', 0, 0));
    m_selected->setToolTip(step.section(u'\n', 1));
}

} // namespace colibri
