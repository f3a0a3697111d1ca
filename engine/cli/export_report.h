// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/agreement.h"
#include "api/export.h"
#include "cli/shared_json.h"

#include <optional>
#include <string>

namespace colibri::cli {

/// What `colibri export` tells at its end.
struct WrittenExport {
    std::string source;
    std::string out;
    std::optional<DType> dtype;
    ExportReport report;
    double seconds = 0; ///< of writing, a table included
    std::optional<Agreement> agreement; ///< empty: not compared
    double comparedSeconds = 0;
};

/// Members without a value are null. `source` is the model.
Json exportJson(const WrittenExport& written, const Model& source);
/// A line for the folder, and aligned ones for the table and the comparison.
std::string exportText(const WrittenExport& written);

} // namespace colibri::cli
