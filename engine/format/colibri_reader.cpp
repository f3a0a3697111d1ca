// SPDX-License-Identifier: Apache-2.0
#include "format/colibri_reader.h"

#include "format/inside_folder.h"
#include "format/readers.h"
#include "format/router_logits.h"
#include "format/router_table.h"
#include "format/tensor_directory.h"
#include "format/tensor_list.h"
#include "types/checked.h"

#include <algorithm>
#include <filesystem>

namespace colibri {
namespace {

constexpr std::uint64_t anyNumber = UINT32_MAX;

/// A dimension that every Colibri export states.
struct Dimension {
    std::string_view key;
    std::uint64_t least;
    std::uint64_t most;
};
constexpr std::array<Dimension, 6> dimensions{
    {{"vocab_size", 0, anyNumber}, {"hidden_size", 1, anyNumber}, {"num_layers", 1, maxLayers},
        {"num_experts", 1, maxExperts}, {"num_active_experts", 1, maxExperts}, {"max_seq_len", 1, anyNumber}}};

/// Keys that a reader of this version or the architectures it knows give a meaning. Any other becomes a note.
constexpr std::array<std::string_view, 54> knownKeys{"format", "version", "architecture", "vocab_size", "hidden_size",
    "output_size", "num_layers", "num_experts", "num_active_experts", "max_seq_len", "dense_layers", "routing",
    "router_table", "router_logits", "index", "sanity", "tensors", "source", "architectures", "model_type",
    "num_attention_heads", "num_key_value_heads", "head_dim", "moe_intermediate_size", "intermediate_size",
    "rms_norm_eps", "rope_theta", "rope_scaling", "hidden_act", "norm_topk_prob", "decoder_sparse_step",
    "mlp_only_layers", "attention_bias", "attention_dropout", "tie_word_embeddings", "use_sliding_window",
    "sliding_window", "window_period", "max_window_layers", "shared_ffn_size", "kv_lora_rank", "q_lora_rank",
    "qk_nope_head_dim", "value_head_dim", "rope_dim", "rope_pairs", "yarn", "attention_factor", "activation",
    "activation_limit", "bos_token_id", "eos_token_id", "pad_token_id", "add_bos_token"};

class Reader {
public:
    Reader(const std::string& folder, ConfigFile config, std::stop_token stop, Incomplete incomplete)
        : m_config(std::move(config))
        , m_stop(std::move(stop))
        , m_incomplete(incomplete)
    {
        m_source.path = folder;
        m_source.format = colibriFormatName;
        m_source.configFile = m_config.path;
    }

    Result<ModelSource> read()
    {
        for (const auto step : {&Reader::readIdentity, &Reader::readDimensions, &Reader::readTensors,
                 &Reader::readTable, &Reader::readLogits, &Reader::readSanity, &Reader::findTokenizer})
            if (auto done = (this->*step)(); !done)
                return done.error();
        for (const JsonValue::Member& member : *m_config.root.object())
            if (std::ranges::find(knownKeys, member.key) == knownKeys.end())
                m_source.notes.push_back("config.json: key \"" + member.key + "\" is not known and was not used.");
        m_source.config = std::move(m_config.root);
        return std::move(m_source);
    }

private:
    Error fail(Errc code, const JsonValue* at, std::string why) const
    {
        return {code, "read the configuration", m_config.path, (at ? at : &m_config.root)->offset, std::move(why)};
    }

    Result<void> readIdentity()
    {
        const auto format = readString(m_config.root, key::format, m_config.path, "");
        if (!format)
            return format.error();
        if (*format != colibriFormatName)
            return fail(Errc::Malformed, m_config.root.find(key::format),
                "format is \"" + *format + "\", it has to be \"colibri\"");
        const auto version = readUnsigned(m_config.root, key::version, 0, anyNumber, m_config.path, "");
        if (!version)
            return version.error();
        if (*version != colibriVersion)
            return fail(Errc::Unsupported, m_config.root.find(key::version),
                "version is " + std::to_string(*version) + ", this program reads " + std::to_string(colibriVersion));
        const auto architecture = readString(m_config.root, key::architecture, m_config.path, "");
        return architecture ? Result<void>{} : architecture.error();
    }

    Result<void> readDimensions()
    {
        for (const Dimension& dimension : dimensions)
            if (const auto value = dimensionOf(dimension.key); !value)
                return value.error();
        m_limits = {number("num_layers"), number("num_experts")};
        if (m_config.root.find(key::denseLayers)) {
            const auto dense = readUnsigned(m_config.root, key::denseLayers, 0, m_limits.layers - 1, m_config.path, "");
            if (!dense)
                return dense.error();
            m_denseLayers = static_cast<std::uint32_t>(*dense);
        }
        if (number("num_active_experts") > m_limits.experts)
            return fail(Errc::Malformed, m_config.root.find("num_active_experts"),
                "num_active_experts is " + std::to_string(number("num_active_experts")) + ", more than num_experts "
                    + std::to_string(m_limits.experts));
        return {};
    }

