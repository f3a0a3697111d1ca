// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/result.h"
#include "types/saved_run.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>

namespace colibri {

// A saved run, *.colibri-run. All numbers are little-endian.
//
//     8 bytes   magic: 89 43 52 55 4E 0D 0A 1A
//     u64       length of the header; the header ends at a multiple of 64
//     ...       header: one JSON object and blanks behind it
//     ...       sections, each at the next multiple of 64 behind the one before it, zeros between them
//     u64       XXH64 (seed 0) of all bytes before it; the file ends here
//
// Header: "format" is "colibri-run", "version" is 1. "engine": how the run came about. "model_path". "request": what
// was asked for; "prompt" is the text, or null when the prompt was given as ids (the first "prompt_tokens" tokens).
// "counter_note": what timings do not
// count and why. "end": "reason" is paused (it had not ended), max_tokens, end_of_text or context_full; "error" is null
// or why it failed. "memory". "counts". "sections": name, dtype, offset (from the end of the header) and size in bytes
// of
//
//     tokens         u32 [tokens]
//     experts        u16 [tokens][layers][k], best first, 0xFFFF unused
//     weights        f32 [tokens][layers][k]
//     margins        f32 [tokens][layers], NaN where there is none
//     zeroed         u32 [tokens][layers], bit r: the output of rank r was not finite
//     router_logits  f32 [routed - logits_from][layers][experts], of positions from "logits_from" on
//     timings        [timings] of 64 bytes: u64 start and u64 duration in ns, u32 position, u32 tokens, f32 ns of
//                    attention, router, experts, head and sampling, u32 1 in prefill, else 0, u32 minor and major
//                    page faults, cache and branch misses (0xFFFFFFFF: not counted). In the order of time and of
//                    positions, no position twice.
//
// Rows of decisions from "routed" on are filled up (0xFFFF, 0, NaN, 0): the file is as large as the record it becomes.

/// Called as work goes on, on the calling thread; `total` stays the same.
using RunFileProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Writes a run to `path`, whole or not at all; replaces a file of that name. Streams: besides a buffer only the router
/// logits (within their budget) are copied, for the run may go on and overwrite them. What the record has published
/// when this is called is saved. Timings out of order or beyond the tokens count as dropped. Stopping gives
/// Errc::Cancelled.
Result<void> writeRunFile(
    const SavedRun& run, const std::string& path, const RunFileProgress& progress, std::stop_token stop);

/// Reads a saved run from bytes, which begin at a multiple of 4; `file` names them in errors. Checks everything:
/// afterwards the record, the timings and the header agree. The record is a view of the bytes, which have to outlive it;
/// besides it holds no more memory than a small multiple of them.
Result<SavedRun> parseRunFile(std::span<const std::byte> bytes, const std::string& file,
    const RunFileProgress& progress = {}, const std::stop_token& stop = {});

/// The same for a file, which stays mapped for the record: a run of any length opens in little memory.
Result<SavedRun> readRunFile(const std::string& path, const RunFileProgress& progress, const std::stop_token& stop);

/// Whether a regular file begins as a saved run does.
bool hasRunMagic(const std::string& path);

} // namespace colibri
