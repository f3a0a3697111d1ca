// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/servedtokensmodel.h"
#include "models/toptextsmodel.h"
#include "stores/routingstore.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;

namespace colibri {

class TableView;

/// The profile of one expert: which tokens it served, and which ones most often.
class ExpertPanel : public QWidget {
    Q_OBJECT

public:
    /// `routing` outlives the panel; its profile is what is shown.
    explicit ExpertPanel(const RoutingStore& routing, QWidget* parent = nullptr);

    void catchUp(); ///< shows what is new in the profile
    void clear(); ///< the run is another one: no row may ask for its tokens any more

    TableView& tokens() { return *m_tokens; }
    TableView& texts() { return *m_texts; }
    QSplitter& parts() { return *m_parts; }

signals:
    void tokenChosen(int position, int rank);

private:
    QString text(int position) const;
    QString summary() const;
    void setUpTable(TableView& table, QAbstractItemModel& rows, int sortRole, const QStringList& samples);
    void choose(const QModelIndex& index);

    const RoutingStore& m_routing;
    ServedTokensModel m_tokensModel;
    TopTextsModel m_textsModel;
    int m_layer = -1; ///< of the profile that the models hold
    int m_expert = -1;
    Stretch m_stretch = Stretch::All;
    QLabel* m_summary;
    QLabel* m_empty;
    TableView* m_tokens;
    TableView* m_texts;
    QSplitter* m_parts;
    QStackedWidget* m_pages;
};

} // namespace colibri
