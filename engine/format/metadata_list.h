// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "types/metadata_entry.h"

#include <vector>

namespace colibri {

/// All metadata of a source in the order of its files: GGUF's keys, or config.json, generation_config.json and
/// tokenizer_config.json. The tensor directory of a Colibri export is not among them.
std::vector<MetadataEntry> listMetadata(const ModelSource& source);

} // namespace colibri
