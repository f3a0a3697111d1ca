// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/model.h"
#include "model/loaded_model.h"
#include "tokenizer/tokenizer.h"

namespace colibri {

/// What a Model holds; for the files of engine/api only.
struct Model::Impl {
    std::string path;
    std::unique_ptr<const LoadedModel> loaded;
    std::shared_ptr<const Tokenizer> tokenizer; ///< null: none
    std::optional<Error> tokenizerRefused; ///< why there is none although the model brings one
    std::vector<FileInfo> files;
    std::vector<MetadataEntry> metadata;
    std::string id;
};

/// The first half of openModel: what is in the files. With `List`, what is missing or damaged of them is listed.
Result<ModelSource> readSource(const std::string& path, const OpenOptions& options, std::stop_token stop,
    Incomplete incomplete = Incomplete::Refuse);
/// The other half: makes a model of it. `config` is what readConfig made of the source; empty: it is read here.
Result<ModelPtr> openSource(const std::string& path, ModelSource source, std::optional<ModelConfig> config,
    const OpenOptions& options, OpenProgress* progress, std::stop_token stop);

/// The files of a source, in its order.
std::vector<FileInfo> filesOf(const ModelSource& source);

} // namespace colibri
