// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

namespace colibri {

/// A folder that an export could be written to.
struct ExportPlace {
    QString path; ///< absolute; empty when folder or name say nothing
    QString why; ///< why it cannot be written to, in one sentence; empty: it can
    std::optional<std::uint64_t> freeBytes; ///< of the disk; empty: not known
};

/// Looks at the disk. `folder` has to be there and `name` must not be in it; nothing is made.
ExportPlace exportPlace(const QString& folder, const QString& name);

/// A name for the export of a model that is not taken in `folder`: "mixtral-export", "mixtral-export-2".
QString freeExportName(const QString& folder, const QString& modelPath);

} // namespace colibri
