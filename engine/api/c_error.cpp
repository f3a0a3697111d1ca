// SPDX-License-Identifier: Apache-2.0
#include "api/c_error.h"

#include "api/colibri.h"

namespace colibri {

std::string& lastErrorText()
{
    thread_local std::string text;
    return text;
}

} // namespace colibri

const char* colibri_last_error(void)
{
    return colibri::lastErrorText().c_str();
}
