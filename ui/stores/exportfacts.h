// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "types/dtype.h"
#include "types/result.h"

#include <QString>
#include <QStringList>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace colibri {

/// How the matrices of an export can be stored; empty: as in the source.
inline constexpr std::array<std::optional<DType>, 5> exportChoices{
    std::nullopt, DType::F32, DType::F16, DType::BF16, DType::Int8};

/// What an export would come to, or why it cannot be made.
struct ExportSizeFacts {
    std::uint64_t dense = 0; ///< bytes of dense.bin
    std::uint64_t experts = 0; ///< bytes of all expert files
    std::uint64_t total = 0; ///< bytes of all files
    std::uint32_t files = 0;
    QStringList changes; ///< types that cannot be kept and what becomes of them, one sentence each
    std::optional<Error> refusal; ///< given: the rest is 0
};

/// What is known before an export of one model begins. Nothing of it is estimated.
struct ExportPlanFacts {
    QString source; ///< path of the model
    std::uint64_t sourceBytes = 0; ///< of its files
    std::uint32_t sourceFiles = 0;
    /// How a routing table would come about: counted over a text, without one because the routing depends on the token
    /// alone, or it is the source's own, which has no router.
    enum class Table { Profiled, Exact, Kept };
    Table table = Table::Profiled;
    bool hasTokenizer = false; ///< texts can be read
    struct Row {
        ExportSizeFacts plain;
        ExportSizeFacts withTable; ///< config.json lists some of its rows, whose lengths are known once they are made
    };
    std::array<Row, exportChoices.size()> rows; ///< as exportChoices
};
using ExportPlanPtr = std::shared_ptr<const ExportPlanFacts>;

/// What the user asks for.
struct ExportSpec {
    enum class Text { BuiltIn, Own, File };

    QString out; ///< absolute path of the folder to write
    std::optional<DType> dtype; ///< empty: as in the source
    bool table = false;
    Text profile = Text::BuiltIn; ///< what the table is made over
    QString ownText;
    QString textFile;
    int checkTokens = 0; ///< that the export is compared with its source over; 0: it is not compared
};

/// How the routing table of an export came about. Means the same as TableReport of the engine.
struct ExportTableFacts {
    bool exact = false; ///< the routing depends on the token alone
    std::uint64_t rows = 0; ///< token ids
    std::uint64_t rowsSeen = 0; ///< that the text has
    std::uint64_t decisions = 0; ///< of tokens and layers
    std::uint64_t reproduced = 0; ///< that the table decides alike
    std::uint64_t nearTies = 0;
    double nearTie = 0; ///< a margin below it is one
};

/// How far an export agrees with its source.
struct ExportAgreementFacts {
    struct Difference {
        std::uint32_t position = 0;
        std::uint32_t layer = 0; ///< of those with experts, from 0
        double margin = 0; ///< of the source's decision
        QString token; ///< as text; empty: not known
    };
    std::uint64_t tokens = 0;
    std::uint64_t decisions = 0;
    std::uint64_t sameExperts = 0;
    std::optional<Difference> firstDifference;
    double maxRouterLogitDifference = 0; ///< 0 without routers
    double maxLogitDifference = 0;
    double logitNmse = 0;
    std::uint64_t sameGreedy = 0; ///< tokens with the same likeliest next token
    double sourceLoss = 0; ///< mean, nats a token; NaN: it has none
    double exportLoss = 0;
};

/// What came of an export.
struct ExportReportFacts {
    QString source;
    std::uint64_t sourceBytes = 0;
    QString out;
    std::optional<DType> dtype;
    std::uint64_t bytesWritten = 0;
    std::uint32_t tensors = 0;
    std::uint32_t experts = 0; ///< files of experts
    double seconds = 0; ///< of writing
    std::optional<ExportTableFacts> table; ///< empty: none was asked for
    std::optional<ExportAgreementFacts> agreement;
    QString agreementNote; ///< why there is no agreement
    QStringList notes;
};
using ExportReportPtr = std::shared_ptr<const ExportReportFacts>;

} // namespace colibri
