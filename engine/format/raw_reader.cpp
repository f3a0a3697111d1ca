// SPDX-License-Identifier: Apache-2.0
#include "format/config_file.h"

#include "format/colibri_layout.h"
#include "format/raw_layout.h"
#include "format/readers.h"
#include "format/router_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

namespace colibri {
namespace {

constexpr std::uint32_t defaultMaxSeqLen = 4096;
constexpr std::string_view expertPrefix = "expert_";
constexpr std::string_view expertSuffix = ".bin";
constexpr std::array<std::string_view, 12> knownKeys{"architecture", "vocab_size", "hidden_size", "output_size",
    "num_layers", "num_experts", "num_active_experts", "max_seq_len", "dtype", "layout", "bias", "index"};

std::string expertName(std::uint64_t number)
{
    return std::string(expertPrefix) + std::to_string(number) + std::string(expertSuffix);
}

/// The number in "expert_<i>.bin"; empty for any other name.
std::optional<std::uint64_t> expertNumber(std::string_view fileName)
{
    if (!fileName.starts_with(expertPrefix) || !fileName.ends_with(expertSuffix))
        return std::nullopt;
    std::uint64_t number = 0;
    std::from_chars(fileName.data() + expertPrefix.size(), fileName.data() + fileName.size(), number);
    return expertName(number) == fileName ? std::optional(number) : std::nullopt;
}

class Reader {
public:
    Reader(const std::string& folder, const RawOptions& raw, std::stop_token stop)
        : m_raw(raw)
        , m_stop(std::move(stop))
    {
        m_source.path = folder;
        m_source.format = "raw";
    }

    Result<ModelSource> read()
    {
        for (const auto step : {&Reader::readConfig, &Reader::mapExperts, &Reader::readWords, &Reader::solveLayout,
                 &Reader::listTensors, &Reader::readTable, &Reader::stateConfig})
            if (auto done = (this->*step)(); !done)
                return done.error();
        std::ranges::sort(m_source.tensors, {}, &TensorInfo::name);
        return std::move(m_source);
    }

private:
    Error fail(Errc code, const JsonValue& at, std::string why) const
    {
        return {code, "read the configuration", m_source.configFile, at.offset, std::move(why)};
    }

    /// A number of config.json; 0 when there is none. readConfig() has checked all of them.
    std::uint32_t stated(std::string_view key) const
    {
        const JsonValue* const value = m_config.root.find(key);
        return value ? static_cast<std::uint32_t>(value->unsignedInteger().value_or(0)) : 0;
    }

    Result<void> readConfig()
    {
        m_source.configFile = joinPath(m_source.path, configFileName);
        std::error_code failed;
        if (!std::filesystem::exists(m_source.configFile, failed)) {
            m_source.configFile = m_source.path;
            m_config.root.data = JsonValue::Object{};
            return {};
        }
        auto config = readConfigFile(m_source.path);
        if (!config)
            return config.error();
        m_config = std::move(*config);
        for (const std::string_view key : {"vocab_size", "hidden_size", "output_size", "num_layers", "num_experts",
                 "num_active_experts", "max_seq_len"})
            if (m_config.root.find(key))
                if (const auto number = readUnsigned(m_config.root, key, 0, UINT32_MAX, m_config.path, ""); !number)
                    return number.error();
        for (const JsonValue::Member& member : *m_config.root.object())
            if (std::ranges::find(knownKeys, member.key) == knownKeys.end())
                m_source.notes.push_back("config.json: key \"" + member.key + "\" is not known and was not used.");
        if (const JsonValue* const layers = m_config.root.find("num_layers"); layers && stated("num_layers") != 1)
            return fail(Errc::Mismatch, *layers,
                "num_layers is " + std::to_string(stated("num_layers")) + ", a raw export has one layer");
        const JsonValue* const architecture = m_config.root.find(key::architecture);
        if (architecture && (!architecture->string() || *architecture->string() != name(Architecture::LinearMoe)))
            return fail(Errc::Unsupported, *architecture, "architecture has to be linear_moe in a raw export");
        return {};
    }

    /// Reads a word of config.json that an option overrides.
    template <class T, class Named>
    Result<void> readWord(std::string_view key, const char* allowed, std::optional<T>& value, Named named)
    {
        const JsonValue* const stated = m_config.root.find(key);
        if (value || !stated) {
            note(key, value ? Origin::Option : Origin::FamilyDefault);
            return {};
        }
        value = named(*stated);
        note(key, Origin::Config);
        return value ? Result<void>{} : fail(Errc::Malformed, *stated, std::string(key) + " has to be " + allowed);
    }

