// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/json.h"

#include <string>

namespace colibri {

/// The value as JSON on one line. Bytes that are no UTF-8 become U+FFFD; numbers that are not finite become null.
std::string jsonText(const JsonValue& value);

} // namespace colibri
