// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>

class QFormLayout;
class QToolButton;

namespace colibri {

/// A compact form below a line that folds it away; folded, the line says what is set.
class FoldingForm : public QWidget {
    Q_OBJECT

public:
    bool isFolded() const;
    void setFolded(bool folded);

signals:
    void changed();

protected:
    FoldingForm(const QString& title, const QString& tip, QWidget* parent);

    QFormLayout* fields() const { return m_fields; }
    /// Adds a field under its name, which is its accessible name, too.
    void addField(const QString& name, const QString& tip, QWidget* field);
    /// Adds the last row; from then on Tab goes through the rows from top to bottom.
    void addReset(const QString& tip, const QString& accessibleName, const std::function<void()>& reset);
    /// Says what is set now, and that it changed.
    void showSummary(const QString& summary);

private:
    void orderTabs();
    void showTitle();

    QString m_title;
    QString m_summary;
    QToolButton* m_fold;
    QFormLayout* m_fields;
};

} // namespace colibri
