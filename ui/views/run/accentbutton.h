// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QToolButton>

namespace colibri {

/// A tool button that can carry the accent colour. It keeps the tinted palette: the style caches what it paints by the
/// palette's identity, and one that is made anew at each change fills that cache with copies.
class AccentButton : public QToolButton {
    Q_OBJECT

public:
    explicit AccentButton(QWidget* parent = nullptr);

    void setAccent(bool accent);
    bool accent() const { return m_accent; }

protected:
    void initStyleOption(QStyleOptionToolButton* option) const override;
    void changeEvent(QEvent* event) override;

private:
    void tint();

    QPalette m_tinted;
    bool m_accent = false;
};

} // namespace colibri
