// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/makefacts.h"

namespace colibri {

ModelFactsPtr makeFacts(const Model& model)
{
    auto facts = std::make_shared<ModelFacts>();
    facts->path = model.path();
    facts->format = model.format();
    facts->architecture = name(model.config().architecture);
    facts->id = model.id();
    facts->config = model.config();
    facts->parameters = model.parameters();
    facts->activeParameters = model.activeParameters();
    facts->mappedBytes = model.memory().mappedBytes;
    facts->copiedBytes = model.memory().copiedBytes;
    facts->files.assign(model.files().begin(), model.files().end());
    facts->tensors.assign(model.tensors().begin(), model.tensors().end());
    facts->parts = partsOf(facts->tensors);
    facts->metadata.assign(model.metadata().begin(), model.metadata().end());
    facts->notes.assign(model.notes().begin(), model.notes().end());
    facts->hasTable = model.hasTable();
    facts->hasRouter = model.hasRouter();
    facts->hasTokenizer = model.hasTokenizer();
    for (TokenId id = 0; facts->hasTokenizer && id < facts->config.vocabSize; ++id) {
        facts->tokenBytes.emplace_back(model.tokenBytes(id));
        facts->specialToken.push_back(model.isSpecialToken(id));
        if (model.textRules().byteFallback)
            facts->byteToken.push_back(model.isByteToken(id));
    }
    facts->textRules = model.textRules();
    return facts;
}

ModelFactsPtr makeFacts(const Inspection& inspection)
{
    if (inspection.model)
        return makeFacts(*inspection.model);
    auto facts = std::make_shared<ModelFacts>();
    facts->path = inspection.path;
    facts->format = inspection.format;
    facts->architecture = inspection.architecture;
    facts->refused = inspection.refused;
    facts->understood = inspection.config.has_value();
    facts->config = inspection.config.value_or(ModelConfig{});
    facts->files = inspection.files;
    facts->tensors = inspection.tensors;
    facts->parts = partsOf(facts->tensors);
    for (const TensorInfo& tensor : facts->tensors)
        facts->parameters += elementsOf(tensor);
    facts->metadata = inspection.metadata;
    facts->notes = inspection.notes;
    return facts;
}

} // namespace colibri
