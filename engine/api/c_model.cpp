// SPDX-License-Identifier: Apache-2.0
#include "api/colibri.h"

#include "api/c_error.h"
#include "api/model_impl.h"
#include "api/session.h"
#include "model/find_tensor.h"

#include <algorithm>

using namespace colibri;

namespace {

/// What colibri_model_t::impl points to.
struct CModel {
    std::unique_ptr<Session> session;
    std::vector<std::uint8_t*> blobs;
    std::vector<std::size_t> sizes;
    std::vector<TokenId> tokens; ///< capacity is the context
    float* output = nullptr; ///< of the call under way
    Session::RowSink sink; ///< copies rows to `output`; made once, so that a call allocates nothing
};

CModel* implOf(const colibri_model_t* model)
{
    return model ? static_cast<CModel*>(model->impl) : nullptr;
}

int failed(std::string text)
{
    lastErrorText() = std::move(text);
    return -1;
}

Error mismatch(const std::string& what, std::uint64_t given, std::uint64_t found)
{
    return Error{Errc::Mismatch, "check the configuration", {}, std::nullopt,
        what + " is " + std::to_string(given) + ", the folder's is " + std::to_string(found)};
}

Result<void> checkDimensions(const model_config_t& given, const ModelConfig& config)
{
    const struct {
        const char* name;
        int given;
        std::uint32_t found;
    } dimensions[]{{"vocab_size", given.vocab_size, config.vocabSize},
        {"hidden_size", given.hidden_size, config.hiddenSize}, {"num_experts", given.num_experts, config.numExperts},
        {"num_active_experts", given.num_active_experts, config.numActiveExperts}};
    for (const auto& d : dimensions)
        if (d.given != 0 && static_cast<std::uint32_t>(d.given) != d.found && !(d.found == 0 && d.given > 0))
            return mismatch(d.name, static_cast<std::uint64_t>(d.given), d.found);
    return {};
}

Result<void> setKernels(Session& session, const model_config_t& given)
{
    const ModelConfig& config = session.model()->config();
    const bool any = std::ranges::any_of(given.expert_kernels, [](const void* kernel) { return kernel != nullptr; });
    if (any && (moeLayers(config) != 1 || config.numExperts > 32))
        return Error{Errc::Unsupported, "set expert_kernels", {}, std::nullopt,
            "the model has " + std::to_string(moeLayers(config)) + " MoE layers of " + std::to_string(config.numExperts)
                + " experts, expert_kernels fit one layer of at most 32; use colibri_set_expert_kernel"};
    for (std::uint32_t e = 0; any && e < config.numExperts; ++e)
        if (given.expert_kernels[e])
            if (auto set = session.setExpertFunction(0, e, reinterpret_cast<expert_func_t>(given.expert_kernels[e]));
                !set)
                return set;
    return {};
}

/// The first MoE layer's blobs, as mapped: each file that holds an expert's tensors.
void listBlobs(const LoadedModel& loaded, CModel& c)
{
    c.blobs.resize(loaded.config.numExperts);
    c.sizes.resize(loaded.config.numExperts);
    for (const TensorSlot& slot : specOf(loaded.config.architecture).tensors) {
        for (std::uint32_t e = 0; slot.kind == TensorKind::Expert && e < loaded.config.numExperts; ++e) {
            const auto found = findTensor(loaded.source, slot, layerOfMoe(loaded.config, 0), e);
            if (!found)
                continue;
            const std::span<const std::byte> bytes = loaded.source.files[found->part.file]->bytes();
            c.blobs[e] =
                reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data())); // the C struct has no const
            c.sizes[e] = bytes.size();
        }
    }
}

void publish(colibri_model_t& model, std::unique_ptr<CModel> c)
{
    const LoadedModel& loaded = *c->session->model()->impl().loaded;
    const std::span<const std::uint16_t> row = loaded.tableRow(0, 0);
    model.router_table = const_cast<std::uint16_t*>(row.data());
    model.router_size = loaded.source.table
        ? std::size_t{loaded.source.table->layers} * loaded.source.table->rows * loaded.source.table->k
        : 0;
    model.expert_blobs = c->blobs.data();
    model.expert_sizes = c->sizes.data();
    model.num_experts = static_cast<int>(loaded.config.numExperts);
    model.hidden_size = static_cast<int>(loaded.config.hiddenSize);
    model.vocab_size = static_cast<int>(loaded.config.vocabSize);
    model.impl = c.release();
}

