// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layers/sourcetree.h"

#include <QStringList>

namespace colibri::layers {

/// A place of the tree that breaks a rule; line 0 means the whole file.
struct Finding {
    QString path;
    int line = 0;
    QString what;
};
QString toString(const Finding& finding);

/// Includes, direct ones and those seen through them, that the table of layers does not allow, and any of Qt in
/// engine/.
QList<Finding> includeFindings(const SourceTree& tree);
/// Two files that one include could mean.
QList<Finding> ambiguousHeaders(const SourceTree& tree);
/// Printing, exiting and aborting in engine/ outside of cli/.
QList<Finding> sideEffectFindings(const SourceTree& tree);

inline constexpr int maxHeaderLines = 150;
inline constexpr int wantedSourceLines = 400;
inline constexpr int maxSourceLines = 600;
/// Files of engine/, ui/, app/ and tests/ past the hard limits.
QList<Finding> sizeFindings(const SourceTree& tree);

/// Files without a licence line, or with another licence than their folder's.
QList<Finding> licenceFindings(const SourceTree& tree);

/// Absolute paths that exist on one machine only.
QList<Finding> machinePathFindings(const SourceTree& tree);

} // namespace colibri::layers
