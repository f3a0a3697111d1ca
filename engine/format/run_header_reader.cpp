// SPDX-License-Identifier: Apache-2.0
#include "format/run_header.h"

#include "format/json.h"
#include "types/checked.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colibri {
namespace {

constexpr std::uint64_t any32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t any64 = std::numeric_limits<std::uint64_t>::max();

/// The first thing that is wrong; what comes after it is not looked at.
struct Fault {
    const std::string& file;
    std::optional<Error> error{};

    void set(std::uint64_t offset, std::string why, Errc code = Errc::Malformed)
    {
        if (!error)
            error = Error{code, "read a saved run", file, offset, std::move(why)};
    }
};

/// The members of one JSON object. A member that is not as it has to be is a fault, and reads as nothing.
class Fields {
public:
    Fields(const JsonValue* object, std::string where, Fault& fault)
        : m_object(object)
        , m_where(std::move(where))
        , m_fault(fault)
    {
    }

    Fields object(std::string_view key) const
    {
        const JsonValue* const value = expect(key, "an object", [](const JsonValue& v) { return v.object(); });
        return {value, m_where + std::string(key) + ".", m_fault};
    }

    template <class T = std::uint64_t>
    T number(std::string_view key, std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<T>::max()) const
    {
        const std::string rule = "an integer from " + std::to_string(least) + " to " + std::to_string(most);
        const JsonValue* const value = expect(key, rule, [&](const JsonValue& v) {
            const auto number = v.unsignedInteger();
            return number && *number >= least && *number <= most;
        });
        return value ? static_cast<T>(*value->unsignedInteger()) : T{};
    }

    template <class T>
    T real(std::string_view key) const
    {
        const auto fits = [](const JsonValue& v) { return v.number() && std::isfinite(static_cast<T>(*v.number())); };
        const JsonValue* const value = expect(key, "a finite number", fits);
        return value ? static_cast<T>(*value->number()) : T{};
    }

    bool flag(std::string_view key) const
    {
        const JsonValue* const value = expect(key, "true or false", [](const JsonValue& v) { return v.boolean(); });
        return value && *value->boolean();
    }

    std::string text(std::string_view key) const
    {
        const JsonValue* const value = expect(key, "a string", [](const JsonValue& v) { return v.string(); });
        return value ? *value->string() : std::string();
    }

    std::optional<std::string> textOrNull(std::string_view key) const
    {
        const JsonValue* const value =
            expect(key, "a string or null", [](const JsonValue& v) { return v.string() || v.isNull(); });
        return value && value->string() ? std::optional(*value->string()) : std::nullopt;
    }

    template <class T>
    T option(std::string_view key) const
    {
        const JsonValue* const value = expect(key, "one of " + joined(optionNames<T>()),
            [](const JsonValue& v) { return v.string() && optionNamed<T>(*v.string()); });
        return value ? *optionNamed<T>(*value->string()) : T{};
    }

    template <class T>
    std::optional<T> optionOrNull(std::string_view key) const
    {
        const JsonValue* const value = m_object ? m_object->find(key) : nullptr;
        return value && value->isNull() ? std::nullopt : std::optional(option<T>(key));
    }

    /// The member, which has to be `rule`; null when it is not.
    template <class Test>
    const JsonValue* expect(std::string_view key, const std::string& rule, Test test) const
    {
        if (!m_object)
            return nullptr;
        const JsonValue* const value = m_object->find(key);
        if (value && test(*value))
            return value;
        m_fault.set((value ? value : m_object)->offset,
            m_where + std::string(key) + (value ? " is " + shortText(*value) : " is missing") + ", it has to be "
                + rule);
        return nullptr;
    }

