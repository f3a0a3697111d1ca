// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace colibri::test {

/// Entry points of the fuzzers, each one parser with what reads its result: any bytes have to come back.
void fuzzGguf(std::span<const std::byte> bytes);
void fuzzSafetensors(std::span<const std::byte> bytes);
void fuzzConfig(std::span<const std::byte> bytes); ///< a config.json as each kind of source reads it, and a run of it
void fuzzTokenizer(std::span<const std::byte> bytes); ///< a tokenizer.json, read and used

} // namespace colibri::test
