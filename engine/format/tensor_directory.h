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
    std::size_t firstEntry = 0; ///< index of its first entry in config.json, for error texts
    std::uint64_t firstEntryOffset = 0;
};

struct ExpertLimits {
    std::uint32_t layers = 0;
    std::uint32_t experts = 0;
};

/// Reads "tensors": every field of every entry by itself, unique names, files by plain relative name. Touches no other
/// file. The `file` of each tensor is its DirectoryFile's index.
Result<std::vector<DirectoryFile>> readTensorDirectory(const ConfigFile& config);

/// Checks the entries against the mapped file: ranges and overlaps; for an expert blob its header too. The payload's
/// checksum is not verified. With `refusals`, a file that ends early or a blob whose header is damaged is no failure,
/// but one entry there, and an absent one is none, which has its entry already; see TensorInfo::presence.
Result<void> checkDirectoryFile(DirectoryFile& file, const MappedFile& mapped, ExpertLimits limits,
    std::vector<std::string>& notes, std::vector<Error>* refusals = nullptr);

/// The part of it that concerns an expert blob: header fields, payload size, order of tensors.
Result<void> checkExpertBlob(
    const DirectoryFile& file, const MappedFile& mapped, ExpertLimits limits, std::vector<std::string>& notes);

} // namespace colibri
