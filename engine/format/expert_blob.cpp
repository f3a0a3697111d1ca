// SPDX-License-Identifier: Apache-2.0
#include "format/tensor_directory.h"

#include <algorithm>
#include <cstring>

namespace colibri {
namespace {

/// One rule about one field of the header.
struct FieldRule {
    std::string_view field;
    std::size_t offset;
    std::uint64_t found;
    std::uint64_t expected;
    std::string reason;
};

Error fieldError(const MappedFile& mapped, const FieldRule& rule, Errc code)
{
    return {code, "read an expert's header", mapped.path(), rule.offset,
        std::string(rule.field) + " is " + std::to_string(rule.found) + ", " + rule.reason};
}

Result<void> checkMagic(const expert_blob_t& header, const MappedFile& mapped)
{
    if (std::ranges::equal(header.magic, expertMagic))
        return {};
    std::string bytes;
    for (const char byte : header.magic)
        bytes += checksumText(static_cast<unsigned char>(byte)).substr(14) + " ";
    return Error{Errc::Malformed, "read an expert's header", mapped.path(), offsetof(expert_blob_t, magic),
        "magic is " + bytes + "(hex), it has to be \"COLIBRI\" and a zero byte"};
}

std::string codeText(std::uint16_t code)
{
    const auto dtype = dtypeOfCode(code);
    return std::to_string(code) + (dtype ? " (" + std::string(name(*dtype)) + ")" : ", which stands for no type");
}

Result<void> checkDType(const expert_blob_t& header, const DirectoryFile& file, const MappedFile& mapped)
{
    const DType first = file.tensors.front().dtype;
    const std::uint16_t expected = *dtypeCode(first); // the directory has no other types
    if (header.dtype == expected)
        return {};
    return Error{Errc::Mismatch, "read an expert's header", mapped.path(), offsetof(expert_blob_t, dtype),
        "dtype is " + codeText(header.dtype) + "; the first tensor of the blob is " + std::string(name(first))
            + " in config.json, which is code " + std::to_string(expected)};
}

Result<void> checkOrder(const DirectoryFile& file, const MappedFile& mapped)
{
    for (std::size_t i = 1; i < file.tensors.size(); ++i)
        if (file.tensors[i].offset < file.tensors[i - 1].offset)
            return Error{Errc::Malformed, "place a tensor", mapped.path(), file.tensors[i].offset,
                file.tensors[i].name + " lies in front of " + file.tensors[i - 1].name
                    + ", a blob holds its tensors in the order of config.json"};
    return {};
}

Result<void> checkPayload(
    const expert_blob_t& header, const DirectoryFile& file, const MappedFile& mapped, std::vector<std::string>& notes)
{
    const std::uint64_t room = mapped.bytes().size() - sizeof(expert_blob_t);
    const FieldRule rule{"payload_size", offsetof(expert_blob_t, payload_size), header.payload_size, room,
        "the file has " + std::to_string(room) + " bytes behind the header"};
    if (rule.found > rule.expected)
        return fieldError(mapped, rule, Errc::Truncated);
    for (const TensorInfo& tensor : file.tensors)
        if (tensor.offset > sizeof(expert_blob_t) + header.payload_size
            || tensor.size > sizeof(expert_blob_t) + header.payload_size - tensor.offset)
            return Error{Errc::Mismatch, "place a tensor", mapped.path(), tensor.offset,
                tensor.name + " has " + std::to_string(tensor.size) + " bytes from here, the payload ends at "
                    + std::to_string(sizeof(expert_blob_t) + header.payload_size)};
    if (rule.found < rule.expected)
        notes.push_back(mapped.path() + " has " + std::to_string(rule.expected - rule.found)
            + " bytes behind the payload, which belong to nothing.");
    return {};
}

} // namespace

Result<void> checkExpertBlob(
    const DirectoryFile& file, const MappedFile& mapped, ExpertLimits limits, std::vector<std::string>& notes)
{
    const ExpertPlace place = *file.expert;
    if (place.layer >= limits.layers || place.expert >= limits.experts)
        return Error{Errc::OutOfRange, "find an expert's place", mapped.path(), {},
            "the name says layer " + std::to_string(place.layer) + ", expert " + std::to_string(place.expert)
                + "; config.json has " + std::to_string(limits.layers) + " layers of " + std::to_string(limits.experts)
                + " experts"};
    expert_blob_t header = {};
    if (mapped.bytes().size() < sizeof header)
        return Error{Errc::Truncated, "read an expert's header", mapped.path(), mapped.bytes().size(),
            "the file ends here, the header has " + std::to_string(sizeof header) + " bytes"};
    std::memcpy(&header, mapped.bytes().data(), sizeof header);
    if (auto done = checkMagic(header, mapped); !done)
        return done;

    const FieldRule rules[]{
        {"version", offsetof(expert_blob_t, version), header.version, colibriVersion,
            "this version reads " + std::to_string(colibriVersion)},
        {"layer", offsetof(expert_blob_t, layer), header.layer, place.layer,
            "the file's name says " + std::to_string(place.layer)},
        {"expert", offsetof(expert_blob_t, expert), header.expert, place.expert,
            "the file's name says " + std::to_string(place.expert)},
        {"header_size", offsetof(expert_blob_t, header_size), header.header_size, sizeof header,
            "it has to be " + std::to_string(sizeof header)},
        {"tensor_count", offsetof(expert_blob_t, tensor_count), header.tensor_count, file.tensors.size(),
            "config.json lists " + std::to_string(file.tensors.size())},
    };
    for (const FieldRule& rule : rules)
        if (rule.found != rule.expected)
            return fieldError(mapped, rule, rule.field == "version" ? Errc::Unsupported : Errc::Mismatch);

    if (auto done = checkDType(header, file, mapped); !done)
        return done;
    for (std::size_t i = 0; i < sizeof header.zero; ++i)
        if (header.zero[i])
            return Error{Errc::Malformed, "read an expert's header", mapped.path(), offsetof(expert_blob_t, zero) + i,
                "reserved byte is " + std::to_string(header.zero[i]) + ", it has to be 0"};
    if (auto done = checkOrder(file, mapped); !done)
        return done;
    return checkPayload(header, file, mapped, notes);
}

} // namespace colibri
