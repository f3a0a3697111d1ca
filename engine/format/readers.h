// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"
#include "types/raw_options.h"
#include "types/tensor_info.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace colibri {

/// Reads the folder at `path` (or the folder of the config.json at `path`): a Colibri export when its config.json says
/// `"format": "colibri"`, a Hugging Face folder when it holds safetensors, a raw export when it holds expert_*.bin or
/// `raw` is given. A file whose first bytes say GGUF is one, whatever its name. Anything else is one error that says
/// what was looked for. A raw export has no list of its files, so that nothing of it can be listed as missing.
Result<ModelSource> readModelSource(const std::string& path, const std::optional<RawOptions>& raw, std::stop_token stop,
    Incomplete incomplete = Incomplete::Refuse);

Result<ModelSource> readHuggingFaceFolder(
    const std::string& folder, std::stop_token stop, Incomplete incomplete = Incomplete::Refuse);
Result<ModelSource> readColibriExport(
    const std::string& folder, std::stop_token stop, Incomplete incomplete = Incomplete::Refuse);
/// Reads a GGUF file, or all parts of a split by its first part.
Result<ModelSource> readGguf(const std::string& path, std::stop_token stop, Incomplete incomplete = Incomplete::Refuse);
Result<ModelSource> readRawExport(const std::string& folder, const RawOptions& raw, std::stop_token stop);

/// The directory of one safetensors file: tensors with offsets from the start of the file and `file` = fileIndex.
/// Checks header length, JSON, duplicates, dtypes, sizes against shapes, range, overlaps. Notes holes and trailing
/// bytes. With `refusals`, a file that ends early is no failure, but one entry there; see TensorInfo::presence.
Result<std::vector<TensorInfo>> parseSafetensors(std::span<const std::byte> bytes, const std::string& file,
    std::uint32_t fileIndex, std::vector<std::string>& notes, std::vector<Error>* refusals = nullptr);

} // namespace colibri
