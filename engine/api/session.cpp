// SPDX-License-Identifier: Apache-2.0
#include "api/session.h"

#include "api/model_impl.h"
#include "session/runner.h"

namespace colibri {

struct Session::Impl {
    ModelPtr model;
    std::unique_ptr<Runner> runner;
    EngineInfo info;
};

Session::Session(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(ModelPtr model, const EngineOptions& options)
{
    auto runner = Runner::create(*model->impl().loaded, options);
    if (!runner)
        return runner.error();
    auto impl = std::make_unique<Impl>();
    const EngineOptions& o = (*runner)->options();
    impl->info = EngineInfo{COLIBRI_VERSION, std::string(name((*runner)->isa())), o.numerics, o.activations, o.kv,
        o.threads, o.batch, o.context, *o.routing, model->id()};
    impl->model = std::move(model);
    impl->runner = std::move(*runner);
    return std::unique_ptr<Session>(new Session(std::move(impl)));
}

const ModelPtr& Session::model() const
{
    return m_impl->model;
}
const EngineInfo& Session::info() const
{
    return m_impl->info;
}
std::uint32_t Session::context() const
{
    return m_impl->info.context;
}
SessionMemory Session::memory() const
{
    return m_impl->runner->memory();
}
const std::string& Session::counterNote() const
{
    return m_impl->runner->counterNote();
}
std::span<const TokenId> Session::generated() const
{
    return m_impl->runner->generated();
}
RunTimings Session::timings() const
{
    return m_impl->runner->timings();
}

std::shared_ptr<RunRecord> Session::makeRecord() const
{
    const ModelConfig& c = m_impl->model->config();
    return std::make_shared<RunRecord>(RunRecord::Shape{context(), moeLayers(c), c.numExperts, c.numActiveExperts});
}

Result<void> Session::begin(RunRequest request, std::shared_ptr<RunRecord> record, std::shared_ptr<TimingRing> timings)
{
    return m_impl->runner->begin(std::move(request), std::move(record), std::move(timings));
}

Result<StopReason> Session::advance(
    std::uint32_t tokens, std::stop_token stop, const std::function<void(TokenId)>& onToken)
{
    return m_impl->runner->advance(tokens, stop, onToken);
}

Result<void> Session::evaluate(
    std::span<const TokenId> tokens, std::shared_ptr<RunRecord> record, std::stop_token stop, const RowSink& sink)
{
    return m_impl->runner->evaluate(tokens, std::move(record), stop, sink);
}

Result<void> Session::setExpertFunction(std::uint32_t layer, std::uint32_t expert, ExpertFunction function)
{
    const ModelConfig& c = m_impl->model->config();
    if (layer >= moeLayers(c) || expert >= c.numExperts)
        return Error{Errc::OutOfRange, "replace an expert", {}, std::nullopt,
            "MoE layer " + std::to_string(layer) + " expert " + std::to_string(expert)
                + " does not exist, the model has " + std::to_string(moeLayers(c)) + " MoE layers of "
                + std::to_string(c.numExperts)};
    if (expertOutputSize(c) != c.hiddenSize)
        return Error{Errc::Unsupported, "replace an expert", {}, std::nullopt,
            "the model's experts give " + std::to_string(expertOutputSize(c))
                + " values for each row, a function gives " + std::to_string(c.hiddenSize)};
    m_impl->runner->forward().setExpertFunction(layer, expert, function);
    return {};
}

} // namespace colibri
