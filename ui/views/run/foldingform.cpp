// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/foldingform.h"

#include "views/theme/theme.h"

#include <QEvent>
#include <QFormLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace colibri {
namespace {

constexpr int fieldWidth = 15 * grid::unit; ///< the least

} // namespace

QString foldedLine(const QString& title, const QStringList& parts, const std::function<bool(const QString&)>& fits)
{
    const auto line = [&](const QStringList& shown) {
        return FoldingForm::tr("%1: %2").arg(title, shown.join(QStringLiteral(", ")));
    };
    if (parts.size() < 3 || fits(line(parts)))
        return line(parts);
    for (qsizetype first = parts.size() - 2; first > 1; --first) {
        const QString text = line(parts.mid(0, first) + QStringList{QChar(0x2026), parts.last()});
        if (fits(text))
            return text;
    }
    return line({parts.first(), QChar(0x2026), parts.last()});
}

FoldingForm::FoldingForm(const QString& title, const QString& tip, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
    , m_tip(tip)
    , m_fold(new QToolButton(this))
{
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
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

void FoldingForm::addField(const QString& name, const QString& tip, QWidget* field, int row)
{
    field->setToolTip(tip);
    field->setAccessibleName(name);
    field->setMinimumWidth(fieldWidth);
    field->setFocusPolicy(Qt::StrongFocus);
    field->installEventFilter(this);
    m_fields->insertRow(row, name, field);
}

bool FoldingForm::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
        return QWidget::eventFilter(watched, event);
    event->ignore();
    return true;
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
    if (!folded)
        emit unfolded();
}

int FoldingForm::fieldsWidth() const
{
    return m_fields->minimumSize().width();
}

void FoldingForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showTitle();
}

void FoldingForm::showSummary(const QString& summary, const QStringList& parts)
{
    m_summary = summary;
    m_parts = parts;
    showTitle();
    emit changed();
}

void FoldingForm::showTitle()
{
    const QString whole = tr("%1: %2").arg(m_title, m_summary);
    const auto advance = [this](const QString& text) { return m_fold->fontMetrics().horizontalAdvance(text); };
    const int around = m_fold->sizeHint().width() - advance(m_fold->text());
    const auto fits = [&](const QString& text) { return advance(text) + around <= width(); };
    m_fold->setText(isFolded() ? foldedLine(m_title, m_parts, fits) : m_title);
    m_fold->setAccessibleName(whole);
    m_fold->setToolTip(whole + u'\n' + m_tip);
}

} // namespace colibri
