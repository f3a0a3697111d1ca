// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/servedtokensmodel.h"
#include "models/toptextsmodel.h"
#include "stores/routingstore.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace colibri {

/// The profile of one expert: which tokens it served, and which ones most often.
class ExpertPanel : public QWidget {
    Q_OBJECT

public:
    /// `routing` outlives the panel; its profile is what is shown.
    explicit ExpertPanel(const RoutingStore& routing, QWidget* parent = nullptr);

    void catchUp(); ///< shows what is new in the profile
    void clear(); ///< the run is another one: no row may ask for its tokens any more

    QTableView& tokens() { return *m_tokens; }
    QTableView& texts() { return *m_texts; }
    QSplitter& parts() { return *m_parts; }

signals:
    void tokenChosen(int position, int rank);

private:
    QString text(int position) const;
    QString summary() const;
    void choose(const QModelIndex& index);

    const RoutingStore& m_routing;
    ServedTokensModel m_tokensModel;
    TopTextsModel m_textsModel;
    int m_layer = -1; ///< of the profile that the models hold
    int m_expert = -1;
    Stretch m_stretch = Stretch::All;
    QLabel* m_summary;
    QLabel* m_empty;
    QTableView* m_tokens;
    QTableView* m_texts;
    QSplitter* m_parts;
    QStackedWidget* m_pages;
};

} // namespace colibri
