// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

#include <cstddef>
#include <cstdint>
#include <span>

namespace colibri::test {

/// A safetensors file: the header's length (its own unless one is given), the header, the tensors' bytes.
inline QByteArray safetensorsFile(const QByteArray& header, const QByteArray& data, std::uint64_t length)
{
    QByteArray file;
    for (int i = 0; i < 8; ++i)
        file += static_cast<char>(length >> (8 * i));
    return file + header + data;
}
inline QByteArray safetensorsFile(const QByteArray& header, const QByteArray& data)
{
    return safetensorsFile(header, data, std::uint64_t(header.size()));
}

/// One entry of a header, with its comma when there is one in front.
inline QByteArray entry(
    const QByteArray& name, const QByteArray& dtype, const QByteArray& shape, const QByteArray& offsets)
{
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

inline std::span<const std::byte> bytesOf(const QByteArray& bytes)
{
    return {reinterpret_cast<const std::byte*>(bytes.constData()), std::size_t(bytes.size())};
}

} // namespace colibri::test
