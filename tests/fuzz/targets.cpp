// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets.h"

#include "format/gguf.h"
#include "format/metadata_list.h"
#include "format/readers.h"
#include "fuzz/runconfig.h"
#include "model/architecture.h"
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <cstdlib>

namespace colibri::test {
namespace {

const std::string file = "input";

/// What a reader lets through lies inside of the file; a fuzzer takes the abort for a crash.
void checkPlaces(std::span<const TensorInfo> tensors, std::size_t fileBytes)
{
    for (const TensorInfo& tensor : tensors)
        if (tensor.presence != Presence::Whole || tensor.missingBytes > 0 || tensor.offset > fileBytes
            || tensor.size > fileBytes - tensor.offset)
            std::abort();
}

/// When what is missing is listed, no more and no less is marked than lies beyond the end of the file.
void checkMarks(std::span<const TensorInfo> tensors, std::size_t fileBytes, bool anyMissing)
{
    bool cut = false;
    for (const TensorInfo& tensor : tensors) {
        const std::uint64_t there = tensor.offset > fileBytes ? 0 : fileBytes - tensor.offset;
        const bool whole = tensor.size <= there && tensor.offset <= fileBytes && (hasSize(tensor) || there > 0);
        const Presence presence = whole ? Presence::Whole : there > 0 ? Presence::Cut : Presence::Absent;
        if (tensor.presence != presence
            || tensor.missingBytes != tensor.size - std::min<std::uint64_t>(tensor.size, there))
            std::abort();
        cut |= presence != Presence::Whole;
    }
    if (cut != anyMissing)
        std::abort();
}

} // namespace

void fuzzGguf(std::span<const std::byte> bytes)
{
    ModelSource source;
    if (const auto listed = parseGguf(bytes, file, 0, source.notes, &source.refusals))
        checkMarks(listed->tensors, bytes.size(), !source.refusals.empty());
    source = {};
    auto head = parseGguf(bytes, file, 0, source.notes);
    if (!head)
        return;
    checkPlaces(head->tensors, bytes.size());
    for (const GgufEntry& entry : head->metadata)
        (void)describe(entry.value);
    source.format = "gguf";
    source.configFile = file;
    source.config = configOf(head->metadata);
    source.tensors = std::move(head->tensors);
    std::ranges::sort(source.tensors, {}, &TensorInfo::name);
    (void)readConfig(source);
}

void fuzzSafetensors(std::span<const std::byte> bytes)
{
    std::vector<std::string> notes;
    std::vector<Error> refusals;
    if (const auto tensors = parseSafetensors(bytes, file, 0, notes, &refusals))
        checkMarks(*tensors, bytes.size(), !refusals.empty());
    if (const auto tensors = parseSafetensors(bytes, file, 0, notes))
        checkPlaces(*tensors, bytes.size());
}

void fuzzConfig(std::span<const std::byte> bytes)
{
    auto root = parseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
    if (!root || !root->object())
        return;
    ModelSource source;
    source.configFile = file;
    source.config = *root;
    source.generationConfig = *root;
    for (const char* const format : {"huggingface", "colibri", "gguf"}) {
        source.format = format;
        if (const auto config = readConfig(source))
            runConfig(*config);
    }
    source.format = "huggingface";
    (void)listMetadata(source);
}

void fuzzTokenizer(std::span<const std::byte> bytes)
{
    const auto tokenizer = Tokenizer::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
    if (!tokenizer)
        return;
    for (const auto look : {AddedTokens::Look::All, AddedTokens::Look::NotSpecial, AddedTokens::Look::None}) {
        const auto ids = (*tokenizer)->encode("hello  hell\n<|end|> 12 \xC3\xA9\xE4\xB8\xAD ab", look);
        if (!ids)
            continue; // a pattern may give up
        for (const TokenId id : *ids)
            if (id >= (*tokenizer)->vocabularySize())
                std::abort();
        (void)(*tokenizer)->decode(*ids, look == AddedTokens::Look::All);
    }
}

} // namespace colibri::test
