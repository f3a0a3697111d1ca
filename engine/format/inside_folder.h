// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/mapped_file.h"

#include <cstdint>
#include <memory>
#include <string>

namespace colibri {

/// Maps `folder`/`name`. Refuses names that are not plain relative ones and links that lead out of the folder. `config`
/// and `offset` say where the name stands.
Result<std::shared_ptr<const MappedFile>> mapInside(
    const std::string& folder, const std::string& name, const std::string& config, std::uint64_t offset);

} // namespace colibri