    Result<std::uint64_t> dimensionOf(std::string_view key) const
    {
        const auto& row = *std::ranges::find(dimensions, key, &Dimension::key);
        return readUnsigned(m_config.root, row.key, row.least, row.most, m_config.path, "");
    }

    /// A dimension that readDimensions() found in order.
    std::uint32_t number(std::string_view key) const { return static_cast<std::uint32_t>(*dimensionOf(key)); }

    Result<void> readTensors()
    {
        auto files = readTensorDirectory(m_config);
        if (!files)
            return files.error();
        for (DirectoryFile& file : *files) {
            if (m_stop.stop_requested())
                return Error{Errc::Cancelled, "open the model", m_source.path, {}, "stopped"};
            const FileStatement statement{m_config.path, file.firstEntryOffset,
                "tensors[" + std::to_string(file.firstEntry) + "].file",
                std::to_string(file.tensors.size()) + (file.tensors.size() == 1 ? " tensor" : " tensors")};
            if (const auto mapped = addFileInside(m_source, file.name, statement); !mapped) {
                if (!refusals() || mapped.error().code != Errc::NotFound)
                    return mapped.error();
                refusals()->push_back(mapped.error());
            }
            const MappedFile& mapped = *m_source.files.back();
            if (auto done = checkDirectoryFile(file, mapped, m_limits, m_source.notes, refusals()); !done)
                return done;
            std::ranges::move(file.tensors, std::back_inserter(m_source.tensors));
        }
        std::ranges::sort(m_source.tensors, {}, &TensorInfo::name);
        return {};
    }

    std::vector<Error>* refusals() { return m_incomplete == Incomplete::List ? &m_source.refusals : nullptr; }

    /// What cannot be used of a table, of logits or of sanity leaves the rest as it is.
    Result<void> refuseOrList(const Error& error)
    {
        if (!refusals() || !isDamage(error.code))
            return error;
        refusals()->push_back(error);
        return {};
    }

    Result<void> readTable()
    {
        const auto done = readWholeTable();
        if (!done)
            m_source.table.reset();
        return done ? done : refuseOrList(done.error());
    }

    Result<void> readWholeTable()
    {
        const JsonValue* const object = m_config.root.find(key::routerTable);
        if (!object)
            return {};
        if (!object->object())
            return fail(Errc::Malformed, object,
                "router_table is a " + std::string(object->typeName()) + ", it has to be an object");
        const auto file = readString(*object, "file", m_config.path, "router_table.");
        if (!file)
            return file.error();
        RouterTable table;
        if (auto done = readTableShape(*object, table); !done)
            return done;
        const auto mapped =
            addFileInside(m_source, *file, {m_config.path, object->offset, "router_table.file", "the routing table"});
        if (!mapped)
            return mapped.error();
        const auto bytes =
            checkedProduct(std::array<std::uint64_t, 4>{table.layers, table.rows, table.k, sizeof(std::uint16_t)});
        if (!bytes || (*mapped)->bytes().size() != *bytes)
            return Error{Errc::Mismatch, "read the routing table", (*mapped)->path(), {},
                "has " + std::to_string((*mapped)->bytes().size()) + " bytes, " + std::to_string(table.layers)
                    + " layers x " + std::to_string(table.rows) + " rows x " + std::to_string(table.k) + " uint16 need "
                    + (bytes ? std::to_string(*bytes) : std::string("more than 64 bits can count"))};
        table.file = static_cast<std::uint32_t>(m_source.files.size() - 1);
        m_source.table = table;
        return checkRouterTable(m_source, table, m_limits.experts, m_stop);
    }

    Result<void> readTableShape(const JsonValue& object, RouterTable& table)
    {
        const std::pair<std::string_view, std::uint32_t*> sizes[]{
            {"layers", &table.layers}, {"rows", &table.rows}, {"k", &table.k}};
        for (const auto& [key, target] : sizes) {
            const auto value = readUnsigned(object, key, 1, anyNumber, m_config.path, "router_table.");
            if (!value)
                return value.error();
            *target = static_cast<std::uint32_t>(*value);
        }
        struct Equal {
            std::string_view key;
            std::uint32_t found;
            std::string_view dimension;
            std::uint32_t stated;
        };
        const Equal equals[]{{"layers", table.layers, m_denseLayers ? "num_layers less dense_layers" : "num_layers",
                                 m_limits.layers - m_denseLayers},
            {"k", table.k, "num_active_experts", number("num_active_experts")}};
        for (const Equal& equal : equals)
            if (equal.found != equal.stated)
                return fail(Errc::Mismatch, object.find(equal.key),
                    "router_table." + std::string(equal.key) + " is " + std::to_string(equal.found) + ", "
                        + std::string(equal.dimension) + " is " + std::to_string(equal.stated));
        return readTableIndex(table);
    }

