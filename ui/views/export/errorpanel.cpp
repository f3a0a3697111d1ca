// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/errorpanel.h"

#include "views/problem/problempanel.h"
#include "views/theme/theme.h"

#include <QClipboard>
#include <QEvent>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>

namespace colibri {
namespace {

QLabel* valueLabel(const char* objectName, QWidget* parent)
{
    auto* const label = new QLabel(parent);
    label->setObjectName(QLatin1String(objectName));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

ErrorPanel::ErrorPanel(QWidget* parent)
    : QWidget(parent)
    , m_title(new QLabel(tr("\u26a0 The export failed, nothing was written"), this))
    , m_what(valueLabel("exportErrorWhat", this))
    , m_where(valueLabel("exportErrorWhere", this))
    , m_why(valueLabel("exportErrorWhy", this))
    , m_copy(new QPushButton(tr("Cop&y the error"), this))
{
    m_copy->setObjectName(QStringLiteral("copyExportError"));
    m_copy->setAccessibleName(tr("Copy the error"));
    m_copy->setAutoDefault(false);
    m_copy->setToolTip(tr("Copy what went wrong, where and why as text"));
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (m_error)
            QGuiApplication::clipboard()->setText(QString::fromStdString(m_error->message()));
    });
    auto* const grid = new QGridLayout(this);
    grid->setContentsMargins({});
    grid->setHorizontalSpacing(grid::unit);
    grid->setVerticalSpacing(grid::half);
    grid->addWidget(m_title, 0, 0, 1, 2);
    grid->addWidget(m_copy, 0, 2, Qt::AlignRight);
    int row = 0;
    for (const auto& [caption, label] : {std::pair(tr("What"), m_what), {tr("Where"), m_where}, {tr("Why"), m_why}}) {
        grid->addWidget(new QLabel(caption, this), ++row, 0, Qt::AlignTop);
        grid->addWidget(label, row, 1, 1, 2);
    }
    grid->setColumnStretch(1, 1);
    tint();
    setError({});
}

void ErrorPanel::setError(const std::optional<Error>& error)
{
    m_error = error;
    setVisible(error.has_value());
    m_what->setText(error ? QString::fromStdString(error->what) : QString());
    m_where->setText(error ? whereText(*error) : QString());
    m_why->setText(error ? QString::fromStdString(error->why) : QString());
}

QWidget* ErrorPanel::button() const
{
    return m_copy;
}

void ErrorPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        tint();
}

void ErrorPanel::tint()
{
    QPalette tinted = palette();
    tinted.setColor(QPalette::WindowText, QColor::fromRgb(themeColors(schemeOf(tinted)).errorText));
    m_title->setPalette(tinted);
}

} // namespace colibri
