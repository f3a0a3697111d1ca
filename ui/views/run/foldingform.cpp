// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/foldingform.h"

#include "views/theme/theme.h"

#include <QFormLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace colibri {

FoldingForm::FoldingForm(const QString& title, const QString& tip, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
    , m_fold(new QToolButton(this))
{
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_fold->setToolTip(tip);
    connect(m_fold, &QToolButton::toggled, this, [this](bool open) { setFolded(!open); });
    auto* block = new QWidget(this);
    m_fields = new QFormLayout(block);
    m_fields->setContentsMargins(grid::unit, 0, 0, 0);
    m_fields->setVerticalSpacing(grid::half);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    column->addWidget(m_fold);
    column->addWidget(block);
    setFolded(true);
}

void FoldingForm::addField(const QString& name, const QString& tip, QWidget* field)
{
    field->setToolTip(tip);
    field->setAccessibleName(name);
    m_fields->addRow(name, field);
}

void FoldingForm::addReset(const QString& tip, const QString& accessibleName, const std::function<void()>& reset)
{
    auto* button = new QToolButton(m_fields->parentWidget());
    button->setText(tr("Reset"));
    button->setToolTip(tip);
    button->setAccessibleName(accessibleName);
    connect(button, &QToolButton::clicked, this, reset);
    m_fields->addRow(QString(), button);
    orderTabs();
}

void FoldingForm::orderTabs()
{
    QWidget* before = m_fold;
    const auto add = [&before](QLayoutItem* item) {
        if (QWidget* const widget = item ? item->widget() : nullptr) {
            setTabOrder(before, widget);
            before = widget;
        }
    };
    for (int row = 0; row < m_fields->rowCount(); ++row) {
        QLayoutItem* const field = m_fields->itemAt(row, QFormLayout::FieldRole);
        add(field);
        const QLayout* const parts = field ? field->layout() : nullptr;
        for (int part = 0; parts && part < parts->count(); ++part)
            add(parts->itemAt(part));
    }
}

bool FoldingForm::isFolded() const
{
    return !m_fold->isChecked();
}

void FoldingForm::setFolded(bool folded)
{
    m_fold->setChecked(!folded);
    m_fold->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    m_fields->parentWidget()->setVisible(!folded);
    showTitle();
}

void FoldingForm::showSummary(const QString& summary)
{
    m_summary = summary;
    showTitle();
    emit changed();
}

void FoldingForm::showTitle()
{
    const QString text = tr("%1: %2").arg(m_title, m_summary);
    m_fold->setText(isFolded() ? text : m_title);
    m_fold->setAccessibleName(text);
}

} // namespace colibri
