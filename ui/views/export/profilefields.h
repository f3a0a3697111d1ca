// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportfacts.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;

namespace colibri {

class NoteLabel;

/// Whether an export gets a routing table, and the text that the table is made over.
class ProfileFields : public QWidget {
    Q_OBJECT

public:
    explicit ProfileFields(QWidget* parent = nullptr);

    void setPlan(const ExportPlanPtr& plan); ///< null: not known yet
    bool wantsTable() const;
    void fill(ExportSpec& spec) const; ///< what is asked for here
    QString why() const; ///< why it cannot be done like this; empty: it can
    QList<QWidget*> controls() const; ///< in their order

signals:
    void changed();

private:
    void makeTexts();
    void chooseFile();
    void showState();

    ExportPlanPtr m_plan;
    QCheckBox* m_table;
    QComboBox* m_kind;
    QStackedWidget* m_texts;
    NoteLabel* m_hint;
    QPlainTextEdit* m_own;
    QLineEdit* m_file;
    QWidget* m_browse = nullptr;
};

} // namespace colibri
