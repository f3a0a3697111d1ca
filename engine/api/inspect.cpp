// SPDX-License-Identifier: Apache-2.0
#include "api/inspect.h"

#include "api/model_impl.h"
#include "format/metadata_list.h"
#include "model/architecture.h"

#include <algorithm>

namespace colibri {
namespace {

constexpr std::string_view architectureKeys[]{"general.architecture", "model_type", "architecture"};

std::string architectureOf(const ModelSource& source)
{
    for (const std::string_view key : architectureKeys)
        if (const JsonValue* value = source.config.find(key); value && value->string())
            return *value->string();
    return {};
}

} // namespace

Result<Inspection> inspectModel(
    const std::string& path, const OpenOptions& options, OpenProgress* progress, std::stop_token stop)
{
    auto source = readSource(path, options, stop, Incomplete::List);
    if (!source)
        return source.error();
    Inspection inspection{path, source->format, architectureOf(*source), filesOf(*source), source->tensors,
        listMetadata(*source), source->notes, {}, nullptr, std::nullopt};
    for (std::size_t i = 1; i < source->refusals.size(); ++i)
        inspection.notes.push_back(source->refusals[i].message());
    if (auto config = readConfig(*source))
        inspection.config = std::move(*config);
    else if (!source->refusals.empty()) // it would not run with all of its data either
        inspection.notes.push_back(config.error().message());
    auto model = openSource(path, std::move(*source), inspection.config, options, progress, std::move(stop));
    if (model) {
        inspection.model = std::move(*model);
        inspection.config = inspection.model->config();
        inspection.notes.assign(inspection.model->notes().begin(), inspection.model->notes().end());
    } else if (model.error().code == Errc::Cancelled) {
        return model.error();
    } else {
        inspection.refused = std::move(model.error());
    }
    return inspection;
}

} // namespace colibri
