// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace colibri {

/// A number of bytes with one decimal and a binary unit: "23.4 MiB".
QString bytesText(std::uint64_t bytes);

/// A duration with a unit that suits it and three figures: "12.3 ms", "4.56 s", "2 min 5 s". Not finite: empty.
QString durationText(double seconds);

} // namespace colibri
