// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/parttree.h"
#include "stores/openstore.h"
#include "stores/selectionstore.h"

#include <QSet>
#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTreeView;

namespace colibri {

/// The parts of the open model as a tree with a filter. The current part is what the window has selected.
///
/// Ctrl+F goes to the filter, Return in it to the tree, Escape clears it. While hidden it does nothing.
class ModelTree : public QWidget {
    Q_OBJECT

public:
    /// Both stores outlive the widget.
    ModelTree(const OpenStore& open, SelectionStore& selection, QWidget* parent = nullptr);

    QTreeView& tree() const { return *m_tree; }
    QLineEdit& filter() const { return *m_filter; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeTree();
    void refresh(); ///< another model
    void applyFilter(const QString& text);
    void showState();
    void choose(const QModelIndex& current);
    void followSelection();
    void rememberExpanded(const QModelIndex& index);
    void expandRemembered(const QModelIndex& index);

    const OpenStore& m_open;
    SelectionStore& m_selection;
    PartTree m_parts;
    ModelFactsPtr m_shown; ///< whose parts are in the tree
    QSet<quint64> m_expanded; ///< parts that were open before there was a filter
    bool m_filtered = false;
    bool m_following = false;
    QLineEdit* m_filter;
    QStackedWidget* m_pages;
    QTreeView* m_tree;
    QLabel* m_hint;
};

} // namespace colibri
