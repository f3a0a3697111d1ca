// SPDX-License-Identifier: Apache-2.0
#include "format/gguf.h"
#include "format/readers.h"
#include "format/tensor_list.h"

#include <charconv>
#include <filesystem>
#include <optional>

namespace colibri {
namespace {

constexpr const char* reading = "read the GGUF file";
constexpr std::string_view architectureKey = "general.architecture";
constexpr std::string_view partKey = "split.no"; ///< counted from 0
constexpr std::string_view partsKey = "split.count";
constexpr std::string_view tensorsKey = "split.tensors.count";
constexpr std::uint64_t maxParts = 65535; // a u16 in the files
constexpr std::uint64_t maxAbsentParts = 100; ///< that are listed one by one

Error failed(Errc code, const std::string& file, std::optional<std::uint64_t> at, std::string why)
{
    return {code, reading, file, at, std::move(why)};
}

/// A file's name as a split writes it: PREFIX-00001-of-00003.gguf, counted from 1.
struct PartName {
    std::string prefix;
    std::uint64_t part = 0;
    std::uint64_t parts = 0;
};

std::string padded(std::uint64_t number)
{
    const std::string digits = std::to_string(number);
    return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

std::string pathOf(const PartName& name, std::uint64_t part)
{
    return name.prefix + "-" + padded(part) + "-of-" + padded(name.parts) + ".gguf";
}

std::optional<PartName> parsePartName(const std::string& path)
{
    constexpr std::size_t tail = std::string_view("-00001-of-00003.gguf").size();
    if (path.size() <= tail)
        return std::nullopt;
    const std::string_view text = std::string_view(path).substr(path.size() - tail);
    PartName name{path.substr(0, path.size() - tail), 0, 0};
    std::from_chars(text.data() + 1, text.data() + 6, name.part);
    std::from_chars(text.data() + 10, text.data() + 15, name.parts);
    return pathOf(name, name.part) == path ? std::optional(name) : std::nullopt;
}

class Reader {
public:
    Reader(const std::string& path, std::stop_token stop, Incomplete incomplete)
        : m_path(path)
        , m_stop(std::move(stop))
        , m_incomplete(incomplete)
    {
        m_source.path = path;
        m_source.format = "gguf";
        m_source.configFile = path;
    }

    Result<ModelSource> read()
    {
        auto first = addFile(m_path);
        if (!first)
            return first.error();
        if (auto done = readParts(*first); !done)
            return done.error();
        m_source.config = configOf(first->metadata);
        m_source.metadata = std::move(first->metadata);
        const JsonValue* const architecture = m_source.config.find(architectureKey);
        if (!architecture || !architecture->string())
            return failed(Errc::Malformed, m_path, architecture ? std::optional(architecture->offset) : std::nullopt,
                std::string(architectureKey) + " is " + (architecture ? shortText(*architecture) : "missing")
                    + ", it has to be a string");
        if (auto done = sortTensors(m_source, reading); !done)
            return done.error();
        return std::move(m_source);
    }

private:
    /// Maps a file and appends its tensors.
    Result<GgufHead> addFile(const std::string& path)
    {
        if (m_stop.stop_requested())
            return Error{Errc::Cancelled, "read the model", path, {}, {}};
        auto file = MappedFile::open(path);
        if (!file)
            return file.error();
        const auto index = static_cast<std::uint32_t>(m_source.files.size());
        m_source.files.push_back(*file);
        auto head = parseGguf((*file)->bytes(), path, index, m_source.notes,
            m_incomplete == Incomplete::List ? &m_source.refusals : nullptr);
        if (!head)
            return head;
        std::move(head->tensors.begin(), head->tensors.end(), std::back_inserter(m_source.tensors));
        return head;
    }

    /// A key of the split; empty when the file does not have it.
    Result<std::optional<std::uint64_t>> number(
        const GgufHead& head, std::string_view key, std::uint64_t most, const std::string& file) const
    {
        const GgufEntry* const entry = head.find(key);
        if (!entry)
            return std::optional<std::uint64_t>();
        const auto value = entry->value.unsignedInteger();
        if (!value || *value > most)
            return failed(Errc::Malformed, file, entry->value.offset,
                std::string(key) + " is " + describe(entry->value, 60) + " of type "
                    + std::string(name(entry->value.type)) + ", it has to be an integer from 0 to "
                    + std::to_string(most));
        return value;
    }

    Result<void> readParts(const GgufHead& first)
    {
        const auto parts = number(first, partsKey, maxParts, m_path);
        if (!parts)
            return parts.error();
        if (parts->value_or(1) <= 1)
            return {};
        const auto part = number(first, partKey, maxParts, m_path);
        if (!part)
            return part.error();
        const auto name = parsePartName(m_path);
        if (part->value_or(0) != 0)
            return failed(Errc::Unsupported, m_path, first.find(partKey)->value.offset,
                "is part " + std::to_string(**part + 1) + " of " + std::to_string(**parts) + ", open the first one"
                    + (name ? ": " + pathOf(*name, 1) : ""));
        if (!name || name->part != 1 || name->parts != **parts)
            return failed(Errc::Mismatch, m_path, first.find(partsKey)->value.offset,
                "split.count is " + std::to_string(**parts)
                    + ", the other parts are found by a name like NAME-00001-of-" + padded(**parts)
                    + ".gguf, which this file does not have");
        const auto tensors = number(first, tensorsKey, INT64_MAX, m_path);
        if (!tensors)
            return tensors.error();
        if (*tensors && **parts - 1 > **tensors) // the first one may have metadata alone
            return failed(Errc::Malformed, m_path, first.find(partsKey)->value.offset,
                "split.count is " + std::to_string(**parts) + ", split.tensors.count " + std::to_string(**tensors)
                    + "; every part but the first one has to hold a tensor");
        for (std::uint64_t i = 2; i <= **parts; ++i)
            if (auto done = readPart(*name, i); !done)
                return done;
        refuseFurtherParts();
        return checkTensors(first, *tensors);
    }

    Result<void> readPart(const PartName& name, std::uint64_t part)
    {
        const std::string path = pathOf(name, part);
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) {
            if (m_incomplete == Incomplete::List && m_absentParts++ >= maxAbsentParts) {
                if (m_absentParts == maxAbsentParts + 1)
                    m_firstFurther = path;
                return {};
            }
            Error error = failed(Errc::NotFound, path, {},
                "the file does not exist, it is part " + std::to_string(part) + " of " + std::to_string(name.parts));
            if (m_incomplete == Incomplete::List)
                m_source.files.push_back(MappedFile::absent(path));
            return refuseOrList(std::move(error));
        }
        const auto head = addFile(path);
        if (!head)
            return isDamage(head.error().code) ? refuseOrList(head.error()) : head.error();
        if (auto done = checkKey(*head, path, partKey, part - 1); !done)
            return done;
        return checkKey(*head, path, partsKey, name.parts);
    }

    /// What to do about a part whose head cannot be read: fails, or goes on without its tensors, which nothing names.
    Result<void> refuseOrList(Error error)
    {
        if (m_incomplete == Incomplete::Refuse)
            return error;
        m_source.allNamed = false;
        m_source.refusals.push_back(std::move(error));
        return {};
    }

    /// One error for all parts that do not exist beyond those listed.
    void refuseFurtherParts()
    {
        if (m_absentParts <= maxAbsentParts)
            return;
        m_source.refusals.push_back(failed(Errc::NotFound, m_firstFurther, {},
            "the file does not exist, nor do " + std::to_string(m_absentParts - maxAbsentParts - 1)
                + " parts behind it"));
    }

    Result<void> checkKey(
        const GgufHead& head, const std::string& file, std::string_view key, std::uint64_t expected) const
    {
        const auto value = number(head, key, maxParts, file);
        if (!value)
            return value.error();
        if (*value == expected)
            return {};
        const GgufEntry* const entry = head.find(key);
        return failed(Errc::Mismatch, file, entry ? std::optional(entry->value.offset) : std::nullopt,
            std::string(key) + (*value ? " is " + std::to_string(**value) : " is missing")
                + ", by its name the file needs " + std::to_string(expected));
    }

    Result<void> checkTensors(const GgufHead& first, std::optional<std::uint64_t> count) const
    {
        if (!count || !m_source.allNamed || *count == m_source.tensors.size())
            return {};
        return failed(Errc::Mismatch, m_path, first.find(tensorsKey)->value.offset,
            "split.tensors.count is " + std::to_string(*count) + ", the parts hold "
                + std::to_string(m_source.tensors.size()) + " tensors");
    }

    const std::string& m_path;
    std::stop_token m_stop;
    Incomplete m_incomplete;
    std::uint64_t m_absentParts = 0; ///< that do not exist
    std::string m_firstFurther; ///< the first one of them that is not listed
    ModelSource m_source;
};

} // namespace

Result<ModelSource> readGguf(const std::string& path, std::stop_token stop, Incomplete incomplete)
{
    return Reader(path, std::move(stop), incomplete).read();
}

} // namespace colibri
