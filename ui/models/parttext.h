// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/modelfacts.h"
#include "stores/units.h"

#include <QString>

#include <string_view>

namespace colibri {

QString kindText(PartKind kind); ///< "Attention"
QString partText(const TensorPart& part); ///< "layer 3, attention", "layer 3, expert 7", "embedding"

/// A name out of a file as one line of bounded length: control characters and bytes that are no UTF-8 become U+FFFD,
/// what is too long ends in an ellipsis.
QString displayName(std::string_view name);
/// The same without what the tensor's layer and expert say already: "gate_proj.weight".
QString shortName(std::string_view name, const TensorPart& part);
/// A file's path, relative to the model where it lies inside of it.
QString fileText(const ModelFacts& model, std::uint32_t file);
QString shapeOf(const TensorInfo& tensor); ///< its shape; "unknown" where nothing but the name is known
/// Which bytes of a tensor are not there: "all", "12 of 64 bytes", "unknown"; empty where none are missing.
QString missingText(const TensorInfo& tensor);
QString shapeText(const std::vector<std::uint64_t>& shape); ///< "768 × 2048"; "scalar" for no dimension
QString exactShape(const std::vector<std::uint64_t>& shape); ///< "[768, 2048]"

QString alignmentText(std::uint64_t offset); ///< "64 B"; "4096+ B" from the limit of alignmentOf on

QString exactBytes(std::uint64_t bytes); ///< "221,248 bytes"
/// "1.2 GiB"; "\u2265 1.2 GiB" where some of the tensors do not tell their size, "unknown" where none does.
QString sizeText(const PartSum& sum);
QString exactSize(
    const PartSum& sum); ///< likewise: "221,248 bytes", "at least 221,248 bytes; tensors that do not tell: 3"
QString countText(std::uint64_t count); ///< "20.6 M"; below 10,000 all digits
QString groupedText(std::uint64_t number); ///< "221,248"
/// As sizeText() and exactSize(): the amount, "\u2265" and the amount, or "unknown".
QString parametersText(const PartSum& sum, QString (*amount)(std::uint64_t) = countText);
QString exactParameters(const PartSum& sum);

/// Where a rule's value is from, in words: "config key num_experts_per_tok".
QString originText(const RuleOrigin& rule);
/// What a rule decides, in a sentence; empty for one that is not known.
QString ruleMeaning(std::string_view rule);

} // namespace colibri
