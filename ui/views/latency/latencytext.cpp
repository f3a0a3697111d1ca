// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latencytext.h"

#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Latency)
};

} // namespace

QString stageName(Stage stage)
{
    const std::array<QString, stageCount> names{Words::tr("Attention"), Words::tr("Router"), Words::tr("Experts"),
        Words::tr("Head"), Words::tr("Sampling"), Words::tr("Other"), Words::tr("Waiting")};
    return names[std::size_t(stage)];
}

QString phaseName(Phase phase)
{
    return phase == Phase::Decode ? Words::tr("Decode") : Words::tr("Prefill");
}

QString noStepText(ShownPhase phase)
{
    const std::array<QString, 3> texts{
        Words::tr(
            "No step of the answer yet: its first token comes with the prompt, whose steps Prefill shows. The next "
            "token is the first step that is seen here."),
        Words::tr("No step of the prompt was recorded."), Words::tr("No step yet.")};
    return texts[std::size_t(phase)];
}

QString pausesText(const LatencyStats& stats)
{
    return Words::tr("pauses (%1, %2 s in all) are not counted as waiting")
        .arg(stats.pauses())
        .arg(threeDigits(double(stats.pausedNs()) * 1e-9));
}

QBrush stageBrush(Stage stage, ColorScheme scheme)
{
    // In each theme the same hues, at least 3:1 on the ground: a stage is not an expert, and has no colour of one.
    static constexpr std::array<std::array<QRgb, std::size_t(Stage::Other)>, 2> colors{{
        {0xff2f7fc8, 0xffb5730f, 0xff1a9c80, 0xffc0557f, 0xff7f6bd0},
        {0xff4a9fe0, 0xffd9963a, 0xff2aa88f, 0xffd0739a, 0xffa08fe8},
    }};
    if (stage < Stage::Other)
        return QColor::fromRgb(colors[std::size_t(scheme)][std::size_t(stage)]);
    const QColor muted = QColor::fromRgb(themeColors(scheme).mutedText);
    return stage == Stage::Other ? QBrush(muted) : QBrush(muted, Qt::BDiagPattern);
}

QString threeDigits(double value)
{
    const double size = std::abs(value);
    const int decimals = size > 0 ? std::clamp(2 - int(std::floor(std::log10(size))), 0, 4) : 0;
    return QString::number(value, 'f', decimals);
}

QString milliseconds(double ms)
{
    return Words::tr("%1 ms").arg(threeDigits(ms));
}

QString stepText(
    const std::vector<TimingEvent>& events, std::size_t index, std::size_t folded, bool waiting, Pauses pauses)
{
    const TimingEvent& event = events[index];
    const auto stages = tokenStagesMs(events, index, pauses);
    QStringList lines;
    const QString total = milliseconds(double(event.totalNs) * 1e-6);
    if (event.tokens == 1)
        lines << Words::tr("Token %1: %2").arg(event.position).arg(total);
    else
        lines << Words::tr("Tokens %1 to %2: %3, %4 a token")
                     .arg(event.position)
                     .arg(event.position + event.tokens - 1)
                     .arg(total, milliseconds(double(event.totalNs) * 1e-6 / std::max(1u, event.tokens)));
    if (folded > 1)
        lines.first() += Words::tr(", slowest of %n steps", nullptr, int(folded));
    const std::size_t count = waiting ? stageCount : std::size_t(Stage::Waiting);
    for (std::size_t stage = 0; stage < count; ++stage) {
        if (stages[stage] > 0)
            lines << QStringLiteral("%1 %2").arg(stageName(Stage(stage)), -12).arg(milliseconds(stages[stage]), 9);
    }
    const auto gap = waiting && index > 0 ? gapBetween(events[index - 1], event, pauses) : std::nullopt;
    if (gap && gap->paused)
        lines << Words::tr("%1 %2, before it")
                     .arg(Words::tr("Paused"), -12)
                     .arg(milliseconds(double(gap->pausedNs) * 1e-6), 9);
    return lines.join(u'\n');
}

} // namespace colibri
