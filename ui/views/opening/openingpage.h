// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"

#include <QWidget>

#include <array>

class QLabel;
class QProgressBar;
class QPushButton;

namespace colibri {

class ProblemPanel;

/// An opening under way, or what went wrong with it. Follows the store.
class OpeningPage : public QWidget {
    Q_OBJECT

public:
    /// The store lives longer than the page.
    explicit OpeningPage(const OpenStore& store, QWidget* parent = nullptr);

signals:
    void cancelRequested();
    void backRequested();
    void retryRequested(); ///< the same once more

protected:
    void changeEvent(QEvent* event) override; ///< the legend shows colours of the palette

private:
    QWidget* makeHeader();
    QWidget* makeLegend();
    QWidget* makeProgress();
    QWidget* makeProblemPanel();
    void showState();
    void showProgress();
    void showError(const Error& error);

    const OpenStore& m_store;
    QLabel* m_title = nullptr;
    QLabel* m_path = nullptr;
    std::array<QLabel*, 5> m_legend{}; ///< indexed by ExpertState
    QWidget* m_map = nullptr;
    QWidget* m_legendPanel = nullptr;
    QWidget* m_progressPanel = nullptr;
    QProgressBar* m_bar = nullptr;
    QLabel* m_numbers = nullptr;
    QPushButton* m_cancel = nullptr;
    ProblemPanel* m_problem = nullptr;
    QPushButton* m_back = nullptr;
};

} // namespace colibri
