// SPDX-License-Identifier: Apache-2.0
#include "cli/export_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace colibri::cli {
namespace {

/// null for what JSON has no number for.
Json finite(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double share(std::uint64_t part, std::uint64_t whole)
{
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : 1.0;
}

Json tableJson(const TableReport& table)
{
    return {{"exact", table.exact}, {"rows", table.rows}, {"rows_seen", table.rowsSeen},
        {"rows_unseen", table.rows - table.rowsSeen}, {"decisions", table.decisions}, {"reproduced", table.reproduced},
        {"near_ties", table.nearTies}, {"near_tie_margin", table.nearTie}};
}

Json agreementJson(const Agreement& agreement, double seconds)
{
    Json difference = nullptr;
    if (const auto& first = agreement.firstDifference)
        difference = {{"position", first->position}, {"moe_layer", first->layer}, {"margin", finite(first->margin)}};
    return {{"tokens", agreement.tokens}, {"window", agreement.window}, {"decisions", agreement.decisions},
        {"same_experts", agreement.sameExperts}, {"first_difference", difference},
        {"max_router_logit_difference", finite(agreement.maxRouterLogitDifference)},
        {"max_logit_difference", finite(agreement.maxLogitDifference)},
        {"rms_logit_difference", finite(agreement.rmsLogitDifference)}, {"logit_nmse", finite(agreement.logitNmse)},
        {"same_greedy", agreement.sameGreedy}, {"same_greedy_share", share(agreement.sameGreedy, agreement.tokens)},
        {"source_loss", finite(agreement.sourceLoss)}, {"export_loss", finite(agreement.exportLoss)},
        {"seconds", seconds}};
}

Json changesJson(const std::vector<TypeChange>& changes)
{
    Json list = Json::array();
    for (const TypeChange& change : changes)
        list.push_back({{"from", name(change.from)}, {"to", name(change.to)}, {"exact", change.exact},
            {"tensors", change.tensors}});
    return list;
}

/// One line for each type that could not be kept; --json lists all tensors.
std::string changesText(const std::vector<TypeChange>& changes)
{
    std::string text;
    for (const TypeChange& change : changes)
        text += fmt::format("  {} {} of {} stored as {}, {}: {}{}\n", change.tensors.size(),
            change.tensors.size() == 1 ? "tensor" : "tensors", name(change.from), name(change.to),
            change.exact ? "exactly" : "rounded", change.tensors.front(), change.tensors.size() > 1 ? ", ..." : "");
    return text;
}

std::string line(std::string_view label, const std::string& text)
{
    return fmt::format("{:<22}{}\n", label, text);
}

/// "310 of 320 (96.9 %)"
std::string partText(std::uint64_t part, std::uint64_t whole)
{
    return fmt::format("{} of {} ({:.2f} %)", part, whole, 100 * share(part, whole));
}

std::string tableText(const TableReport& table)
{
    return line("routing table", table.exact ? "exact" : "profile of a text")
        + line("  ids with own rows", partText(table.rowsSeen, table.rows))
        + line("  reproduced", partText(table.reproduced, table.decisions) + " decisions")
        + line("  near ties", fmt::format("{} with a margin below {}", table.nearTies, table.nearTie));
}

std::string agreementText(const Agreement& agreement)
{
    std::string text = line("compared", fmt::format("{} tokens", agreement.tokens))
        + line("  same experts", partText(agreement.sameExperts, agreement.decisions) + " decisions");
    if (const auto& first = agreement.firstDifference)
        text += line("  first difference",
            fmt::format("position {}, MoE layer {}, where the source's margin is {:.3g}", first->position, first->layer,
                first->margin));
    text += line("  router logits", fmt::format("differ by up to {:.3g}", agreement.maxRouterLogitDifference))
        + line("  outputs",
            fmt::format("differ by up to {:.3g}, RMS {:.3g}, NMSE {:.3g}", agreement.maxLogitDifference,
                agreement.rmsLogitDifference, agreement.logitNmse))
        + line("  same greedy choice", partText(agreement.sameGreedy, agreement.tokens));
    if (std::isfinite(agreement.sourceLoss))
        text += line(
            "  mean loss", fmt::format("source {:.6f}, export {:.6f}", agreement.sourceLoss, agreement.exportLoss));
    return text;
}

} // namespace

Json exportJson(const WrittenExport& written, const Model& source)
{
    const ExportReport& report = written.report;
    std::vector<std::string> notes(source.notes().begin(), source.notes().end());
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    return {{"source", written.source}, {"out", written.out},
        {"dtype", written.dtype ? Json(name(*written.dtype)) : Json(nullptr)}, {"bytes_written", report.bytesWritten},
        {"tensors", report.tensors}, {"experts", report.experts}, {"changed_types", changesJson(report.changes)},
        {"seconds", written.seconds}, {"router_table", report.table ? tableJson(*report.table) : Json(nullptr)},
        {"agreement", written.agreement ? agreementJson(*written.agreement, written.comparedSeconds) : Json(nullptr)},
        {"notes", std::move(notes)}, {"engine", engineJson(source)}};
}

std::string exportText(const WrittenExport& written)
{
    const ExportReport& report = written.report;
    std::string text = fmt::format("{}: {} in {} tensors and {} expert files, {:.2f} s\n", written.out,
                           sizeText(report.bytesWritten), report.tensors, report.experts, written.seconds)
        + changesText(report.changes);
    if (report.table)
        text += tableText(*report.table);
    if (written.agreement)
        text += agreementText(*written.agreement);
    for (const std::string& note : report.notes)
        text += "Note: " + note + "\n";
    return text;
}

} // namespace colibri::cli
