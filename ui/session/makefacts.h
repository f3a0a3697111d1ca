// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/inspect.h"
#include "stores/modelfacts.h"

namespace colibri {

/// Copies what the window shows out of a model. Takes milliseconds for large vocabularies: not on the GUI thread.
ModelFactsPtr makeFacts(const Model& model);
ModelFactsPtr makeFacts(const Inspection& inspection);

} // namespace colibri
