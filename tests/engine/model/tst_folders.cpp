// SPDX-License-Identifier: Apache-2.0
#include "openedfolder.h"

#include "api/export.h"

#include <QJsonArray>
#include <QTest>

using namespace colibri;
using namespace colibri::test;

/// The same weights in other containers: the same numbers to the bit, and the same id.
class TestFolders : public QObject {
    Q_OBJECT

private slots:
    void stacked_data();
    void stacked();
    void ids();
};

void TestFolders::stacked_data()
{
    QTest::addColumn<QString>("name");
    for (const char* const name : {tiny, "mixtral-f32", "qwen2moe-f32", "olmoe-f32", "deepseek2-lite-f32",
             "deepseek2-v3-f32"}) // gpt-oss has its experts stacked anyway
        QTest::newRow(name) << QString(name);
}

/// As transformers 5 has them; the id is that of the folder with a tensor for each expert.
void TestFolders::stacked()
{
    QFETCH(QString, name);
    WeightFolder folder = plainFolder(name);
    REQUIRE_FOLDER(folder);
    const OpenedFolder plain(folder);
    QCOMPARE(plain.failed, QString());
    const std::size_t tensors = folder.tensors.size();
    stackExperts(folder);
    QVERIFY(folder.tensors.size() < tensors / 2);
    QVERIFY(folder.tensors.contains("model.layers.1.mlp.experts.gate_up_proj"));
    const OpenedFolder stacked(folder);
    QCOMPARE(stacked.failed, QString());
    QVERIFY((*stacked.model)->notes().empty());
    const Evaluation expected = plain.evaluated();
    QCOMPARE(expected.error, std::string());
    QVERIFY(stacked.evaluated() == expected);
    QCOMPARE((*stacked.model)->id(), (*plain.model)->id());
    QCOMPARE((*stacked.model)->parameters(), (*plain.model)->parameters());
}

/// One id in a GGUF file, in a folder and in an export, when rules, types and shapes are the same; else another one.
void TestFolders::ids()
{
    const GoldenCase golden("qwen3moe-f32");
    REQUIRE_CASE(golden);
    const auto gguf = openModel(golden.model());
    QVERIFY(gguf);
    const ModelConfig& rules = (*gguf)->config();
    QTemporaryDir dir;
    QCOMPARE(writeHuggingFaceFolder(golden, dir.path()), QString());
    WeightFolder folder = WeightFolder::read(dir.path());
    folder.config["bos_token_id"] = int(*rules.beginOfText);
    folder.config["add_bos_token"] = rules.addBeginOfText;
    QJsonArray ends;
    for (const TokenId id : rules.endOfText)
        ends.append(int(id));
    folder.config["eos_token_id"] = ends;
    const auto idOf = [](const WeightFolder& one) {
        const OpenedFolder opened(one);
        return opened.model ? (*opened.model)->id() : opened.model.error().message();
    };
    const std::string id = (*gguf)->id();
    QCOMPARE(idOf(folder), id);
    const OpenedFolder opened(folder);
    const std::string out = opened.dir.filePath("export").toStdString();
    QVERIFY(exportModel(**opened.model, out, {}));
    const auto exported = openModel(out);
    QVERIFY(exported);
    QCOMPARE((*exported)->id(), id);

    WeightFolder rule = folder;
    rule.config["norm_topk_prob"] = false;
    QVERIFY(idOf(rule) != id);
    WeightFolder type = folder;
    FolderTensor& head = type.tensors["lm_head.weight"];
    head.dtype = "BF16";
    head.bytes.truncate(head.bytes.size() / 2);
    QVERIFY(idOf(type) != id);
    WeightFolder tied = folder;
    tied.tensors.erase("lm_head.weight");
    QVERIFY(idOf(tied) != id);
    WeightFolder more = folder;
    more.tensors["model.layers.0.rotary_emb.inv_freq"] = folder.tensors["model.norm.weight"];
    QCOMPARE(idOf(more), id);
}

QTEST_GUILESS_MAIN(TestFolders)
#include "tst_folders.moc"
