// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace colibri::test {

/// A number as it stands in a file, little-endian.
template <class T>
QByteArray raw(T value)
{
    return QByteArray(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::span<const std::byte> bytesOfFile(const QByteArray& bytes)
{
    return {reinterpret_cast<const std::byte*>(bytes.constData()), std::size_t(bytes.size())};
}

/// Type numbers of metadata values.
enum GgufTypeNumber : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

/// Writes GGUF files, good ones and, by giving counts, types and bytes as they should not be, bad ones.
class GgufWriter {
public:
    std::uint32_t version = 3;
    std::uint32_t alignment = 32; ///< that tensors are laid out by; stated only by key("general.alignment", ...)
    std::int64_t moreTensors = 0; ///< added to the count that the head states
    std::int64_t moreKeys = 0;

    static QByteArray string(const QByteArray& characters)
    {
        return raw<std::uint64_t>(characters.size()) + characters;
    }
    static QByteArray list(std::uint32_t type, std::uint64_t count, const QByteArray& elements)
    {
        return raw(type) + raw(count) + elements;
    }
    static QByteArray strings(const QList<QByteArray>& all)
    {
        QByteArray elements;
        for (const QByteArray& one : all)
            elements += string(one);
        return list(text, std::uint64_t(all.size()), elements);
    }

    GgufWriter& key(const QByteArray& name, std::uint32_t type, const QByteArray& value)
    {
        m_metadata += string(name) + raw(type) + value;
        ++m_keys;
        return *this;
    }
    GgufWriter& number(const QByteArray& name, std::uint32_t value) { return key(name, u32, raw(value)); }
    GgufWriter& words(const QByteArray& name, const QByteArray& value) { return key(name, text, string(value)); }

    /// A tensor behind the others, aligned; dimensions fastest first, as in the file.
    GgufWriter& tensor(
        const QByteArray& name, const QList<std::uint64_t>& dims, std::uint32_t type, const QByteArray& data)
    {
        m_data += QByteArray((alignment - m_data.size() % alignment) % alignment, '\0');
        entry(name, dims, type, std::uint64_t(m_data.size()));
        m_data += data;
        return *this;
    }
    /// Only the entry of the directory.
    GgufWriter& entry(
        const QByteArray& name, const QList<std::uint64_t>& dims, std::uint32_t type, std::uint64_t offset)
    {
        m_infos += string(name) + raw(std::uint32_t(dims.size()));
        for (const std::uint64_t dim : dims)
            m_infos += raw(dim);
        m_infos += raw(type) + raw(offset);
        ++m_tensors;
        return *this;
    }
    /// Bytes behind the tensors.
    GgufWriter& tail(const QByteArray& bytes)
    {
        m_data += bytes;
        return *this;
    }

    /// Everything up to the first tensor.
    QByteArray head() const
    {
        QByteArray file = "GGUF" + raw(version) + raw(std::uint64_t(m_tensors) + std::uint64_t(moreTensors))
            + raw(std::uint64_t(m_keys) + std::uint64_t(moreKeys)) + m_metadata + m_infos;
        return file + QByteArray((alignment - file.size() % alignment) % alignment, '\0');
    }
    QByteArray file() const { return head() + m_data; }

private:
    std::int64_t m_keys = 0;
    std::int64_t m_tensors = 0;
    QByteArray m_metadata;
    QByteArray m_infos;
    QByteArray m_data;
};

} // namespace colibri::test
