// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/openstore.h"
#include "views/opening/expertmap.h"

#include <QWidget>

namespace colibri {

QString expertStateName(ExpertState state);

/// The layer x expert map of an opening, with axis captions and a readout under the cursor.
class ExpertMapView : public QWidget {
    Q_OBJECT

public:
    /// The store lives longer than the view.
    explicit ExpertMapView(const OpenStore& store, QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect mapArea() const; ///< what the axis captions leave
    ExpertMapGrid grid() const;
    QString readout(QPoint at) const; ///< empty beside the map

    const OpenStore& m_store;
};

} // namespace colibri
