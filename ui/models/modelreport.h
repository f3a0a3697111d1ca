// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/celltable.h"
#include "stores/modelfacts.h"

namespace colibri {

/// What is known of a model as a whole: property, value.
CellRows overviewRows(const ModelFacts& model);
/// Dimensions that are not 0: dimension, value, where it is from in words.
CellRows dimensionRows(const ModelFacts& model);
/// Kinds of parts that have tensors, then all of them: kind, tensors, parameters, bytes, share of the bytes as a bar.
CellRows kindRows(const ModelFacts& model);
/// Types of elements that are used: type, tensors, parameters, bytes, share of the bytes as a bar.
CellRows typeRows(const ModelFacts& model);
/// Files: name, bytes, tensors, bytes of its tensors.
CellRows fileRows(const ModelFacts& model);
/// Rules and dimensions as they were read: rule, value, where it is from, what it decides.
CellRows ruleRows(const ModelFacts& model);
/// Key, value, type, file and offset of the metadata whose key or value has all words of `filter`, in either case.
CellRows metadataRows(const ModelFacts& model, const QString& filter);

} // namespace colibri
