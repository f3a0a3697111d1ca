// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "format/gguf.h"
#include "support/ggufbytes.h"

#include <string>
#include <vector>

namespace colibri::test {

/// Every kind of value, and two tensors of 64 and 36 bytes.
inline GgufWriter goodGguf()
{
    GgufWriter w;
    w.words("general.architecture", "qwen3moe")
        .key("n.u8", u8, raw<std::uint8_t>(200))
        .key("n.i8", i8, raw<std::int8_t>(-3))
        .key("n.u16", u16, raw<std::uint16_t>(60000))
        .key("n.i16", i16, raw<std::int16_t>(-300))
        .key("n.u32", u32, raw<std::uint32_t>(4000000000u))
        .key("n.i32", i32, raw<std::int32_t>(-70000))
        .key("n.f32", f32, raw(1e-5f))
        .key("n.bool", boolean, raw<std::uint8_t>(1))
        .key("n.u64", u64, raw(UINT64_MAX))
        .key("n.i64", i64, raw(INT64_MIN))
        .key("n.f64", f64, raw(1e300))
        .key("list.numbers", array,
            GgufWriter::list(i16, 3, raw<std::int16_t>(1) + raw<std::int16_t>(-2) + raw<std::int16_t>(3)))
        .key("list.texts", array, GgufWriter::strings({"a", "", "\xC4\xA0z"}))
        .key("list.lists", array,
            GgufWriter::list(array, 2, GgufWriter::list(u8, 1, raw<std::uint8_t>(7)) + GgufWriter::strings({"x", "y"})))
        .key("list.empty", array, GgufWriter::list(f64, 0, {}))
        .tensor("b.weight", {4, 2, 2}, 0, QByteArray(64, 'x'))
        .tensor("a.weight", {32, 2}, 2, QByteArray(36, 'y'));
    return w;
}

/// Read as the file "dir/m.gguf".
inline Result<GgufHead> parsed(const QByteArray& file, std::vector<std::string>& notes)
{
    return parseGguf(bytesOfFile(file), "dir/m.gguf", 0, notes);
}

/// goodGguf() with another version.
inline QByteArray ofVersion(std::uint32_t number)
{
    GgufWriter w = goodGguf();
    w.version = number;
    return w.file();
}

} // namespace colibri::test
