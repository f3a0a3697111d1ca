// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/exportfacts.h"

#include <limits>

namespace colibri::test {

/// A plan like that of a model of 3 GiB whose own types an export cannot hold, unless `keeps`.
inline ExportPlanPtr samplePlan(bool keeps = true)
{
    auto plan = std::make_shared<ExportPlanFacts>();
    plan->source = QStringLiteral("/models/qwen3-30b-a3b-q4_k_m.gguf");
    plan->sourceBytes = 18'556'685'824;
    plan->sourceFiles = 1;
    plan->hasTokenizer = true;
    constexpr std::uint64_t dense[]{1'208'000'512, 6'174'015'488, 3'087'015'936, 3'087'015'936, 1'736'445'952};
    constexpr std::uint64_t experts[]{17'350'787'072, 115'964'116'992, 57'982'058'496, 57'982'058'496, 32'614'907'904};
    for (std::size_t choice = 0; choice < exportChoices.size(); ++choice) {
        ExportPlanFacts::Row& row = plan->rows[choice];
        row.plain = {dense[choice], experts[choice], dense[choice] + experts[choice] + 9'215'043, 6'148, {}, {}};
        row.withTable = row.plain;
        row.withTable.dense += 116'686'848;
        row.withTable.total += 116'686'848;
    }
    if (!keeps)
        plan->rows[0].plain.refusal = plan->rows[0].withTable.refusal =
            Error{Errc::Unsupported, "export tensor blk.0.attn_q.weight", plan->source.toStdString(), 5'947'648,
                "it is stored as iq2_xxs, an export of version 1 holds f32, f16, bf16 and int8"};
    return plan;
}

/// A report in which every figure has a value of its own.
inline std::shared_ptr<ExportReportFacts> sampleReport()
{
    auto report = std::make_shared<ExportReportFacts>();
    report->source = QStringLiteral("/models/qwen3-30b-a3b-q4_k_m.gguf");
    report->sourceBytes = 18'556'685'824;
    report->out = QStringLiteral("/exports/qwen3-30b-a3b-q4_k_m-export");
    report->dtype = DType::Int8;
    report->bytesWritten = 34'477'255'747;
    report->tensors = 18'867;
    report->experts = 6'144;
    report->seconds = 171.25;
    report->table = ExportTableFacts{false, 151'936, 231, 24'576, 21'013, 187, 1e-3};
    ExportAgreementFacts agreement;
    agreement.tokens = 256;
    agreement.decisions = 12'288;
    agreement.sameExperts = 12'201;
    agreement.firstDifference = ExportAgreementFacts::Difference{17, 3, 0.00214, QStringLiteral(" harbour")};
    agreement.maxRouterLogitDifference = 0.0371;
    agreement.maxLogitDifference = 0.2163;
    agreement.logitNmse = 4.37e-5;
    agreement.sameGreedy = 252;
    agreement.sourceLoss = 2.34117;
    agreement.exportLoss = 2.34398;
    report->agreement = agreement;
    report->notes = QStringList{QStringLiteral("Routers and norms are stored as f32, as in the source.")};
    return report;
}

} // namespace colibri::test
