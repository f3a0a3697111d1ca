// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_json.h"
#include "cli/staged_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace colibri::cli {
namespace {

struct LogitsArguments {
    std::string model;
    std::optional<std::string> tokens;
    std::optional<std::string> out;
    EngineArguments engine;
};

/// The arrays of a folder, written as they are computed: what is kept in memory does not grow with their sizes.
class ArrayWriter {
public:
    /// `tokens`: rows that will come. Router logits are left out when `routed` is false (a model without a router).
    static Result<ArrayWriter> create(
        const StagedFolder& folder, const RunRecord::Shape& shape, std::uint32_t tokens, bool routed);

    Result<void> writeRows(std::uint32_t position, std::span<const float> rows, std::uint32_t width)
    {
        return m_logits.write(std::uint64_t{position} * width * sizeof(float), std::as_bytes(rows));
    }
    /// Writes what the record has published since the last call.
    Result<void> writeRouting(const RunRecord& record);

private:
    ArrayWriter(OutputFile logits, OutputFile experts, OutputFile weights, std::optional<OutputFile> router,
        const RunRecord::Shape& shape, std::uint32_t tokens)
        : m_logits(std::move(logits))
        , m_experts(std::move(experts))
        , m_weights(std::move(weights))
        , m_router(std::move(router))
        , m_shape(shape)
        , m_tokens(tokens)
        , m_row(shape.experts)
    {
    }
    Result<void> writePlace(const RunRecord& record, std::uint32_t position, std::uint32_t layer);

