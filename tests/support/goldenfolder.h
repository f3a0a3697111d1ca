// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/golden.h"

namespace colibri::test {

/// Writes the weights of a case as the Hugging Face folder that they would have come from: names, shapes, fused and
/// stacked tensors, the order of rows for rotary positions, and a config.json of the family. What went wrong, or empty.
QString writeHuggingFaceFolder(const GoldenCase& golden, const QString& folder);

} // namespace colibri::test
