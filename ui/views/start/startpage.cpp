// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/startpage.h"

#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace colibri {
namespace {

constexpr int pageWidth = 640;

QLabel* heading(const QString& text, double size)
{
    auto* const label = new QLabel(text);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * size);
    label->setFont(font);
    return label;
}

QToolButton* actionButton(QAction* action)
{
    auto* const button = new QToolButton;
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setAccessibleName(action->toolTip());
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setMinimumHeight(5 * grid::unit);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return button;
}

} // namespace

StartPage::StartPage(QAction* openDemo, QAction* openModel, QWidget* parent)
    : QWidget(parent)
{
    auto* const column = new QWidget;
    column->setMaximumWidth(pageWidth);
    auto* const layout = new QVBoxLayout(column);
    layout->setContentsMargins(grid::page, grid::page, grid::page, grid::page);
    layout->setSpacing(grid::wide);
    layout->addWidget(heading(tr("Open a mixture-of-experts model"), 1.5));
    layout->addWidget(makeButtons(openDemo, openModel));
    layout->addWidget(makeDropTarget());
    layout->addWidget(heading(tr("Recent"), 1.2));
    layout->addWidget(makeRecent(), 1);
    auto* const outer = new QHBoxLayout(this);
    outer->setContentsMargins({});
    outer->addStretch(1);
    outer->addWidget(column, 100);
    outer->addStretch(1);
    setRecent({});
}

QWidget* StartPage::makeButtons(QAction* openDemo, QAction* openModel)
{
    auto* const buttons = new QWidget;
    auto* const layout = new QHBoxLayout(buttons);
    layout->setContentsMargins({});
    layout->setSpacing(grid::unit);
    setFocusProxy(actionButton(openDemo));
    layout->addWidget(focusProxy());
    layout->addWidget(actionButton(openModel));
    return buttons;
}

QWidget* StartPage::makeDropTarget()
{
    m_drop =
        new QLabel(tr("Or drop a model here: a GGUF file, a Hugging Face folder, a Colibri export or a raw export."));
    m_drop->setObjectName(QStringLiteral("dropTarget"));
    m_drop->setAlignment(Qt::AlignCenter);
    m_drop->setWordWrap(true);
    m_drop->setMinimumHeight(9 * grid::unit);
    showDropTarget();
    return m_drop;
}

QWidget* StartPage::makeRecent()
{
    auto* const area = new QWidget;
    auto* const layout = new QVBoxLayout(area);
    layout->setContentsMargins({});
    m_noRecent =
        new QLabel(tr("Models that you open are listed here. Nothing was opened yet: the demo is one click away."));
    m_noRecent->setObjectName(QStringLiteral("noRecent"));
    m_noRecent->setWordWrap(true);
    m_noRecent->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_recent = new QListWidget;
    m_recent->setObjectName(QStringLiteral("recentList"));
    m_recent->setAccessibleName(tr("Models opened before"));
    m_recent->setToolTip(tr("Enter opens, Delete removes from the list"));
    m_recent->setUniformItemSizes(true);
    m_recent->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_remove = new QAction(tr("Remove from this list"), this);
    m_remove->setObjectName(QStringLiteral("removeRecent"));
    m_remove->setToolTip(tr("Forget this model; its files stay"));
    m_remove->setShortcut(QKeySequence::Delete);
    m_remove->setShortcutContext(Qt::WidgetShortcut);
    m_recent->addAction(m_remove);
    connect(m_remove, &QAction::triggered, this, &StartPage::removeCurrent);
    connect(m_recent, &QListWidget::itemActivated, this, &StartPage::openCurrent);
    layout->addWidget(m_noRecent);
    layout->addWidget(m_recent);
    return area;
}

void StartPage::setRecent(const QStringList& paths)
{
    const int row = m_recent->currentRow();
    m_recent->clear();
    for (const QString& path : paths) {
        auto* const item = new QListWidgetItem(QDir::toNativeSeparators(path), m_recent);
        item->setData(Qt::UserRole, path);
        item->setToolTip(plainTip(path));
    }
    m_recent->setCurrentRow(std::min(std::max(row, 0), m_recent->count() - 1));
    m_recent->setVisible(!paths.isEmpty());
    m_noRecent->setVisible(paths.isEmpty());
    m_remove->setEnabled(!paths.isEmpty());
}

void StartPage::setDropActive(bool active)
{
    m_dropActive = active;
    showDropTarget();
}

void StartPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showDropTarget();
}

void StartPage::showDropTarget()
{
    const ThemeColors& colors = themeColors(schemeOf(palette()));
    const QString sheet =
        QStringLiteral("QLabel { border: 1px %1 %2; border-radius: 4px; color: %3; }")
            .arg(m_dropActive ? QStringLiteral("solid") : QStringLiteral("dashed"),
                QColor::fromRgb(m_dropActive ? colors.accent : mixed(colors.line, colors.mutedText, 0.5)).name(),
                QColor::fromRgb(colors.mutedText).name());
    if (m_drop->styleSheet() != sheet)
        m_drop->setStyleSheet(sheet);
}

void StartPage::openCurrent()
{
    if (const QListWidgetItem* const item = m_recent->currentItem())
        emit openRequested(item->data(Qt::UserRole).toString());
}

void StartPage::removeCurrent()
{
    if (const QListWidgetItem* const item = m_recent->currentItem())
        emit removeRequested(item->data(Qt::UserRole).toString());
}

} // namespace colibri