    Result<void> readWords()
    {
        const auto text = [](auto named) {
            return [named](const JsonValue& value) {
                return value.string() ? named(*value.string()) : decltype(named(std::string_view())){};
            };
        };
        const auto truth = [](const JsonValue& value) {
            return value.boolean() ? std::optional(*value.boolean()) : std::nullopt;
        };
        if (auto done = readWord("dtype", "f32, f16 or bf16", m_raw.dtype, text(exportDTypeNamed)); !done)
            return done;
        if (auto done = readWord("layout", "row_major or column_major", m_raw.layout, text(layoutNamed)); !done)
            return done;
        if (auto done = readWord("bias", "true or false", m_raw.bias, truth); !done)
            return done;
        return readWord("index", "token or position", m_raw.index, text(tableIndexNamed));
    }

    Result<void> mapExperts()
    {
        std::vector<std::uint64_t> numbers;
        std::error_code failed;
        std::filesystem::directory_iterator entries(m_source.path, failed);
        for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed))
            if (const auto number = expertNumber(entries->path().filename().native()))
                numbers.push_back(*number);
        if (failed)
            return Error{Errc::Io, "list the folder", m_source.path, {}, failed.message()};
        std::ranges::sort(numbers);
        for (std::uint64_t i = 0; i < numbers.size(); ++i)
            if (numbers[i] != i)
                return missingExpert(
                    i, "there is " + expertName(numbers[i]) + ", and experts are numbered from 0 without a gap");
        if (numbers.empty())
            return missingExpert(0, "a raw export has one file for each expert");
        if (numbers.size() > maxExperts)
            return Error{Errc::Unsupported, "read a raw export", m_source.path, {},
                "has " + std::to_string(numbers.size()) + " experts, at most " + std::to_string(maxExperts)
                    + " are allowed"};
        m_experts = static_cast<std::uint32_t>(numbers.size());
        const JsonValue* const stated = m_config.root.find("num_experts");
        if (stated && this->stated("num_experts") != m_experts)
            return fail(Errc::Mismatch, *stated,
                "num_experts is " + std::to_string(this->stated("num_experts")) + ", the folder has "
                    + std::to_string(m_experts) + " files expert_<i>.bin");
        return mapExpertFiles();
    }

    Error missingExpert(std::uint64_t number, const std::string& why) const
    {
        return {
            Errc::NotFound, "read a raw export", joinPath(m_source.path, expertName(number)), {}, "is missing: " + why};
    }

    Result<void> mapExpertFiles()
    {
        for (std::uint32_t i = 0; i < m_experts; ++i) {
            if (m_stop.stop_requested())
                return Error{Errc::Cancelled, "open the model", m_source.path, {}, "stopped"};
            auto file = MappedFile::open(joinPath(m_source.path, expertName(i)));
            if (!file)
                return file.error();
            const std::size_t first = i ? m_source.files[0]->bytes().size() : (*file)->bytes().size();
            if ((*file)->bytes().size() != first)
                return Error{Errc::Mismatch, "read a raw export", (*file)->path(), {},
                    "has " + std::to_string((*file)->bytes().size()) + " bytes, " + expertName(0) + " has "
                        + std::to_string(first) + "; all experts have the same shape"};
            m_source.files.push_back(std::move(*file));
        }
        return {};
    }

    Result<void> solveLayout()
    {
        const RawKnowledge known{m_raw.in ? m_raw.in : stated("hidden_size"),
            m_raw.out ? m_raw.out : stated("output_size"), m_raw.dtype, m_raw.layout, m_raw.bias};
        auto reading = solveRawLayout(m_source.files[0]->bytes().size(), known, m_source.files[0]->path());
        if (!reading)
            return reading.error();
        m_reading = *reading;
        return {};
    }

    Result<void> listTensors()
    {
        const std::uint64_t in = m_reading.in;
        const std::uint64_t out = m_reading.out;
        const std::uint64_t weightBytes = in * out * elementBytes(m_reading.dtype);
        for (std::uint32_t i = 0; i < m_experts; ++i) {
            const std::string prefix = "model.layers.0.mlp.experts." + std::to_string(i) + ".";
            m_source.tensors.push_back(
                {prefix + "weight", i, 0, weightBytes, m_reading.dtype, m_reading.layout, {out, in}, {}});
            if (m_reading.bias)
                m_source.tensors.push_back({prefix + "bias", i, weightBytes, out * elementBytes(m_reading.dtype),
                    m_reading.dtype, Layout::RowMajor, {out}, {}});
        }
        return {};
    }

    Result<void> readTable()
    {
        auto file = MappedFile::open(joinPath(m_source.path, routerTableFileName));
        if (!file)
            return file.error();
        const std::uint64_t size = (*file)->bytes().size();
        const std::uint64_t k = stated("num_active_experts") ? stated("num_active_experts") : 1;
        const std::uint64_t rows = size / sizeof(std::uint16_t) / k;
        if (rows == 0 || rows * k * sizeof(std::uint16_t) != size || rows > UINT32_MAX || k > m_experts)
            return Error{Errc::Mismatch, "read the routing table", (*file)->path(), {},
                "has " + std::to_string(size) + " bytes, it has to hold one row or more of " + std::to_string(k)
                    + " uint16 expert ids (num_active_experts), of " + std::to_string(m_experts) + " experts"};
        const RouterTable table{m_experts, 0, 1, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(k),
            m_raw.index.value_or(TableIndex::Token)};
        m_source.files.push_back(std::move(*file));
        m_source.table = table;
        return checkRouterTable(m_source, table, m_experts, m_stop);
    }