    static std::string joined(const std::vector<std::string>& names)
    {
        std::string text;
        for (const std::string& name : names)
            text += (text.empty() ? "" : ", ") + name;
        return text;
    }

private:
    const JsonValue* m_object; ///< null: a fault has been found before
    std::string m_where;
    Fault& m_fault;
};

EngineInfo readInfo(const Fields& fields)
{
    EngineInfo info;
    info.version = fields.text("version");
    info.isa = fields.text("isa");
    info.numerics = fields.option<Numerics>("numerics");
    info.activations = fields.option<Activations>("activations");
    info.kv = fields.option<KvType>("kv");
    info.threads = fields.number<std::uint32_t>("threads");
    info.batch = fields.number<std::uint32_t>("batch");
    info.context = fields.number<std::uint32_t>("context");
    info.routing = fields.option<RoutingSource>("routing");
    info.modelId = fields.text("model_id");
    return info;
}

SamplingOptions readSampling(const Fields& fields)
{
    return {fields.real<float>("temperature"), fields.number<std::uint32_t>("top_k"), fields.real<float>("top_p"),
        fields.real<float>("min_p"), fields.real<float>("repeat_penalty"), fields.number("seed", 0, any64)};
}

EngineOptions readOptions(const Fields& fields)
{
    EngineOptions options;
    options.threads = fields.number<std::uint32_t>("threads");
    options.batch = fields.number<std::uint32_t>("batch");
    options.context = fields.number<std::uint32_t>("context");
    options.kv = fields.option<KvType>("kv");
    options.numerics = fields.option<Numerics>("numerics");
    options.activations = fields.option<Activations>("activations");
    options.isa = fields.option<Isa>("isa");
    options.routing = fields.optionOrNull<RoutingSource>("routing");
    options.breaker = fields.option<Breaker>("breaker");
    return options;
}

void readRequest(const Fields& fields, SavedRun& run)
{
    const auto prompt = fields.textOrNull("prompt");
    run.promptIsText = prompt.has_value();
    run.promptText = prompt.value_or(std::string());
    run.maxTokens = fields.number<std::uint32_t>("max_tokens");
    run.ignoreEndOfText = fields.flag("ignore_end_of_text");
    run.pace = fields.real<double>("pace");
    run.sampling = readSampling(fields.object("sampling"));
    run.engine = readOptions(fields.object("engine"));
}

/// A saved run had not ended (paused) or ended by itself.
constexpr StopReason savedReasons[]{
    StopReason::Paused, StopReason::MaxTokens, StopReason::EndOfText, StopReason::ContextFull};

void readEnd(const Fields& fields, SavedRun& run)
{
    std::vector<std::string> names;
    for (const StopReason reason : savedReasons)
        names.emplace_back(name(reason));
    const JsonValue* const value = fields.expect("reason", "one of " + Fields::joined(names),
        [&](const JsonValue& v) { return v.string() && std::ranges::count(names, *v.string()) > 0; });
    if (value)
        run.reason = savedReasons[std::ranges::find(names, *value->string()) - names.begin()];
    run.error = fields.textOrNull("error").value_or(std::string());
}

void readCounts(const Fields& fields, RunHeader& header)
{
    RunCounts& counts = header.counts;
    counts.tokens = fields.number<std::uint32_t>("tokens", 1, maxRunTokens);
    counts.promptTokens = fields.number<std::uint32_t>("prompt_tokens", 0, counts.tokens);
    counts.routed = fields.number<std::uint32_t>("routed", 0, counts.tokens);
    counts.layers = fields.number<std::uint32_t>("layers", 0, maxRunLayers);
    counts.experts = fields.number<std::uint32_t>("experts", 0, maxRunExperts);
    counts.k = fields.number<std::uint32_t>("k", 0, counts.experts);
    // Without any expert there are no logits that could be held.
    const bool logits = counts.layers > 0 && counts.experts > 0;
    counts.logitsFrom = fields.number<std::uint32_t>("logits_from", logits ? 0 : counts.routed, counts.routed);
    counts.timings = fields.number<std::uint32_t>("timings", 0, counts.tokens);
    header.run.droppedTimings = fields.number("dropped_timings", 0, any64);
    header.breakerEvents = fields.number("breaker_events", 0, any64);
}

/// Sections lie one behind the other in any order, with less than 64 bytes between them.
void checkPlaces(const RunHeader& header, std::uint64_t offset, Fault& fault)
{
    std::array<std::size_t, RunSectionCount> order{};
    for (std::size_t section = 0; section < RunSectionCount; ++section)
        order[section] = section;
    std::ranges::sort(order, {},
        [&](std::size_t section) { return std::pair(header.sections[section].offset, header.sections[section].size); });
    std::uint64_t end = 0;
    for (const std::size_t section : order) {
        const RunSectionPlace& place = header.sections[section];
        const std::string name = "section " + std::string(runSectionKinds[section].name);
        const auto next = checkedAdd(place.offset, place.size);
        if (!next)
            return fault.set(offset, name + " ends beyond what 64 bits can count");
        if (place.offset != checkedRoundUp(end, runAlignment))
            return fault.set(offset,
                name + " begins at " + std::to_string(place.offset) + ", the one before it ends at "
                    + std::to_string(end) + ": sections begin at the next multiple of 64");
        end = *next;
    }
}

void readSection(const JsonValue& value, std::size_t section, std::uint64_t bytes, RunSectionPlace& place, Fault& fault)
{
    const std::string where = "sections[" + std::to_string(section) + "].";
    if (!value.object())
        return fault.set(value.offset, where + " is " + shortText(value) + ", it has to be an object");
    const Fields fields(&value, where, fault);
    const auto is = [](std::string_view text) {
        return [text](const JsonValue& v) { return v.string() && *v.string() == text; };
    };
    const RunSectionKind& kind = runSectionKinds[section];
    fields.expect("name", "\"" + std::string(kind.name) + "\"", is(kind.name));
    fields.expect("dtype", "\"" + std::string(kind.dtype) + "\"", is(kind.dtype));
    place.offset = fields.number("offset", 0, any64);
    place.size = fields.number("size", bytes, bytes);
}

void readSections(const Fields& root, RunHeader& header, Fault& fault)
{
    const JsonValue* const list = root.expect("sections", "a list of " + std::to_string(RunSectionCount),
        [](const JsonValue& v) { return v.array() && v.array()->size() == RunSectionCount; });
    const auto bytes = runSectionBytes(header.counts);
    if (fault.error || !list)
        return;
    if (!bytes)
        return fault.set(list->offset, "the counts need more bytes than 64 bits can count");
    for (std::size_t section = 0; section < RunSectionCount; ++section)
        readSection((*list->array())[section], section, (*bytes)[section], header.sections[section], fault);
    if (!fault.error)
        checkPlaces(header, list->offset, fault);
}

} // namespace

