// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QString;

namespace colibri::bench {

/// Each prints its figures and returns whether they are within their bounds.
bool startup(const QString& program); ///< this program, to be started again
int startupChild(); ///< the started one: prints two times and ends
bool responsive();
bool growth();
bool trace();

} // namespace colibri::bench
