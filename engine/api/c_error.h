// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace colibri {

/// The calling thread's error text of the C interface, the only state of the engine outside of its objects.
std::string& lastErrorText();

} // namespace colibri
