// SPDX-License-Identifier: Apache-2.0
#include "types/result.h"

namespace colibri {

std::string Error::message() const
{
    std::string text = what;
    if (!file.empty())
        text += (text.empty() ? "" : ", ") + file;
    if (offset)
        text += " at offset " + std::to_string(*offset);
    if (!why.empty())
        text += (text.empty() ? "" : ": ") + why;
    return text;
}

} // namespace colibri
