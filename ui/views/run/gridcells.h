// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/run_record.h"
#include "views/cells/gridgeometry.h"
#include "views/run/decisioncolor.h"

#include <QImage>
#include <QList>
#include <QPointF>

namespace colibri {

/// Which cells of a record, and how they are coloured.
struct CellRequest {
    Range tokens;
    Range layers;
    int routed = 0; ///< positions from here on are pending
    ColorBy by = ColorBy::Expert;
    int rank = 0;
    ColorScheme scheme = ColorScheme::Light;
    double marginMiddle = 1; ///< see marginShare()
};

/// One pixel for each cell, tokens along x. A cell with a zeroed expert has the error colour of the theme when
/// `markZeroed`, for sizes at which no mark can be drawn into it.
QImage renderCells(const RunRecord& record, const CellRequest& request, bool markZeroed);

/// Digits of expert ids, as places in "0123456789" and points relative to the first cell's corner; two lists, for dark
/// and for light ink, so that a whole grid is two drawing calls.
struct CellDigits {
    QList<quint32> digits;
    QList<QPointF> points;
};
struct CellText {
    CellDigits dark;
    CellDigits light;
};
struct DigitMetrics {
    double advance = 0; ///< of a digit and of the blank between ids
    double baseline = 0; ///< from the top of a cell
    int places = 1; ///< digits of the largest id
    int ids = 1; ///< shown of each cell, best first
};
CellText cellText(const RunRecord& record, const CellRequest& request, QSize cell, const DigitMetrics& metrics);

} // namespace colibri
