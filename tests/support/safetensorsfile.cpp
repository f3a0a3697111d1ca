// SPDX-License-Identifier: Apache-2.0
#include "support/safetensorsfile.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstring>

namespace colibri::test {

StoredTensors readSafetensors(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    quint64 length = 0;
    std::memcpy(&length, bytes.constData(), sizeof length);
    const QByteArray data = bytes.mid(qsizetype(8 + length));
    const QJsonObject header = QJsonDocument::fromJson(bytes.mid(8, qsizetype(length))).object();
    StoredTensors tensors;
    for (const QString& name : header.keys()) {
        const QJsonObject entry = header[name].toObject();
        const QJsonArray offsets = entry["data_offsets"].toArray();
        StoredTensor tensor{entry["dtype"].toString().toUtf8(), {},
            data.mid(offsets[0].toInteger(), offsets[1].toInteger() - offsets[0].toInteger())};
        for (const QJsonValue extent : entry["shape"].toArray())
            tensor.shape.push_back(static_cast<std::uint64_t>(extent.toInteger()));
        tensors.emplace(name.toStdString(), std::move(tensor));
    }
    return tensors;
}

bool writeSafetensors(const QString& path, const StoredTensors& tensors)
{
    QJsonObject header;
    QByteArray data;
    for (const auto& [name, tensor] : tensors) {
        QJsonArray shape;
        for (const std::uint64_t extent : tensor.shape)
            shape.append(qint64(extent));
        header[QString::fromStdString(name)] = QJsonObject{{"dtype", QString::fromUtf8(tensor.dtype)}, {"shape", shape},
            {"data_offsets", QJsonArray{qint64(data.size()), qint64(data.size() + tensor.bytes.size())}}};
        data += tensor.bytes;
    }
    QByteArray text = QJsonDocument(header).toJson(QJsonDocument::Compact);
    text += QByteArray((8 - text.size() % 8) % 8, ' ');
    const auto length = static_cast<quint64>(text.size());
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Truncate)
        && file.write(QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + text + data) > 0;
}

} // namespace colibri::test