    /// What the files, the options and config.json say, under the names of Colibri version 1.
    Result<void> stateConfig()
    {
        const RouterTable& table = *m_source.table;
        const bool byPosition = table.index == TableIndex::Position;
        const std::uint32_t context = stated("max_seq_len");
        const std::uint32_t positions = context ? context : defaultMaxSeqLen;
        const Origin contextOrigin = context ? Origin::Config : Origin::FamilyDefault;
        state(key::architecture, std::string(name(Architecture::LinearMoe)), Origin::FamilyDefault);
        state("vocab_size", std::uint64_t{0}, Origin::FamilyDefault);
        state("hidden_size", std::uint64_t{m_reading.in}, originOf("hidden_size", m_raw.in));
        state("output_size", std::uint64_t{m_reading.out}, originOf("output_size", m_raw.out));
        state("num_layers", std::uint64_t{1}, stated("num_layers") ? Origin::Config : Origin::FamilyDefault);
        state("num_experts", std::uint64_t{m_experts}, Origin::FileSize);
        state("num_active_experts", std::uint64_t{table.k},
            stated("num_active_experts") ? Origin::Config : Origin::FamilyDefault);
        state("max_seq_len", std::uint64_t{byPosition ? table.rows : positions},
            byPosition ? Origin::FileSize : contextOrigin);
        state(key::index, std::string(name(table.index)), wordOrigin("index"));
        originate("dtype", std::string(name(m_reading.dtype)));
        originate("layout", std::string(name(m_reading.layout)));
        originate("bias", m_reading.bias ? "true" : "false");
        originate("table_rows", std::to_string(table.rows));
        if (byPosition && context && context != table.rows)
            m_source.notes.push_back("config.json: max_seq_len is " + std::to_string(context)
                + ", the routing table has rows for " + std::to_string(table.rows) + " positions.");
        if (!byPosition && stated("vocab_size") && stated("vocab_size") != table.rows)
            m_source.notes.push_back("config.json: vocab_size is " + std::to_string(stated("vocab_size"))
                + ", the routing table has rows for " + std::to_string(table.rows) + " token ids.");
        findTokenizer();
        return {};
    }

    void findTokenizer()
    {
        const std::string path = joinPath(m_source.path, tokenizerFileName);
        std::error_code failed;
        if (std::filesystem::exists(path, failed))
            m_source.tokenizerFile = path;
    }

    void note(std::string_view word, Origin origin) { m_words.push_back({word, origin}); }
    Origin wordOrigin(std::string_view word) const
    {
        const auto found = std::ranges::find(m_words, word, &WordOrigin::word);
        return found == m_words.end() ? Origin::FileSize : found->origin;
    }
    Origin originOf(std::string_view key, std::uint32_t option) const
    {
        return option ? Origin::Option : stated(key) ? Origin::Config : Origin::FileSize;
    }
    /// A word that nobody said follows from the size, which chose the reading.
    void originate(std::string_view word, std::string value)
    {
        const Origin origin = wordOrigin(word) == Origin::FamilyDefault ? Origin::FileSize : wordOrigin(word);
        record(word, std::move(value), origin);
    }
    void record(std::string_view key, std::string value, Origin origin)
    {
        m_source.origins.push_back(
            {std::string(key), std::move(value), origin, origin == Origin::Config ? std::string(key) : ""});
    }
    void state(std::string_view key, JsonValue::Data value, Origin origin)
    {
        if (m_source.config.isNull())
            m_source.config.data = JsonValue::Object{};
        const auto* const number = std::get_if<std::uint64_t>(&value);
        record(key, number ? std::to_string(*number) : std::get<std::string>(value), origin);
        if (number)
            value = static_cast<std::int64_t>(*number);
        std::get<JsonValue::Object>(m_source.config.data).push_back({std::string(key), {std::move(value), 0}});
    }

    struct WordOrigin {
        std::string_view word;
        Origin origin;
    };

    RawOptions m_raw; ///< of the options, completed by config.json
    std::stop_token m_stop;
    ConfigFile m_config;
    std::uint32_t m_experts = 0;
    RawReading m_reading;
    std::vector<WordOrigin> m_words;
    ModelSource m_source;
};

} // namespace

Result<ModelSource> readRawExport(const std::string& folder, const RawOptions& raw, std::stop_token stop)
{
    return Reader(folder, raw, std::move(stop)).read();
}

} // namespace colibri
