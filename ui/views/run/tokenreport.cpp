// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/tokenreport.h"

#include "views/run/tokenglyphs.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace colibri {
namespace {

QString milliseconds(double ns)
{
    return QStringLiteral("%1 ms").arg(ns * 1e-6, 0, 'f', 2);
}

/// Higher logit first, then lower id; NaN behind everything.
bool routesBefore(const std::vector<float>& logits, int a, int b)
{
    const auto key = [&](int expert) {
        const float value = logits[static_cast<std::size_t>(expert)];
        return std::isnan(value) ? -std::numeric_limits<float>::infinity() : value;
    };
    return key(a) != key(b) ? key(a) > key(b) : a < b;
}

std::vector<TokenReport::Chosen> chosenOf(const RunRecord& record, std::uint32_t position, std::uint32_t layer)
{
    std::vector<TokenReport::Chosen> chosen;
    const auto experts = record.experts(position, layer);
    const auto weights = record.weights(position, layer);
    const std::uint32_t zeroed = record.zeroed(position, layer);
    for (std::size_t rank = 0; rank < experts.size(); ++rank) {
        if (experts[rank] != noExpert)
            chosen.push_back({experts[rank], weights[rank], (zeroed >> std::min<std::size_t>(rank, 31) & 1) != 0});
    }
    return chosen;
}

void addLogits(TokenReport& report, const RunStore& run)
{
    const RunRecord& record = *run.record();
    if (run.info().routing == RoutingSource::Table) {
        report.logitState = LogitState::FromTable;
        return;
    }
    report.logits.resize(record.shape().experts);
    const bool held = record.copyRouterLogits(
        static_cast<std::uint32_t>(report.position), static_cast<std::uint32_t>(report.layer), report.logits);
    report.logitState = held ? LogitState::Held : LogitState::NoLongerHeld;
    if (!held) {
        report.logits.clear();
        return;
    }
    for (const int expert : barOrder(report, BarOrder::ByValue)) {
        if (rankOf(report, expert) < 0) {
            report.firstRejected = expert;
            return;
        }
    }
}

/// Nine digits give back the same float.
QString exactText(float value)
{
    return QString::number(static_cast<double>(value), 'g', 9);
}

/// All experts where logits are held, else the chosen ones.
std::vector<int> listedExperts(const TokenReport& report, BarOrder order)
{
    if (report.logitState == LogitState::Held)
        return barOrder(report, order);
    std::vector<int> experts;
    for (const TokenReport::Chosen& chosen : report.chosen)
        experts.push_back(chosen.expert);
    return experts;
}

QString csvField(QString text)
{
    return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

} // namespace

QString logitText(float value)
{
    return QString::number(static_cast<double>(value), 'f', 4);
}
QString weightText(float value)
{
    return QString::number(static_cast<double>(value), 'f', 3);
}
QString bitsText(float value)
{
    return QStringLiteral("0x%1").arg(std::bit_cast<std::uint32_t>(value), 8, 16, QLatin1Char('0'));
}

TokenReport makeTokenReport(const RunStore& run, int position, int layer)
{
    TokenReport report;
    report.position = position;
    report.layer = layer;
    report.piece = run.piece(position);
    report.prompt = position < run.promptTokens();
    if (const TimingEvent* timing = run.timing(position))
        report.timing = *timing;
    report.margin = std::numeric_limits<float>::quiet_NaN();
    if (position >= run.routed())
        return report;
    const auto at = static_cast<std::uint32_t>(position);
    const auto in = static_cast<std::uint32_t>(layer);
    report.chosen = chosenOf(*run.record(), at, in);
    report.margin = run.record()->margin(at, in);
    addLogits(report, run);
    return report;
}

std::vector<int> barOrder(const TokenReport& report, BarOrder order)
{
    std::vector<int> experts(report.logits.size());
    std::iota(experts.begin(), experts.end(), 0);
    if (order == BarOrder::ByValue)
        std::sort(experts.begin(), experts.end(), [&](int a, int b) { return routesBefore(report.logits, a, b); });
    return experts;
}

int rankOf(const TokenReport& report, int expert)
{
    const auto found = std::find_if(report.chosen.begin(), report.chosen.end(),
        [expert](const TokenReport::Chosen& chosen) { return chosen.expert == expert; });
    return found == report.chosen.end() ? -1 : static_cast<int>(found - report.chosen.begin());
}

QString otherToken(const RunStore& other, int position)
{
    TokenReport there;
    there.piece = other.piece(position);
    return TokenReportText::tr("The other run has %1 here").arg(TokenReportText::token(there));
}

QString TokenReportText::token(const TokenReport& report)
{
    switch (lookOf(report.piece)) {
    case TokenLook::Text:
        return tr("\u201c%1\u201d").arg(shownOnOneLine(report.piece));
    case TokenLook::Special:
        return tr("%1 (special)").arg(shownText(report.piece));
    case TokenLook::Hex:
        return report.piece.partial ? tr("%1 (part of a character)").arg(shownText(report.piece))
            : report.piece.invalid  ? tr("%1 (no UTF-8)").arg(shownText(report.piece))
                                    : tr("%1 (control character)").arg(shownText(report.piece));
    case TokenLook::Continuation:
        return tr("%1 (end of the character before)").arg(hexBytes(report.piece.bytes));
    case TokenLook::Id:
        break;
    }
    return tr("id %1").arg(report.piece.id);
}

QString TokenReportText::place(const TokenReport& report)
{
    return report.prompt ? tr("%1 (prompt)").arg(report.position) : tr("%1 (answer)").arg(report.position);
}

QString TokenReportText::time(const TokenReport& report)
{
    if (!report.timing)
        return tr("not timed");
    const QString total = milliseconds(double(report.timing->totalNs));
    return report.timing->tokens == 1
        ? total
        : tr("%1 (step of %n tokens)", nullptr, static_cast<int>(report.timing->tokens)).arg(total);
}

QString TokenReportText::stages(const TokenReport& report)
{
    if (!report.timing)
        return {};
    const TimingEvent& timing = *report.timing;
    const std::array<std::pair<QString, float>, 5> parts{
        {{tr("attention"), timing.attentionNs}, {tr("router"), timing.routerNs}, {tr("experts"), timing.expertsNs},
            {tr("head"), timing.headNs}, {tr("sampling"), timing.samplingNs}}};
    QStringList lines;
    for (const auto& [name, ns] : parts)
        lines += QStringLiteral("%1  %2").arg(name, milliseconds(double(ns)));
    return lines.join(u'\n');
}

QString TokenReportText::margin(const TokenReport& report)
{
    return std::isnan(report.margin) ? tr("none") : logitText(report.margin);
}

QString TokenReportText::experts(const TokenReport& report)
{
    if (report.logitState == LogitState::NotRouted)
        return tr("not routed yet");
    QStringList parts;
    for (const TokenReport::Chosen& chosen : report.chosen)
        parts += QStringLiteral("%1 (%2)").arg(chosen.expert).arg(weightText(chosen.weight));
    return parts.isEmpty() ? tr("none") : parts.join(QStringLiteral(", "));
}

QString TokenReportText::logitState(const TokenReport& report)
{
    switch (report.logitState) {
    case LogitState::Held:
        break;
    case LogitState::NotRouted:
        return tr("This token was not routed: a token goes through the layers when the next one is made.");
    case LogitState::NoLongerHeld:
        return tr("The router logits of this token are no longer held: newer ones took their place in memory.");
    case LogitState::FromTable:
        return tr("Routing came from the model's table, so there are no router logits.");
    }
    return {};
}

QString TokenReportText::summary(const TokenReport& report)
{
    QStringList lines{tr("Token %1: %2").arg(place(report), token(report)),
        tr("Id %1, bytes %2").arg(report.piece.id).arg(hexBytes(report.piece.bytes)), tr("Time %1").arg(time(report)),
        tr("Layer %1: experts %2").arg(report.layer).arg(experts(report))};
    if (!report.chosen.empty())
        lines += tr("Margin %1").arg(margin(report));
    if (std::any_of(report.chosen.begin(), report.chosen.end(), [](const auto& chosen) { return chosen.zeroed; }))
        lines += tr("The circuit breaker zeroed an output that was not finite.");
    return lines.join(u'\n');
}

QString TokenReportText::spoken(const TokenReport& report)
{
    return tr("Token %1, %2, layer %3, experts %4, margin %5")
        .arg(QString::number(report.position), token(report), QString::number(report.layer), experts(report),
            margin(report));
}

QString TokenReportText::plain(const TokenReport& report, BarOrder order)
{
    QStringList lines{summary(report), QString()};
    if (report.logitState != LogitState::Held)
        lines += logitState(report);
    for (const int expert : barOrder(report, order)) {
        const float value = report.logits[static_cast<std::size_t>(expert)];
        const int rank = rankOf(report, expert);
        QString note;
        if (rank >= 0)
            note = tr("  rank %1, weight %2")
                       .arg(rank)
                       .arg(weightText(report.chosen[static_cast<std::size_t>(rank)].weight));
        else if (expert == report.firstRejected)
            note = tr("  first rejected");
        lines += QStringLiteral("%1  %2  %3%4").arg(expert, 4).arg(logitText(value), 12).arg(bitsText(value), note);
    }
    return lines.join(u'\n');
}

QString TokenReportText::csv(const TokenReport& report, BarOrder order)
{
    // The header is for programs and stays untranslated.
    QStringList lines{
        QStringLiteral("position,token_id,token,layer,expert,rank,weight,router_logit,router_logit_bits")};
    for (const int expert : listedExperts(report, order)) {
        const int rank = rankOf(report, expert);
        QStringList fields{QString::number(report.position), QString::number(report.piece.id),
            csvField(shownOnOneLine(report.piece)), QString::number(report.layer), QString::number(expert)};
        fields += rank < 0
            ? QStringList{QString(), QString()}
            : QStringList{QString::number(rank), exactText(report.chosen[static_cast<std::size_t>(rank)].weight)};
        if (report.logitState == LogitState::Held) {
            const float value = report.logits[static_cast<std::size_t>(expert)];
            fields += {exactText(value), bitsText(value)};
        } else {
            fields += {QString(), QString()};
        }
        lines += fields.join(u',');
    }
    return lines.join(u'\n') + u'\n';
}

} // namespace colibri
