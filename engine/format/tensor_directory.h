// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/colibri_layout.h"
#include "format/config_file.h"
#include "format/model_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace colibri {

/// One file of a Colibri export with the tensors that config.json places in it.
struct DirectoryFile {
    std::string name; ///< relative to the folder
    std::optional<ExpertPlace> expert; ///< set for an expert blob
    std::vector<TensorInfo> tensors; ///< in the order of config.json
    std::uint64_t firstEntryOffset = 0; ///< of its first entry in config.json, for error texts
};

struct ExpertLimits {
    std::uint32_t layers = 0;
    std::uint32_t experts = 0;
};

/// Reads "tensors": every field of every entry by itself, unique names, files by plain relative name. Touches no other
/// file. The `file` of each tensor is its DirectoryFile's index.
Result<std::vector<DirectoryFile>> readTensorDirectory(const ConfigFile& config);

/// Checks the entries against the mapped file: ranges and overlaps; for an expert blob its header too. The payload's
/// checksum is not verified. With `missing`, a file that is absent or ends early is no failure, but one entry there;
/// see TensorInfo::missing.
Result<void> checkDirectoryFile(DirectoryFile& file, const MappedFile& mapped, ExpertLimits limits,
    std::vector<std::string>& notes, std::vector<Error>* missing = nullptr);

/// The part of it that concerns an expert blob: header fields, payload size, order of tensors.
Result<void> checkExpertBlob(
    const DirectoryFile& file, const MappedFile& mapped, ExpertLimits limits, std::vector<std::string>& notes);

} // namespace colibri
