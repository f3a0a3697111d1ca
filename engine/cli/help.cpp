// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace colibri::cli {
namespace {

constexpr std::size_t pageWidth = 100;
constexpr std::size_t textColumn = 30;

/// `text` in lines of the page's width, those after the first indented to `column`.
std::string wrapped(std::string_view text, std::size_t column)
{
    std::string result;
    std::size_t used = column;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (used > column && used + 1 + word.size() > pageWidth) {
            result += "\n" + std::string(column, ' ');
            used = column;
        } else if (used > column) {
            result += ' ';
            ++used;
        }
        result += word;
        used += word.size();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

/// "-h, --help"
std::string callNames(const CLI::Option& option)
{
    std::string names = option.get_name(false, true);
    if (const std::size_t comma = names.find(','); comma != std::string::npos)
        names.insert(comma + 1, 1, ' ');
    return names;
}

std::string optionLine(const CLI::Option& option)
{
    std::string left = "  " + (option.get_positional() ? option.get_name(true) : callNames(option));
    if (!option.get_positional() && !option.get_option_text().empty())
        left += " " + option.get_option_text();
    if (left.size() + 2 > textColumn)
        left += "\n" + std::string(textColumn, ' ');
    else
        left.resize(textColumn, ' ');
    return left + wrapped(option.get_description(), textColumn) + "\n";
}

std::string groupText(const CLI::App& app, const std::string& group)
{
    std::string text;
    for (const CLI::Option* option : app.get_options())
        if (option->get_group() == group)
            text += optionLine(*option);
    return text.empty() ? text : "\n" + group + ":\n" + text;
}

} // namespace

std::string programHelp()
{
    std::string text =
        "colibri: looks inside mixture-of-experts language models while they run.\n\n"
        "Usage: colibri COMMAND MODEL [OPTIONS]\n\n"
        "MODEL is a GGUF file (the first part of a split), a Hugging Face folder (config.json and safetensors),\n"
        "a Colibri export folder, or the word demo for the small model that comes with the program.\n\nCommands:\n";
    for (const Command& command : commands())
        text += fmt::format("  {:<12}{}\n", command.name, command.summary);
    text += "\nOptions:\n"
            "  -h, --help  this page; colibri COMMAND --help tells all about a command\n"
            "  --version   the version\n\n"
            "Examples:\n"
            "  colibri run demo -p \"Once upon a time\"\n"
            "  colibri inspect path/to/model\n"
            "  colibri run path/to/model -p - -n 64 --json < prompt.txt\n\n"
            "Results go to standard output, progress and timings to standard error. Exit codes: 0 done, 2 failed with\n"
            "one line that says what, where and why, 130 ended by Ctrl-C (results so far are kept).\n";
    return text;
}

std::string commandHelp(const Command& command, const CLI::App& app)
{
    std::string text = fmt::format("colibri {}: {}\n\nUsage: colibri {} {}\n\n{}\n", command.name, command.summary,
        command.name, wrapped(command.arguments, 15 + command.name.size() + 1), wrapped(command.description, 0));
    text += groupText(app, argumentGroup);
    for (const std::string& group : app.get_groups())
        if (group != argumentGroup)
            text += groupText(app, group);
    return text + fmt::format("\nExamples:\n{}", command.examples);
}

std::vector<std::string> optionsOf(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_snames())
            names.push_back("-" + name);
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

std::vector<std::string> optionsOf(const Command& command)
{
    CLI::App app;
    const Action unused = command.configure(app);
    return optionsOf(app);
}

} // namespace colibri::cli
