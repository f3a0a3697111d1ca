// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace colibri::test {

/// Heap allocations of the whole process so far, by malloc, operator new and their kind, on any thread. Linking this
/// file replaces the allocator's entry points (under a sanitizer: hooks them).
std::uint64_t allocations();

} // namespace colibri::test
