// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/config_file.h"
#include "format/model_source.h"

#include <stop_token>
#include <string>

namespace colibri {

/// readColibriExport for a configuration that was read already.
Result<ModelSource> readColibriExport(
    const std::string& folder, ConfigFile config, std::stop_token stop, Incomplete incomplete = Incomplete::Refuse);

} // namespace colibri
