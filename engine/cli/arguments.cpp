// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include "cli/refusals.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace colibri::cli {

void addOption(CLI::App& app, const OptionText& text, Setter set)
{
    const bool positional = !text.names.starts_with('-');
    const std::string name = text.names.substr(text.names.rfind(',') + 1);
    const auto take = [set = std::move(set), name](const std::string& value) {
        const Result<void> taken = set(value);
        if (!taken)
            throw CLI::ValidationError(taken.error().what.empty() ? name : taken.error().what, taken.error().why);
    };
    CLI::Option* const option = app.add_option_function<std::string>(text.names, take, text.help);
    option->group(text.group)->option_text(positional ? std::string() : text.value);
}

void addFlag(CLI::App& app, const OptionText& text, bool& target)
{
    app.add_flag_callback(
           text.names, [&target] { target = true; }, text.help)
        ->group(text.group);
}

void addModel(CLI::App& app, std::string& path, const std::string& label)
{
    const auto set = [&path](const std::string& value) -> Result<void> {
        path = value;
        return {};
    };
    addOption(app,
        {label, label, "a GGUF file, a Hugging Face folder, a Colibri export folder, or the word demo", argumentGroup},
        set);
}

void addText(CLI::App& app, const OptionText& text, std::optional<std::string>& target)
{
    addOption(app, text, [&target](const std::string& value) -> Result<void> {
        target = value;
        return {};
    });
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

Error choiceRefused(const std::string& option, const std::string& value, const std::vector<std::string>& names)
{
    const std::string choice = option + " " + value;
    if (isLaterChoice(option, value))
        return {Errc::Unsupported, choice, {}, {}, notAvailable};
    return {Errc::OutOfRange, choice, {}, {}, "unknown; it is " + listed(names)};
}

} // namespace colibri::cli
