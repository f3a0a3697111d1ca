// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/result.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;

namespace colibri {

/// What went wrong, where and why, with a button to copy it. Hidden while there is no error.
class ErrorPanel : public QWidget {
    Q_OBJECT

public:
    explicit ErrorPanel(QWidget* parent = nullptr);

    QWidget* button() const; ///< that copies the error
    void setError(const std::optional<Error>& error);

protected:
    void changeEvent(QEvent* event) override;

private:
    void tint();

    std::optional<Error> m_error;
    QLabel* m_title;
    QLabel* m_what;
    QLabel* m_where;
    QLabel* m_why;
    QPushButton* m_copy;
};

} // namespace colibri