Result<std::unique_ptr<CModel>> open(const std::string& path, const model_config_t& given)
{
    OpenOptions options;
    auto model = openModel(path, options);
    if (!model)
        return model.error();
    if ((*model)->format() == "huggingface")
        return Error{Errc::Unsupported, "open a model", path, std::nullopt,
            "it is a Hugging Face folder, the C interface opens Colibri exports; export it first"};
    const ModelConfig& config = (*model)->config();
    if (!hasHead(config) && config.outputSize != config.hiddenSize)
        return Error{Errc::Unsupported, "open a model", path, std::nullopt,
            "output_size is " + std::to_string(config.outputSize) + " and hidden_size "
                + std::to_string(config.hiddenSize) + ", the C interface opens a linear_moe where both are the same"};
    if (auto fine = checkDimensions(given, config); !fine)
        return fine.error();
    EngineOptions engine;
    const std::uint32_t most = config.maxSeqLen;
    if (given.max_seq_len < 0 || static_cast<std::uint32_t>(given.max_seq_len) > most)
        return mismatch("max_seq_len", static_cast<std::uint64_t>(given.max_seq_len), most);
    engine.context = static_cast<std::uint32_t>(given.max_seq_len);
    auto session = Session::create(*model, engine);
    if (!session)
        return session.error();
    auto c = std::make_unique<CModel>();
    c->session = std::move(*session);
    if (auto set = setKernels(*c->session, given); !set)
        return set.error();
    listBlobs(*(*model)->impl().loaded, *c);
    c->tokens.reserve(c->session->context());
    const std::size_t width = config.outputSize;
    c->sink = [state = c.get(), width](std::uint32_t position, std::uint32_t, std::span<const float> rows) {
        std::ranges::copy(rows, state->output + position * width);
        return true;
    };
    return c;
}

int init(colibri_model_t* model, const char* path, const model_config_t& given)
{
    lastErrorText().clear();
    if (!model || !path)
        return failed("open a model: model and path must not be NULL");
    *model = colibri_model_t{};
    auto opened = open(path, given);
    if (!opened)
        return failed(opened.error().message());
    publish(*model, std::move(*opened));
    return 0;
}

} // namespace

int colibri_init(colibri_model_t* model, const char* config_path)
{
    return init(model, config_path, model_config_t{});
}

int colibri_init_config(colibri_model_t* model, const model_config_t* config)
{
    if (!config)
        return failed("open a model: config must not be NULL");
    return init(model, config->weights_path, *config);
}

int colibri_infer(colibri_model_t* model, const int* input, int seq_len, float* output)
{
    CModel* c = implOf(model);
    if (!c || !input || !output)
        return failed("infer: model, input and output must not be NULL, and the model opened");
    if (seq_len < 1 || static_cast<std::uint32_t>(seq_len) > c->session->context())
        return failed("infer: seq_len is " + std::to_string(seq_len) + ", it has to be between 1 and "
            + std::to_string(c->session->context()));
    c->tokens.assign(input, input + seq_len); // a negative id becomes one that no vocabulary has
    c->output = output;
    auto done = c->session->evaluate(c->tokens, nullptr, {}, c->sink);
    return done ? 0 : failed(done.error().message());
}

int colibri_set_expert_kernel(colibri_model_t* model, int layer, int expert, expert_func_t function)
{
    CModel* c = implOf(model);
    if (!c || layer < 0 || expert < 0)
        return failed("set an expert kernel: the model must be opened, layer and expert must not be negative");
    auto set =
        c->session->setExpertFunction(static_cast<std::uint32_t>(layer), static_cast<std::uint32_t>(expert), function);
    return set ? 0 : failed(set.error().message());
}

void colibri_destroy(colibri_model_t* model)
{
    if (!model)
        return;
    delete implOf(model);
    *model = colibri_model_t{};
}
