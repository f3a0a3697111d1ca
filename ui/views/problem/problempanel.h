// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/result.h"

#include <QFrame>

#include <array>

class QFormLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace colibri {

/// What could not be done, where and why, with buttons that copy it and try again. It may become as narrow as its page
/// wants it.
class ProblemPanel : public QFrame {
    Q_OBJECT

public:
    enum class Retry { Offered, None };

    /// Names of its parts begin with `name`.
    explicit ProblemPanel(const QString& name, QWidget* parent = nullptr, Retry retry = Retry::Offered);

    void setHeading(const QString& text); ///< in bold above the rest; at first there is none
    void setError(const Error& error);
    void addButton(QPushButton* button); ///< in front of the others
    QPushButton* copyButton() const { return m_copy; }

signals:
    void retryRequested();

private:
    void makeParts();
    void makeButtons(Retry retry);
    void copy() const;

    QLabel* m_heading;
    std::array<QLabel*, 3> m_parts{}; ///< what, where, why
    QFormLayout* m_form;
    QHBoxLayout* m_buttons;
    QPushButton* m_copy = nullptr;
    Error m_error;
};

/// A file and a place in it: "/models/a.gguf at offset 1,234 bytes (0x4d2)". Empty when the error names no file.
QString whereText(const Error& error);

/// A button whose tooltip names its shortcut.
QPushButton* shortcutButton(
    const QString& objectName, const QString& text, const QString& toolTip, const QKeySequence& shortcut);

} // namespace colibri
