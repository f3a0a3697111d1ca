// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"
#include "stores/selectionstore.h"

#include <QAbstractItemModel>

#include <vector>

namespace colibri {

/// The parts of a model: Model -> embedding, layers (attention, norms, router, experts -> expert), final norm, head,
/// other -> tensors. Parts without tensors are left out, so are those without a match of the filter. Another model or
/// filter resets it.
class PartTree : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Part, Size, ColumnCount };
    /// quint64 that stays the same for a part when the filter changes.
    static constexpr int IdRole = Qt::UserRole;

    using QAbstractItemModel::QAbstractItemModel;

    void setModel(ModelFactsPtr model); ///< null: nothing; keeps the filter
    void setFilter(const QString& text); ///< as TensorFilter understands it
    int tensors() const { return static_cast<int>(m_tensors.size()); } ///< that are in the tree
    int nodes() const { return static_cast<int>(m_nodes.size()); }

    /// What choosing this node selects: layer, expert or tensor; a part that has one tensor only selects that.
    Selection selectionOf(const QModelIndex& index) const;
    /// The node of a selection's tensor, else of its expert, else of its layer; invalid when that is not in the tree.
    QModelIndex find(const Selection& selection) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    enum class Level : std::uint8_t { Model, Top, Group, Expert, Tensor };
    /// A node stands for a stretch of m_tensors; its children lie side by side in m_nodes and split the stretch.
    struct Node {
        std::uint32_t parent = 0;
        std::uint32_t firstChild = 0;
        std::uint32_t childCount = 0;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        Level level = Level::Model;
        PartSum sum;
    };
    void rebuild();
    void split(std::uint32_t node);
    Level levelBelow(const Node& node) const;
    std::uint64_t idOf(std::uint32_t tensor, Level level) const; ///< rising along m_tensors; equal within a node
    std::uint32_t childOf(std::uint32_t node, std::uint32_t tensor) const; ///< 0: none is for it
    const TensorPart& partOf(const Node& node) const { return m_model->parts[m_tensors[node.begin]]; }
    QModelIndex indexOf(std::uint32_t node, int column = 0) const;
    QString title(const Node& node) const;
    QString toolTip(const Node& node) const;

    ModelFactsPtr m_model;
    QString m_filter;
    std::vector<std::uint32_t> m_tensors; ///< by part, then as the model lists them
    std::vector<Node> m_nodes; ///< the first is the model; empty without one
};

} // namespace colibri
