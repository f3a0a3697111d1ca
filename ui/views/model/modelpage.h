// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/openstore.h"
#include "stores/selectionstore.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabWidget;

namespace colibri {

class ProblemPanel;
class FittedTable;
class ModelSummary;
class TensorPanel;

/// The page of the open model: summary, tensors, files, rules. While hidden it does nothing.
class ModelPage : public QWidget {
    Q_OBJECT

public:
    /// Both stores outlive the widget.
    ModelPage(const OpenStore& open, SelectionStore& selection, QWidget* parent = nullptr);

    QTabWidget& tabs() const { return *m_tabs; }
    TensorPanel& tensors() const { return *m_tensors; }
    QByteArray saveLayout() const; ///< which tab is shown
    bool restoreLayout(const QByteArray& layout);

signals:
    void openRequested(); ///< the user wants to open a model
    void retryRequested(); ///< to open the model again, which cannot be run as it is

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Table {
        CellTable* rows;
        FittedTable* view;
    };
    QWidget* makeEmpty();
    QWidget* makeModel();
    /// A tab with a table and buttons to copy and save it.
    Table addTable(const QString& title, const QString& toolTip, const QStringList& headers, int stretchColumn);
    void addMetadata();
    void showMetadata();
    void addRules();
    void showRule(); ///< the current one, whole: the table has no room for its texts
    void showRulesTab(bool known);
    static QString rulesToolTip();
    void refresh();

    const OpenStore& m_open;
    ModelFactsPtr m_shown;
    QStackedWidget* m_pages;
    ProblemPanel* m_refusal = nullptr; ///< seen while the model cannot be run
    QTabWidget* m_tabs;
    ModelSummary* m_summary;
    TensorPanel* m_tensors;
    Table m_files{};
    Table m_rules{};
    QLabel* m_rule = nullptr;
    Table m_metadata{};
    QLineEdit* m_metadataFilter = nullptr;
};

} // namespace colibri
