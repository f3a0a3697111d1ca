// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"

#include <QCoreApplication>
#include <QString>

#include <optional>
#include <vector>

namespace colibri {

/// Why a decision has no router logits to show.
enum class LogitState : std::uint8_t { Held, NotRouted, NoLongerHeld, FromTable };

/// Everything known of one token and its routing in one layer; plain values, so that what is shown, copied and tested
/// is the same.
struct TokenReport {
    struct Chosen {
        int expert = 0;
        float weight = 0;
        bool zeroed = false; ///< its output was not finite and counted as zero
    };

    int position = 0;
    int layer = 0;
    TokenPiece piece;
    bool prompt = false;
    std::optional<TimingEvent> timing; ///< empty: not computed yet, or its event was dropped
    std::vector<Chosen> chosen; ///< best first; empty when not routed yet
    float margin = 0; ///< NaN: none
    LogitState logitState = LogitState::NotRouted;
    std::vector<float> logits; ///< [experts] when held
    int firstRejected = -1; ///< best expert that was not chosen; -1: none, or logits not held
};

enum class BarOrder : std::uint8_t { ByExpert, ByValue };

/// `position` < run.tokens(), `layer` < layers of the record.
TokenReport makeTokenReport(const RunStore& run, int position, int layer);
/// Expert ids in the order of the bars: ascending, or by logit as routing orders (descending, then by id; NaN last).
std::vector<int> barOrder(const TokenReport& report, BarOrder order);
/// Place of an expert among the chosen; -1: not chosen.
int rankOf(const TokenReport& report, int expert);

/// What the report's fields read as, for the window and the clipboard.
class TokenReportText {
    Q_DECLARE_TR_FUNCTIONS(TokenReportText)

public:
    static QString token(const TokenReport& report); ///< quoted characters, a special token's name, bytes or an id
    static QString place(const TokenReport& report); ///< "12 (prompt)"
    static QString time(const TokenReport& report); ///< "21.4 ms" or that of its step
    static QString stages(const TokenReport& report); ///< where the time went, a line for each stage; empty: not timed
    static QString margin(const TokenReport& report);
    static QString experts(const TokenReport& report); ///< "12 (0.613), 3 (0.387)"
    static QString logitState(const TokenReport& report); ///< a sentence, empty when they are held
    static QString summary(const TokenReport& report); ///< a few lines, for a tool tip
    static QString spoken(const TokenReport& report); ///< one line, for assistive programs
    static QString plain(const TokenReport& report, BarOrder order); ///< everything, aligned, for the clipboard
    static QString csv(const TokenReport& report, BarOrder order); ///< a row for each expert, with a header
};

/// "The other run has a here"; `position` < other.tokens().
QString otherToken(const RunStore& other, int position);
QString logitText(float value); ///< four decimals
QString weightText(float value); ///< three decimals
QString bitsText(float value); ///< "0x3f800000"

} // namespace colibri
