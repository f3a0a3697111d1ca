// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace colibri {

/// A line of text beside what it is about. Its kind gives the colour, and warnings a sign. Keeps the room of one line
/// when it is empty, so that nothing moves.
class NoteLabel : public QLabel {
    Q_OBJECT

public:
    enum class Kind { Muted, Good, Warning, Error };

    explicit NoteLabel(const QString& objectName, QWidget* parent = nullptr);

    void setNote(Kind kind, const QString& text);
    Kind kind() const { return m_kind; }

    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    void tint();

    Kind m_kind = Kind::Muted;
};

} // namespace colibri
