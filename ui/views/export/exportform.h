// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportplace.h"
#include "stores/exportstore.h"

#include <QTimer>
#include <QWidget>

class QGridLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace colibri {

class ExportSizes;
class NoteLabel;
class ProblemPanel;
class ProfileFields;

/// What is asked for before an export begins, what it comes to, and why the last one failed.
class ExportForm : public QWidget {
    Q_OBJECT

public:
    static constexpr int defaultCheckTokens = 256;

    explicit ExportForm(const ExportStore& store, QWidget* parent = nullptr); ///< the store outlives it

    void setPlace(const QString& folder, const QString& name);
    ExportSpec spec() const;
    bool ready() const; ///< an export can begin as it is asked for
    ExportSizes& sizes() const { return *m_sizes; }

signals:
    void exportRequested(const colibri::ExportSpec& spec);
    void closeRequested();

private:
    void arrange(QWidget* content);
    void makePlaceRows(QGridLayout& grid);
    void makeSizeRows(QGridLayout& grid);
    void makeCheckRow(QGridLayout& grid);
    QWidget* makeButtons();
    void orderTabs();
    void chooseFolder();
    void showPlan();
    void showEnd(); ///< of the newest export, when it is not a good one
    void showPlace();
    void showSize();
    void showReady();

    const ExportStore& m_store;
    ExportPlace m_place;
    QTimer m_placeTimer; ///< looks at the disk again, since others write there, too
    QLineEdit* m_folder;
    QLineEdit* m_name;
    NoteLabel* m_placeNote;
    ExportSizes* m_sizes;
    NoteLabel* m_sizeNote;
    ProfileFields* m_profile;
    NoteLabel* m_profileNote;
    QSpinBox* m_check;
    ProblemPanel* m_error;
    NoteLabel* m_end;
    QPushButton* m_browse = nullptr;
    QPushButton* m_export = nullptr;
    QPushButton* m_close = nullptr;
};

} // namespace colibri
