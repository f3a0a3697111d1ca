// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportfacts.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace colibri {

class NoteLabel;

/// What came of an export, with what can be done with it.
class ExportReportView : public QWidget {
    Q_OBJECT

public:
    explicit ExportReportView(QWidget* parent = nullptr);

    void setReport(const ExportReportPtr& report); ///< null: an empty page
    const ExportReportPtr& report() const { return m_report; }
    void addButton(QPushButton* button); ///< behind the view's own

public slots:
    void copyText() const;

signals:
    void openRequested(const QString& path); ///< of the export
    void folderRequested(const QString& path);

private:
    QWidget* makeButtons();
    void showVerdict();

    ExportReportPtr m_report;
    QLabel* m_title;
    NoteLabel* m_verdict;
    NoteLabel* m_notes;
    QWidget* m_sections;
    QHBoxLayout* m_buttons = nullptr;
};

} // namespace colibri
