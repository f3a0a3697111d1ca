// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/agreement.h"
#include "api/export.h"
#include "stores/exportfacts.h"

#include <span>

namespace colibri {

// What tasks of exports do, on their threads, and what the engine's answers mean to the window.

/// Sizes of all ways to export a model. Reads no weights.
Result<ExportPlanPtr> workOutExport(const Model& model, const std::stop_token& stop);
/// Reads the text to profile over when there is one, then writes.
Result<ExportReport> writeExport(
    const Model& model, const ExportSpec& spec, OpenProgress* progress, const std::stop_token& stop);
/// Opens the export at `out` and reads `tokens` with both.
Result<Agreement> compareExport(const ModelPtr& source, const QString& out, std::span<const TokenId> tokens,
    OpenProgress* progress, const std::stop_token& stop);

std::uint64_t sourceBytes(const Model& model); ///< of its files
QString tokenText(const Model& model, TokenId token); ///< in one line; empty: no tokenizer
void addWritten(ExportReportFacts& facts, const ExportReport& report, double seconds);
ExportAgreementFacts agreementFacts(const Agreement& agreement, const QString& firstToken);

} // namespace colibri
