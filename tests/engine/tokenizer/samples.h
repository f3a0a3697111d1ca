// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tokenizer/tokenizer.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace colibri::test {

inline QJsonDocument readJsonFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()) : QJsonDocument();
}

inline std::vector<TokenId> idsOf(const QJsonValue& list)
{
    std::vector<TokenId> ids;
    for (const QJsonValue& id : list.toArray())
        ids.push_back(TokenId(id.toInt()));
    return ids;
}

/// The character that byte-level spelling writes for a byte.
inline QChar spelled(int byte)
{
    const auto printable = [](int b) { return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174; };
    int others = 0;
    for (int before = 0; before < byte; ++before)
        others += printable(before) ? 0 : 1;
    return printable(byte) ? QChar(byte) : QChar(256 + others);
}

/// An object of tokenizer.json for an added token; `flags` names those that are set.
inline QJsonObject addedToken(int id, const QString& content, const QStringList& flags = {})
{
    QJsonObject token{{"id", id}, {"content", content}};
    for (const char* const flag : {"single_word", "lstrip", "rstrip", "normalized", "special"})
        token[flag] = flags.contains(flag);
    return token;
}

/// A small whole tokenizer.json: the 256 bytes as ids 0 to 255, then h+e, l+l, he+ll, hell+o, space+hello as 256 to
/// 260,
/// <|end|> as 261; splits as GPT-2 does.
inline QJsonObject smallTokenizer()
{
    QJsonObject vocab;
    for (int byte = 0; byte < 256; ++byte)
        vocab[spelled(byte)] = byte;
    int next = 256;
    QJsonArray merges;
    for (const auto& [left, right] : QList<std::pair<QString, QString>>{
             {"h", "e"}, {"l", "l"}, {"he", "ll"}, {"hell", "o"}, {spelled(' '), "hello"}}) {
        vocab[left + right] = next++;
        merges.append(left + " " + right);
    }
    const QJsonObject byteLevel{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
    return {{"version", "1.0"}, {"added_tokens", QJsonArray{addedToken(next, "<|end|>", {"special"})}},
        {"normalizer", QJsonValue()}, {"pre_tokenizer", byteLevel}, {"post_processor", QJsonValue()},
        {"decoder", byteLevel}, {"model", QJsonObject{{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
}

inline Result<std::shared_ptr<const Tokenizer>> parseObject(const QJsonObject& object)
{
    const QByteArray json = QJsonDocument(object).toJson(QJsonDocument::Compact);
    return Tokenizer::parse({json.constData(), std::size_t(json.size())}, "dir/tokenizer.json");
}

} // namespace colibri::test
