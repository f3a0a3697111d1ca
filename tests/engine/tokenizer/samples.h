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
    for (const QJsonValue id : list.toArray())
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

/// A stage of a tokenizer.json.
inline QJsonObject stage(const char* type, QJsonObject members = {})
{
    members["type"] = type;
    return members;
}

inline QJsonObject replaced(const QString& from, const QString& to)
{
    return stage("Replace", {{"pattern", QJsonObject{{"String", from}}}, {"content", to}});
}

inline const QString mark = QStringLiteral("\u2581"); ///< stands for a space

/// BPE over characters as Mixtral has it: <unk> <s> </s>, 256 bytes from id 3 on, then characters and merges from 259
/// on.
inline QJsonObject characterTokenizer()
{
    QJsonObject vocab{{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}};
    for (int byte = 0; byte < 256; ++byte)
        vocab["<0x" + QString("%1").arg(byte, 2, 16, QChar('0')).toUpper() + ">"] = 3 + byte;
    int next = 259;
    for (const QString& token : {mark, QStringLiteral("a"), QStringLiteral("b"), mark + mark, mark + "a",
             QStringLiteral("ab"), mark + "ab", QStringLiteral("\u00E9")})
        vocab[token] = next++;
    const QJsonArray merges{mark + " " + mark, mark + " a", "a b", mark + "a b", mark + " ab"};
    return {{"added_tokens",
                QJsonArray{addedToken(0, "<unk>", {"special"}), addedToken(1, "<s>", {"special"}),
                    addedToken(2, "</s>", {"special"})}},
        {"normalizer",
            stage(
                "Sequence", {{"normalizers", QJsonArray{stage("Prepend", {{"prepend", mark}}), replaced(" ", mark)}}})},
        {"decoder",
            stage("Sequence",
                {{"decoders",
                    QJsonArray{replaced(mark, " "), stage("ByteFallback"), stage("Fuse"),
                        stage("Strip", {{"content", " "}, {"start", 1}, {"stop", 0}})}}})},
        {"model",
            QJsonObject{{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}, {"byte_fallback", true},
                {"fuse_unk", true}, {"unk_token", "<unk>"}}}};
}

inline Result<std::shared_ptr<const Tokenizer>> parseObject(const QJsonObject& object)
{
    const QByteArray json = QJsonDocument(object).toJson(QJsonDocument::Compact);
    return Tokenizer::parse({json.constData(), std::size_t(json.size())}, "dir/tokenizer.json");
}

/// Ids as a text, for comparisons that show both sides.
inline QByteArray listed(const std::vector<TokenId>& ids)
{
    QByteArray text;
    for (const TokenId id : ids)
        text += QByteArray::number(id) + " ";
    return text;
}

} // namespace colibri::test
