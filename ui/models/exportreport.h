// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/exportfacts.h"

namespace colibri {

/// Name of a way to store matrices: "as in the source", "int8".
QString exportChoiceText(std::optional<DType> dtype);

/// What each of exportChoices comes to: name, bytes of dense.bin, bytes of the expert files, files, bytes of all of
/// them, those compared with the source. A choice that is refused has its reason as the tool tip of all cells.
std::vector<std::vector<Cell>> exportSizeRows(const ExportPlanFacts& plan, bool withTable);

/// A part of the report: property, value.
struct ExportSection {
    QString title;
    std::vector<std::vector<Cell>> rows;
};
/// What was written, the routing table if there is one, and how far the export agrees with its source.
std::vector<ExportSection> exportSections(const ExportReportFacts& report);
/// All of the report as lines of text, with tabs.
QString plainText(const ExportReportFacts& report);
/// How far an export agrees with its source, in half a line.
QString shortText(const ExportAgreementFacts& agreement);
/// The report in half a line: bytes, agreement.
QString shortText(const ExportReportFacts& report);

} // namespace colibri
