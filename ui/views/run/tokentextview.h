// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"
#include "stores/selectionstore.h"
#include "views/cells/currentitem.h"
#include "views/run/decisioncolor.h"
#include "views/run/tokentextlayout.h"

#include <QAbstractScrollArea>

namespace colibri {

/// The text of a run, each token on the colour of its decision in one layer. Prompt tokens carry their colour as a line
/// below, answer tokens as their ground. Paints visible tokens only; an appended token costs what is new.
///
/// Keys: arrows, Home, End, Page Up, Page Down, with Ctrl over the whole text; with Shift they extend the selected
/// stretch.
class TokenTextView : public QAbstractScrollArea, public CurrentItem {
    Q_OBJECT

public:
    /// Both stores outlive the view.
    TokenTextView(const RunStore& run, SelectionStore& selection, QWidget* parent = nullptr);

    void setColoring(const Coloring& coloring);
    const Coloring& coloring() const { return m_coloring; }
    /// The run to compare with: tokens where it has another one have a line above. It outlives the view.
    void compareWith(const RunStore& other);

    QRect tokenRect(int token) const; ///< its first part, in coordinates of the viewport; may lie outside of it
    int tokenAt(QPoint viewportPoint) const; ///< -1: none there
    QString selectedText() const; ///< of the selected stretch, else of everything
    bool followsEnd() const; ///< the view stays at the end while text grows

    QAccessible::Role itemsRole() const override { return QAccessible::Document; }
    QString currentText() const override;

public slots:
    void copy() const;
    void selectAll();

protected:
    void paintEvent(QPaintEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Inks;
    static constexpr int margin = 8; ///< around the text
    void rebuild();
    void append(int from, int to);
    void updateFrom(int token);
    void appendToLayout(int position);
    void updateScrollRange();
    void scrollTo(int token);
    void followSelection();
    QString summary(int token) const; ///< for a tool tip
    bool differs(int token) const; ///< the other run has another one there
    /// Makes `token` current; `extend` keeps the other end of the stretch.
    void choose(int token, bool extend);
    int movedBy(int lines) const; ///< token above or below the current one
    int wanted(const QKeyEvent& event) const; ///< token that a key leads to; -1: it is no such key
    QRectF fragmentRect(const TokenTextLayout::Fragment& fragment, int line) const;
    void paintFragment(
        QPainter& painter, const TokenTextLayout::Fragment& fragment, const QRectF& rect, const Inks& inks) const;
    void paintFrame(QPainter& painter, const QRectF& rect, const Inks& inks) const;

    const RunStore& m_run;
    const RunStore* m_other = nullptr; ///< null: none
    SelectionStore& m_selection;
    Coloring m_coloring;
    TokenTextLayout m_layout;
    int m_lineHeight = 0;
    int m_anchor = -1; ///< other end of the selected stretch; -1: none
};

} // namespace colibri
