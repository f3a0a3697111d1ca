// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/engine_options.h"
#include "types/result.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace CLI {
class App;
}

namespace colibri::cli {

inline constexpr const char* argumentGroup = "Arguments"; ///< of positional ones

/// How an option is called and described.
struct OptionText {
    std::string names; ///< "-n" or "-p,--prompt"
    std::string value; ///< what stands for its value in the help: "N"; for positional ones unused
    std::string help;
    std::string group = "Options";
};

/// Takes the text of a value. An error's `what` may be left empty: the option's name is put there.
using Setter = std::function<Result<void>(const std::string& value)>;

/// An option with one value. Names without a dash make it positional.
void addOption(CLI::App& app, const OptionText& text, Setter set);
void addFlag(CLI::App& app, const OptionText& text, bool& target);
/// The positional MODEL (or SOURCE).
void addModel(CLI::App& app, std::string& path, const std::string& label = "MODEL");
void addText(CLI::App& app, const OptionText& text, std::optional<std::string>& target);

/// "a, b or c"
std::string listed(const std::vector<std::string>& names);
/// Refuses `value` of a choice: names that later versions have are told from unknown ones.
Error choiceRefused(const std::string& option, const std::string& value, const std::vector<std::string>& names);

/// The number in as few digits as it needs.
template <class T>
std::string shortText(T number)
{
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// A number within [lowest, highest]; nothing but the number may stand in the text.
template <class T>
Result<T> numberFrom(const std::string& text, T lowest, T highest)
{
    T value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc{} && end == text.data() + text.size();
    if (whole && value >= lowest && value <= highest) // false for NaN
        return value;
    const std::string range = highest >= std::numeric_limits<T>::max()
        ? "of at least " + shortText(lowest)
        : "from " + shortText(lowest) + " to " + shortText(highest);
    return Error{Errc::OutOfRange, {}, {}, {},
        "\"" + text + "\" is no " + (std::integral<T> ? "whole " : "") + "number " + range};
}

/// Target is a number or an optional one.
template <class T, class Target>
void addNumber(
    CLI::App& app, const OptionText& text, Target& target, T lowest, T highest = std::numeric_limits<T>::max())
{
    addOption(app, text, [&target, lowest, highest](const std::string& value) -> Result<void> {
        const Result<T> number = numberFrom<T>(value, lowest, highest);
        if (!number)
            return number.error();
        target = *number;
        return {};
    });
}

/// One of the names that `T` (an enum of types/engine_options.h) has; Target is T or optional<T>.
template <class T, class Target>
void addChoice(CLI::App& app, const OptionText& text, Target& target)
{
    addOption(app, text, [&target, option = text.names](const std::string& value) -> Result<void> {
        const std::optional<T> choice = optionNamed<T>(value);
        if (!choice)
            return choiceRefused(option, value, optionNames<T>());
        target = *choice;
        return {};
    });
}

} // namespace colibri::cli
