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
    std::string id;
};

} // namespace colibri
