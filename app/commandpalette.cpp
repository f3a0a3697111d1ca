// SPDX-License-Identifier: GPL-3.0-or-later
#include "commandpalette.h"

#include "views/theme/theme.h"

#include <QAction>
#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace colibri {
namespace {

enum Score { None, Scattered, Inside, WordStart };

Score wordScore(const QString& word, const QString& text)
{
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        if (at == 0 || !text[at - 1].isLetterOrNumber())
            return WordStart;
    }
    if (text.contains(word))
        return Inside;
    qsizetype at = 0;
    for (const QChar letter : word) {
        at = text.indexOf(letter, at);
        if (at < 0)
            return None;
        ++at;
    }
    return Scattered;
}

QString plainText(const QAction& action)
{
    const QChar ampersand(u'\0'); // two of them in a text of an action stand for one
    return action.text().replace(QStringLiteral("&&"), ampersand).remove(u'&').replace(ampersand, u'&');
}

void collect(const QList<QAction*>& actions, const QString& menu, QList<Command>& commands)
{
    for (QAction* const action : actions) {
        if (action->isSeparator() || !action->isVisible())
            continue;
        if (action->menu()) {
            const QString title = plainText(*action);
            collect(action->menu()->actions(), menu.isEmpty() ? title : menu + QStringLiteral(" > ") + title, commands);
        } else if (action->isEnabled()) {
            commands.append({action, menu});
        }
    }
}

} // namespace

int matchScore(const QString& query, const QString& text)
{
    const QString folded = text.toCaseFolded();
    int sum = 1;
    for (const QString& word : query.toCaseFolded().split(u' ', Qt::SkipEmptyParts)) {
        const Score score = wordScore(word, folded);
        if (score == None)
            return 0;
        sum += score;
    }
    return sum;
}

QList<Command> commandsOf(const QMenuBar& menuBar)
{
    QList<Command> commands;
    collect(menuBar.actions(), {}, commands);
    return commands;
}

CommandPalette::CommandPalette(const QList<Command>& commands, QWidget* parent)
    : QDialog(parent)
    , m_commands(commands)
    , m_query(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Commands"));
    m_query->setPlaceholderText(tr("Type some letters of a command"));
    m_query->setAccessibleName(tr("Command"));
    m_query->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands that fit"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setColumnCount(3);
    m_list->header()->hide();
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(false);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, grid::unit);
    column->addWidget(m_query);
    column->addWidget(m_list);
    resize(std::min(72 * grid::unit, parent->width()), std::min(48 * grid::unit, parent->height()));
    connect(m_query, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_query, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QTreeWidget::itemClicked, this, &CommandPalette::run);
    filter({});
}

void CommandPalette::filter(const QString& query)
{
    std::vector<std::pair<int, qsizetype>> found; // score, place
    for (qsizetype i = 0; i < m_commands.size(); ++i) {
        const Command& command = m_commands[i];
        const int name = matchScore(query, plainText(*command.action));
        const int whole = matchScore(query, command.menu + u' ' + plainText(*command.action));
        if (whole > 0)
            found.emplace_back(2 * name + whole, i);
    }
    // Of equal ones the shortest first: it is the nearest to the query.
    std::ranges::stable_sort(found, [this](const auto& a, const auto& b) {
        const auto length = [this](qsizetype place) { return m_commands[place].action->text().size(); };
        return a.first != b.first ? a.first > b.first : length(a.second) < length(b.second);
    });
    m_list->clear();
    for (const auto& [score, place] : found) {
        const Command& command = m_commands[place];
        auto* const item = new QTreeWidgetItem(m_list,
            {plainText(*command.action), command.menu, command.action->shortcut().toString(QKeySequence::NativeText)});
        item->setData(0, Qt::UserRole, place);
        item->setToolTip(0, command.action->statusTip());
        item->setForeground(1, palette().brush(QPalette::PlaceholderText));
    }
    m_list->setCurrentItem(m_list->topLevelItem(0));
}

void CommandPalette::run()
{
    const QTreeWidgetItem* const item = m_list->currentItem();
    if (!item)
        return;
    QAction* const action = m_commands[item->data(0, Qt::UserRole).toLongLong()].action;
    close();
    // After this dialog is gone, so that what the command opens gets the focus.
    QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_query && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown)
            return QCoreApplication::sendEvent(m_list, event);
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace colibri
