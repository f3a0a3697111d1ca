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

/// The two halves of openModel: what is in the files, and what makes a model of it.
Result<ModelSource> readSource(const std::string& path, const OpenOptions& options, std::stop_token stop,
    Incomplete incomplete = Incomplete::Refuse);
std::vector<FileInfo> filesOf(const ModelSource& source);
Result<ModelPtr> openSource(const std::string& path, ModelSource source, const OpenOptions& options,
    OpenProgress* progress, std::stop_token stop);

} // namespace colibri