Result<RunHeader> parseRunHeader(std::string_view text, const std::string& file, std::uint64_t base)
{
    const auto root = parseJson(text, file, base);
    if (!root)
        return root.error();
    Fault fault{file};
    if (!root->object())
        return Error{Errc::Malformed, "read a saved run", file, base, "the header has to be a JSON object"};
    const Fields fields(&*root, {}, fault);
    fields.expect("format", "\"" + std::string(runFormatName) + "\"",
        [](const JsonValue& v) { return v.string() && *v.string() == runFormatName; });
    if (fields.number("version", 1, any32) != runVersion && !fault.error)
        fault.set(root->find("version")->offset,
            "version is " + shortText(*root->find("version")) + ", this program reads version "
                + std::to_string(runVersion),
            Errc::Unsupported);
    RunHeader header;
    header.run.info = readInfo(fields.object("engine"));
    header.run.modelPath = fields.text("model_path");
    readRequest(fields.object("request"), header.run);
    readEnd(fields.object("end"), header.run);
    const Fields memory = fields.object("memory");
    header.run.arenaBytes = memory.number("arena_bytes", 0, any64);
    header.run.kvBytes = memory.number("kv_bytes", 0, any64);
    header.run.counterNote = fields.text("counter_note");
    readCounts(fields.object("counts"), header);
    readSections(fields, header, fault);
    if (fault.error)
        return *fault.error;
    return header;
}

} // namespace colibri
