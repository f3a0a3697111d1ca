// SPDX-License-Identifier: Apache-2.0
#include "cli/refusals.h"

#include "cli/command.h"
#include "cli/help.h"

#include <algorithm>
#include <array>
#include <span>

namespace colibri::cli {
namespace {

/// What the design names and this version does not have yet.
constexpr std::string_view laterCommands[]{"check", "jitter", "trace", "conform"};
constexpr std::string_view laterOptions[]{"--active-experts", "--epsilon", "--expert", "--fail-on", "--mask",
    "--memory-budget", "--module", "--repack", "--sarif", "--stabilizer", "--threshold", "--trace", "--vary"};
struct Choice {
    std::string_view option;
    std::string_view value; ///< whole, or its beginning when it ends in a colon
};
constexpr Choice laterChoices[]{
    {"--load", "stream"}, {"--numerics", "fast"}, {"--numerics", "openblas"}, {"--routing", "trace:"}};

Error refused(std::string what, std::string why)
{
    return {Errc::Unsupported, std::move(what), {}, {}, std::move(why)};
}

std::string didYouMean(const std::string& name)
{
    return name.empty() ? std::string() : "; did you mean " + name + "?";
}

/// "run, logits and bench": the commands that take `option`; empty when none does.
std::string commandsWith(const std::string& option)
{
    std::vector<std::string> names;
    for (const Command& command : commands())
        if (std::ranges::count(optionsOf(command), option) > 0)
            names.emplace_back(command.name);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

} // namespace

bool isLaterChoice(std::string_view option, std::string_view value)
{
    return std::ranges::any_of(laterChoices, [&](const Choice& choice) {
        const bool open = choice.value.ends_with(':');
        return choice.option == option && (open ? value.starts_with(choice.value) : value == choice.value);
    });
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    // Three rows of the usual table: the current one and the two above it.
    std::array<std::vector<std::size_t>, 3> rows;
    rows.fill(std::vector<std::size_t>(b.size() + 1));
    for (std::size_t j = 0; j <= b.size(); ++j)
        rows[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::vector<std::size_t>& row = rows[i % 3];
        const std::vector<std::size_t>& above = rows[(i + 2) % 3];
        const std::vector<std::size_t>& twoAbove = rows[(i + 1) % 3];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], twoAbove[j - 2] + 1);
        }
    }
    return rows[a.size() % 3][b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& names)
{
    const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
    const auto distanceTo = [&](const std::string& other) { return editDistance(name, other); };
    const auto found = std::ranges::min_element(names, {}, distanceTo);
    return found == names.end() || distanceTo(*found) > limit ? std::string() : *found;
}

Error commandRefused(const std::string& name)
{
    if (name.starts_with('-'))
        return refused(name, "an option stands behind its command: colibri COMMAND MODEL " + name);
    if (std::ranges::find(laterCommands, name) != std::end(laterCommands))
        return refused(name, notAvailable);
    std::vector<std::string> known(std::begin(laterCommands), std::end(laterCommands));
    for (const Command& command : commands())
        known.emplace_back(command.name);
    const std::string hint = didYouMean(nearest(name, known));
    return refused(name, "no such command" + (hint.empty() ? "; colibri --help lists them" : hint));
}

Error argumentRefused(std::string_view command, const std::string& argument, const std::vector<std::string>& own)
{
    if (!argument.starts_with('-'))
        return refused(argument, "one argument too many for " + std::string(command));
    const std::string name = argument.substr(0, argument.find('='));
    if (std::ranges::find(laterOptions, name) != std::end(laterOptions))
        return refused(name, notAvailable);
    if (const std::string others = commandsWith(name); !others.empty())
        return refused(name, "not an option of " + std::string(command) + "; it belongs to " + others);
    std::vector<std::string> known(std::begin(laterOptions), std::end(laterOptions));
    known.insert(known.begin(), own.begin(), own.end());
    return refused(name, "no such option" + didYouMean(nearest(name, known)));
}

} // namespace colibri::cli
