// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <algorithm>

namespace colibri::cli {
namespace {

constexpr Command table[]{
    {"inspect", "MODEL [--json] [--raw ...]", "what is in a model: dimensions, rules, tensors, bytes",
        "Prints what the files say, and for every dimension and rule where it was read from: the configuration, a "
        "default of "
        "the model's family, an option, or the file sizes. Computes nothing and reads no weights. A model that cannot "
        "be "
        "run, because data are missing or its architecture is not known, is shown as far as it can be read, with exit "
        "code 0; with --json, \"runs\" is false then and \"refused\" says why.",
        "  colibri inspect demo\n"
        "  colibri inspect path/to/model --json | jq .parameters\n",
        configureInspect},
    {"run", "MODEL (-p TEXT | --prompt-file FILE | --tokens 1,2,3) [-n N] [--json] [sampling] [engine]",
        "continues a prompt, token by token",
        "The text goes to standard output as it is made, timings to standard error. A model without an output head "
        "(linear_moe) takes --tokens and prints one line for each: position, token id, its experts, and all output "
        "values.",
        "  colibri run demo -p \"In the beginning\" -n 40\n"
        "  colibri run demo -p - --temperature 0.8 --top-p 0.9 --seed 7 < prompt.txt\n"
        "  colibri run path/to/model --tokens 2047,80,12 -n 16 --json\n",
        configureRun},
    {"logits", "MODEL --tokens 1,2,3 --out DIR [engine]", "writes logits and routing of given tokens as raw arrays",
        "Writes to the folder DIR, little-endian, one row for each token: logits.f32 [n][vocab], router_logits.f32 "
        "[layers][n][experts], experts.u16 [layers][n][k] (best first, 65535 unused), expert_weights.f32 "
        "[layers][n][k], and "
        "shape.json, which says how they came about. DIR must not exist or be empty; it appears whole or not at all.",
        "  colibri logits demo --tokens 2047,80,12 --out here\n"
        "  cmp here/logits.f32 there/logits.f32\n",
        configureLogits},
    {"tokenize", "MODEL (-p TEXT | --prompt-file FILE) [--json]", "the token ids of a text",
        "Prints one line for each token: its id and its text. With the begin-of-text id in front where the model's "
        "documents "
        "start with one.",
        "  colibri tokenize demo -p \"Hello, world\"\n"
        "  colibri tokenize demo --prompt-file page.txt --json\n",
        configureTokenize},
    {"perplexity", "MODEL (--tokens-file FILE | --text-file FILE) [--window N] [--json] [engine]",
        "how well a model predicts a text",
        "Reads the text in windows, each on its own, and prints the mean loss of its tokens (natural logarithm) and "
        "the "
        "perplexity, which is its exponential.",
        "  colibri perplexity demo --text-file page.txt --window 256\n"
        "  colibri perplexity path/to/model --tokens-file ids.json --json\n",
        configurePerplexity},
    {"bench", "MODEL [--prompt-tokens N] [--gen-tokens N] [--repeat N] [--json] [engine]",
        "speed and memory of a model on this machine",
        "Opens and runs the model several times and prints medians with their spread, and beside the decode speed the "
        "share "
        "of the memory's read bandwidth that it uses, measured in the same run.",
        "  colibri bench demo\n"
        "  colibri bench path/to/model --prompt-tokens 512 --repeat 5 --json\n",
        configureBench},
    {"export", "SOURCE --out DIR [--dtype f32|f16|bf16|int8] [--router-table] [--text-file FILE] [--raw ...] [--json]",
        "writes a Colibri export of a model",
        "Writes SOURCE as a Colibri export to the folder DIR, which must not exist; it appears whole or not at all, "
        "with "
        "every checksum verified. Then the export is opened and reads the beginning of a text together with its "
        "source; how far routing, logits and loss agree is told. Ctrl-C while they are compared leaves the export, "
        "which is complete, and ends with exit code 130.",
        "  colibri export path/to/huggingface/folder --out model --dtype int8\n"
        "  colibri export path/to/model.gguf --out model --router-table --text-file book.txt --json\n"
        "  colibri inspect model\n",
        configureExport},
};

} // namespace

std::span<const Command> commands()
{
    return table;
}

const Command* commandNamed(std::string_view name)
{
    const auto found = std::ranges::find(table, name, &Command::name);
    return found == std::end(table) ? nullptr : found;
}

} // namespace colibri::cli
