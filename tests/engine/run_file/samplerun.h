// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/saved_run.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <span>

namespace colibri::test {

struct SampleShape {
    std::uint32_t positions = 12; ///< of the record
    std::uint32_t prompt = 3;
    std::uint32_t tokens = 7;
    std::uint32_t routed = 6;
    std::uint32_t layers = 2;
    std::uint32_t experts = 5;
    std::uint32_t k = 2;
    std::uint32_t heldPositions = 4; ///< the record's budget of router logits
};

/// A record in which every number is another one, with NaN of several kinds, infinities and unused places.
std::shared_ptr<RunRecord> sampleRecord(const SampleShape& shape);
/// Routes further positions of it, as a run that goes on does.
void routeUpTo(RunRecord& record, std::uint32_t count);
/// No field has its default.
SavedRun sampleRun(const SampleShape& shape = {});

/// What differs between two runs, bit by bit; empty when nothing does. Looks at tokens, decisions of routed positions,
/// router logits that are held, and all figures.
QString difference(const SavedRun& a, const SavedRun& b);

/// The file again with a checksum that fits its bytes.
QByteArray withChecksum(QByteArray file);
std::span<const std::byte> bytesOf(const QByteArray& file);

} // namespace colibri::test
