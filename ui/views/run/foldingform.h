// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include <functional>

class QFormLayout;
class QToolButton;

namespace colibri {

/// A title and what is set in as many of its parts as fit: those of the middle go first, the last one stays.
QString foldedLine(const QString& title, const QStringList& parts, const std::function<bool(const QString&)>& fits);

/// A compact form below a line that folds it away; folded, the line says what is set.
class FoldingForm : public QWidget {
    Q_OBJECT

public:
    bool isFolded() const;
    void setFolded(bool folded);
    int fieldsWidth() const; ///< that the fields need, folded away or not

signals:
    void changed();
    void unfolded();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; ///< the wheel belongs to what scrolls the form
    void resizeEvent(QResizeEvent* event) override;

    FoldingForm(const QString& title, const QString& tip, QWidget* parent);

    QFormLayout* fields() const { return m_fields; }
    /// Adds a field under its name, which is its accessible name, too.
    void addField(const QString& name, const QString& tip, QWidget* field, int row = -1); ///< -1: the last
    /// Adds the last row; from then on Tab goes through the rows from top to bottom.
    void addReset(const QString& tip, const QString& accessibleName, const std::function<void()>& reset);
    /// Says what is set now, and that it changed. `parts` are short, for the line.
    void showSummary(const QString& summary, const QStringList& parts);

private:
    void orderTabs();
    void showTitle();

    QString m_title;
    QString m_tip;
    QString m_summary;
    QStringList m_parts;
    QToolButton* m_fold;
    QFormLayout* m_fields;
};

} // namespace colibri
