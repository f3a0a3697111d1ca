// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/expertprofile.h"

#include <QAbstractTableModel>

#include <deque>
#include <functional>

namespace colibri {

/// The newest tokens that one expert served, in the order of their positions.
class ServedTokensModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Position, Text, Weight, Margin, ColumnCount };
    static constexpr int SortRole = Qt::UserRole;

    /// `text` gives what is shown of the token at a position; asked for what is seen only.
    explicit ServedTokensModel(std::function<QString(int position)> text, QObject* parent = nullptr);

    void clear();
    /// Takes over what is new in a profile that only grows between two clear().
    void catchUp(const ExpertProfile& profile);
    const ServedToken& token(int row) const { return m_tokens[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    /// EditRole: exact numbers, an empty text where there is no margin; SortRole: numbers, below all others where there
    /// is none. What is shown is rounded.
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::function<QString(int)> m_text;
    std::deque<ServedToken> m_tokens;
    std::uint64_t m_seen = 0; ///< of the profile's total
};

} // namespace colibri