    Result<void> readLogits()
    {
        const JsonValue* const object = m_config.root.find(key::routerLogits);
        if (!object)
            return {};
        const auto done = readRouterLogits(
            *object, m_config.path, {m_limits.layers - m_denseLayers, m_limits.experts}, m_source, m_stop);
        return done ? done : refuseOrList(done.error());
    }

    Result<void> readTableIndex(RouterTable& table)
    {
        const JsonValue* const index = m_config.root.find(key::index);
        const auto named = index && index->string() ? tableIndexNamed(*index->string()) : std::nullopt;
        if (index && !named)
            return fail(Errc::Malformed, index, "index has to be \"token\" or \"position\"");
        table.index = named.value_or(TableIndex::Token);
        if (table.index == TableIndex::Token && table.rows < number("vocab_size"))
            m_source.notes.push_back("The routing table has " + std::to_string(table.rows) + " rows for "
                + std::to_string(number("vocab_size")) + " token ids.");
        return {};
    }

    Result<void> readSanity()
    {
        const auto done = readWholeSanity();
        if (!done)
            m_source.sanity.clear();
        return done ? done : refuseOrList(done.error());
    }

    Result<void> readWholeSanity()
    {
        const JsonValue* const list = m_config.root.find(key::sanity);
        if (!list)
            return {};
        if (!list->array())
            return fail(
                Errc::Malformed, list, "sanity is a " + std::string(list->typeName()) + ", it has to be a list");
        if (!m_source.table) {
            m_source.notes.push_back("config.json: \"sanity\" was not checked, there is no usable routing table.");
            return {};
        }
        for (std::size_t i = 0; i < list->array()->size(); ++i)
            if (auto done = readSanityEntry((*list->array())[i], "sanity[" + std::to_string(i) + "]."); !done)
                return done;
        return checkSanity(m_source, *m_source.table);
    }

    Result<void> readSanityEntry(const JsonValue& entry, const std::string& where)
    {
        const RouterTable& table = *m_source.table;
        const auto layer = readUnsigned(entry, "layer", 0, table.layers - 1, m_config.path, where);
        if (!layer)
            return layer.error();
        const auto token = readUnsigned(entry, "token", 0, table.rows - 1, m_config.path, where);
        if (!token)
            return token.error();
        SanityEntry sanity{static_cast<std::uint32_t>(*layer), static_cast<std::uint32_t>(*token), {}};
        const JsonValue* const experts = entry.find("experts");
        if (!experts || !experts->array() || experts->array()->size() != table.k)
            return fail(Errc::Malformed, experts ? experts : &entry,
                where + "experts has to be a list of " + std::to_string(table.k) + " expert ids");
        for (const JsonValue& expert : *experts->array()) {
            const auto id = expert.unsignedInteger();
            if (!id || *id >= m_limits.experts)
                return fail(Errc::Malformed, &expert,
                    where + "experts holds something that is no expert id below " + std::to_string(m_limits.experts));
            sanity.experts.push_back(static_cast<std::uint16_t>(*id));
        }
        m_source.sanity.push_back(std::move(sanity));
        return {};
    }

    Result<void> findTokenizer()
    {
        const std::string path = joinPath(m_source.path, tokenizerFileName);
        std::error_code failed;
        if (std::filesystem::exists(path, failed))
            m_source.tokenizerFile = path;
        return {};
    }

    ConfigFile m_config;
    std::stop_token m_stop;
    Incomplete m_incomplete;
    ExpertLimits m_limits;
    std::uint32_t m_denseLayers = 0; ///< the first ones, which have no rows in tables
    ModelSource m_source;
};

} // namespace

Result<ModelSource> readColibriExport(
    const std::string& folder, ConfigFile config, std::stop_token stop, Incomplete incomplete)
{
    return Reader(folder, std::move(config), std::move(stop), incomplete).read();
}

Result<ModelSource> readColibriExport(const std::string& folder, std::stop_token stop, Incomplete incomplete)
{
    auto config = readConfigFile(folder);
    return config ? readColibriExport(folder, std::move(*config), std::move(stop), incomplete) : config.error();
}

} // namespace colibri
