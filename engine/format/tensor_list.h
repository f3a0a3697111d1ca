// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/model_source.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace colibri {

/// Sorts the tensors of a source by name. Fails when two files, or one, hold a tensor of the same name; `what` is what
/// was being done.
Result<void> sortTensors(ModelSource& source, const std::string& what);

/// What to add to the error of the first tensor that a file cuts, of `count` that it cuts or does not reach; `needed`
/// is the size that the file should have.
std::string cutText(std::uint64_t count, std::uint64_t needed);

/// A note about bytes [begin, end) of a file that belong to no tensor, with the first of them.
std::string unclaimedNote(const std::string& file, std::span<const std::byte> bytes, std::uint64_t begin,
    std::uint64_t end, const std::string& where);

} // namespace colibri
