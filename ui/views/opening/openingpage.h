// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"

#include <QWidget>

#include <array>

class QLabel;
class QProgressBar;
class QPushButton;

namespace colibri {

/// An opening under way, or what went wrong with it. Follows the store.
class OpeningPage : public QWidget {
    Q_OBJECT

public:
    /// The store lives longer than the page.
    explicit OpeningPage(const OpenStore& store, QWidget* parent = nullptr);

signals:
    void cancelRequested();
    void backRequested();

protected:
    void changeEvent(QEvent* event) override; ///< the legend shows colours of the palette

private:
    QWidget* makeHeader();
    QWidget* makeLegend();
    QWidget* makeProgress();
    QWidget* makeErrorPanel();
    void showState();
    void showProgress();
    void showError(const Error& error);
    void copyError() const;

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
    QWidget* m_errorPanel = nullptr;
    QLabel* m_what = nullptr;
    QLabel* m_where = nullptr;
    QLabel* m_why = nullptr;
    QPushButton* m_back = nullptr;
};

} // namespace colibri
