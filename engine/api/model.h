// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types/engine_options.h"
#include "types/metadata_entry.h"
#include "types/model_config.h"
#include "types/open_progress.h"
#include "types/raw_options.h"
#include "types/result.h"
#include "types/tensor_info.h"
#include "types/text_rules.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace colibri {

struct OpenOptions {
    LoadMode load = LoadMode::Auto;
    std::optional<RawOptions> raw; ///< given: the folder is read as a raw export
};

/// Bytes of an opened model. Mapped: read-only mappings of files. Copied: weights that had to be aligned.
struct ModelMemory {
    std::uint64_t mappedBytes = 0;
    std::uint64_t copiedBytes = 0;
};

/// An opened model. Immutable: any thread may use it at any time, and many sessions share one.
class Model {
public:
    struct Impl;
    explicit Model(std::unique_ptr<const Impl> impl);
    ~Model();

    const std::string& path() const; ///< as it was given to openModel
    std::string_view format() const; ///< "huggingface", "colibri", "raw", "gguf"
    const ModelConfig& config() const;
    std::span<const FileInfo> files() const;
    std::span<const TensorInfo> tensors() const;
    std::span<const MetadataEntry> metadata() const; ///< all keys, in the order of the files
    std::span<const std::string> notes() const; ///< what was suspicious or not understood, one sentence each
    const std::string& id() const; ///< XXH64 of configuration and tensors used, 16 hex digits
    std::uint64_t parameters() const; ///< all weights
    std::uint64_t activeParameters() const; ///< those that one token uses
    ModelMemory memory() const;
    bool hasTable() const; ///< a static routing table came with it
    bool hasRouterLogits() const; ///< quantized router logits that such a table was made from came with it
    bool hasRouter() const; ///< a live router can decide

    bool hasTokenizer() const;
    /// Ids of `text`; with the leading begin-of-text id where the model's documents start with one.
    /// Fails when there is no tokenizer.
    Result<std::vector<TokenId>> tokenize(std::string_view text) const;
    /// The bytes an id stands for; may be a part of a UTF-8 character. Empty for an unknown id. Special tokens give the
    /// name they have in the vocabulary.
    std::string_view tokenBytes(TokenId id) const;
    bool isSpecialToken(TokenId id) const;
    bool isByteToken(TokenId id) const; ///< a byte by fallback, see TextRules
    const TextRules& textRules() const; ///< by which texts are made of tokens; the usual ones without a tokenizer
    /// The text of ids, special tokens left out; bytes that are no UTF-8 become U+FFFD, as Hugging Face does.
    std::string detokenize(std::span<const TokenId> ids) const;

    /// Whether one of its mapped files shrank or failed since it was opened; names it.
    Result<void> checkMappings() const;

    const Impl& impl() const { return *m_impl; } ///< for engine/api only

private:
    std::unique_ptr<const Impl> m_impl;
};
using ModelPtr = std::shared_ptr<const Model>;

/// Opens a GGUF file (of a split the first part), a Colibri export folder, a raw export or a Hugging Face folder (also
/// by the path of its config.json), or the word "demo". Blocking: call it off the GUI thread. `progress` may be null.
/// Stopping gives Errc::Cancelled.
Result<ModelPtr> openModel(const std::string& path, const OpenOptions& options = {}, OpenProgress* progress = nullptr,
    std::stop_token stop = {});

/// Where the bundled demo model lies: $COLIBRI_DATA/demo, else the installed data folder beside the program, else the
/// source tree it was built from. Empty when none exists.
std::string demoModelPath();

} // namespace colibri