    OutputFile m_logits;
    OutputFile m_experts;
    OutputFile m_weights;
    std::optional<OutputFile> m_router;
    RunRecord::Shape m_shape;
    std::uint32_t m_tokens;
    std::uint32_t m_written = 0; ///< positions whose routing is in the files
    std::vector<float> m_row;
};

Result<ArrayWriter> ArrayWriter::create(
    const StagedFolder& folder, const RunRecord::Shape& shape, std::uint32_t tokens, bool routed)
{
    Result<OutputFile> logits = OutputFile::create(folder.file("logits.f32"));
    if (!logits)
        return logits.error();
    Result<OutputFile> experts = OutputFile::create(folder.file("experts.u16"));
    if (!experts)
        return experts.error();
    Result<OutputFile> weights = OutputFile::create(folder.file("expert_weights.f32"));
    if (!weights)
        return weights.error();
    std::optional<OutputFile> router;
    if (routed) {
        Result<OutputFile> file = OutputFile::create(folder.file("router_logits.f32"));
        if (!file)
            return file.error();
        router.emplace(std::move(*file));
    }
    return ArrayWriter(std::move(*logits), std::move(*experts), std::move(*weights), std::move(router), shape, tokens);
}

Result<void> ArrayWriter::writePlace(const RunRecord& record, std::uint32_t position, std::uint32_t layer)
{
    const std::uint64_t row = std::uint64_t{layer} * m_tokens + position;
    const std::uint64_t ranks = row * m_shape.k;
    if (Result<void> written =
            m_experts.write(ranks * sizeof(std::uint16_t), std::as_bytes(record.experts(position, layer)));
        !written)
        return written;
    if (Result<void> written = m_weights.write(ranks * sizeof(float), std::as_bytes(record.weights(position, layer)));
        !written)
        return written;
    if (!m_router)
        return {};
    if (!record.copyRouterLogits(position, layer, m_row))
        return Error{Errc::OutOfMemory, "keep the router logits", {}, {},
            fmt::format("those of position {} were overwritten before they could be written; a smaller --batch helps",
                position)};
    return m_router->write(row * m_shape.experts * sizeof(float), std::as_bytes(std::span<const float>(m_row)));
}

Result<void> ArrayWriter::writeRouting(const RunRecord& record)
{
    for (const std::uint32_t end = std::min(record.routed(), m_tokens); m_written < end; ++m_written)
        for (std::uint32_t layer = 0; layer < m_shape.layers; ++layer)
            if (Result<void> written = writePlace(record, m_written, layer); !written)
                return written;
    return {};
}

Json arrayJson(const char* dtype, std::vector<std::uint64_t> shape)
{
    return {{"dtype", dtype}, {"shape", std::move(shape)}};
}

Json shapeJson(const Session& session, const std::vector<TokenId>& ids, const RunRecord& record, bool routed)
{
    const ModelConfig& config = session.model()->config();
    const RunRecord::Shape& shape = record.shape();
    const std::uint64_t n = ids.size();
    Json arrays{{"logits.f32", arrayJson("f32", {n, config.outputSize})}};
    if (routed)
        arrays["router_logits.f32"] = arrayJson("f32", {shape.layers, n, shape.experts});
    arrays["experts.u16"] = arrayJson("u16", {shape.layers, n, shape.k});
    arrays["expert_weights.f32"] = arrayJson("f32", {shape.layers, n, shape.k});
    return {{"model", session.model()->path()}, {"n", n}, {"vocab", config.outputSize}, {"moe_layers", shape.layers},
        {"experts", shape.experts}, {"k", shape.k}, {"token_ids", ids}, {"arrays", arrays},
        {"breaker_events", record.breakerEvents()}, {"engine", engineJson(session.info())}};
}

Result<void> writeShape(const StagedFolder& folder, const Json& shape)
{
    const std::string text = shape.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    Result<OutputFile> file = OutputFile::create(folder.file("shape.json"));
    if (!file)
        return file.error();
    return file->write(0, std::as_bytes(std::span(text)));
}

/// Evaluates all ids into `folder`.
Result<void> writeArrays(
    Session& session, const std::vector<TokenId>& ids, const StagedFolder& folder, std::stop_token stop)
{
    const std::shared_ptr<RunRecord> record = session.makeRecord();
    const bool routed = session.model()->hasRouter();
    const std::uint32_t width = session.model()->config().outputSize;
    Result<ArrayWriter> arrays =
        ArrayWriter::create(folder, record->shape(), static_cast<std::uint32_t>(ids.size()), routed);
    if (!arrays)
        return arrays.error();
    Result<void> written;
    const auto take = [&](std::uint32_t position, std::uint32_t, std::span<const float> rows) {
        written = arrays->writeRows(position, rows, width);
        if (written)
            written = arrays->writeRouting(*record);
        return static_cast<bool>(written);
    };
    Result<void> evaluated;
    {
        const ProgressLine line(
            [&] { return percentText("computing", record->routed(), static_cast<double>(ids.size())); });
        evaluated = session.evaluate(ids, record, stop, take);
    }
    if (!written)
        return written;
    if (!evaluated)
        return evaluated;
    if (written = arrays->writeRouting(*record); !written)
        return written;
    return writeShape(folder, shapeJson(session, ids, *record, routed));
}

Result<int> logits(const LogitsArguments& arguments, std::stop_token stop)
{
    if (!arguments.tokens || !arguments.out)
        return usageError(arguments.tokens ? "--out" : "--tokens",
            arguments.tokens ? "missing: the folder to write" : "missing: the token ids");
    const Result<std::vector<TokenId>> ids = tokenList(*arguments.tokens, "--tokens");
    if (!ids)
        return ids.error();
    if (const Result<void> checked = checkEngine(arguments.engine); !checked)
        return checked.error();
    const Result<OpenedModel> opened = openWithProgress(arguments.model, arguments.engine.open, stop);
    if (!opened)
        return opened.error();
    Result<std::unique_ptr<Session>> session = Session::create(opened->model, arguments.engine.engine);
    if (!session)
        return session.error();
    Result<StagedFolder> folder = StagedFolder::create(*arguments.out);
    if (!folder)
        return folder.error();
    if (const Result<void> written = writeArrays(**session, *ids, *folder, stop); !written)
        return written.error();
    if (const Result<void> published = folder->publish(); !published)
        return published.error();
    return exitDone;
}

} // namespace

Action configureLogits(CLI::App& app)
{
    const auto arguments = std::make_shared<LogitsArguments>();
    addModel(app, arguments->model);
    addText(app, {"--tokens", "1,2,3", "token ids"}, arguments->tokens);
    addText(app, {"--out", "DIR", "the folder to write; must not exist or be empty"}, arguments->out);
    addEngineOptions(app, arguments->engine);
    return [arguments](std::stop_token stop) { return logits(*arguments, stop); };
}

} // namespace colibri::cli
