// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/expertprofile.h"

#include <QAbstractTableModel>

#include <functional>
#include <vector>

namespace colibri {

/// The tokens that one expert served most often.
class TopTextsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr std::size_t limit = 100; ///< rows
    enum Column { Text, Id, Count, Share, ColumnCount };

    /// `text` gives what is shown of the token at a position; asked for what is seen only.
    explicit TopTextsModel(std::function<QString(int position)> text, QObject* parent = nullptr);

    void clear();
    void catchUp(const ExpertProfile& profile);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void take(std::vector<ServedText> rows);

    std::function<QString(int)> m_text;
    std::vector<ServedText> m_rows;
    std::uint64_t m_total = 0;
};

} // namespace colibri
