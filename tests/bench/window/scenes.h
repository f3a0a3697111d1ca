// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;

namespace colibri::bench {

/// Each prints its figures and returns whether they are within their bounds.
bool startup(const QString& program); ///< this program, to be started again
int startupChild(); ///< the started one: prints two times and ends
bool responsive();
bool growth();
bool trace(const QString& program); ///< this program, to make the trace in a process of its own
int traceChild(const QString& path); ///< writes the trace as a saved run

} // namespace colibri::bench
