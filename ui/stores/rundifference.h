// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "stores/runstore.h"

#include <optional>

namespace colibri {

/// Whether both have a token at `position` and not the same.
bool differentTokens(const RunStore& a, const RunStore& b, int position);

/// Where two runs part. Grows with them: extend() looks at what is new only.
class RunDifference {
public:
    struct Decision {
        int token = 0; ///< position
        int layer = 0;

        bool operator==(const Decision&) const = default;
    };

    /// The first position at which the ids differ; empty: none so far.
    std::optional<int> token() const { return m_token; }
    /// The first decision, by position and then layer, that chose another set of experts; empty: none so far, or the
    /// runs cannot be compared. The order of the experts does not count.
    std::optional<Decision> decision() const { return m_decision; }
    bool comparable() const { return m_comparable; } ///< layers, experts and k are the same
    int comparedTokens() const { return m_tokens; } ///< positions that both have

    void restart(const RunStore& a, const RunStore& b);
    void extend(const RunStore& a, const RunStore& b);

private:
    std::optional<int> m_token;
    std::optional<Decision> m_decision;
    bool m_comparable = false;
    int m_tokens = 0;
    int m_decided = 0; ///< positions whose decisions were compared
};

} // namespace colibri
