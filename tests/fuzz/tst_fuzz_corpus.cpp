// SPDX-License-Identifier: Apache-2.0
#include "fuzz/targets.h"

#include <QDir>
#include <QFile>
#include <QtTest>

using namespace colibri::test;

/// Replays what the fuzzers found worth keeping, and what once went wrong. Under sanitizers this sees what they see.
class FuzzCorpusTest : public QObject {
    Q_OBJECT

private slots:
    void gguf() { replay("gguf", fuzzGguf); }
    void safetensors() { replay("safetensors", fuzzSafetensors); }
    void config() { replay("config", fuzzConfig); }
    void tokenizer() { replay("tokenizer", fuzzTokenizer); }

private:
    void replay(const QString& name, void (*target)(std::span<const std::byte>))
    {
        const QDir folder(QStringLiteral(COLIBRI_FUZZ_CORPUS "/") + name);
        const QStringList files = folder.entryList(QDir::Files);
        QVERIFY(files.size() >= 10);
        for (const QString& path : files) {
            QFile file(folder.filePath(path));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            // A copy of its own size, so that a read behind its end is seen.
            const std::vector<std::byte> input(reinterpret_cast<const std::byte*>(bytes.data()),
                reinterpret_cast<const std::byte*>(bytes.data()) + bytes.size());
            target(input);
        }
    }
};

QTEST_APPLESS_MAIN(FuzzCorpusTest)
#include "tst_fuzz_corpus.moc"
