// SPDX-License-Identifier: Apache-2.0
#include "format/readers.h"
#include "model/find_tensor.h"
#include "support/generatedmodel.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace colibri;
using namespace colibri::test;

/// Tensors that a folder stacks, turns around, or keeps apart from their scales.
class TestFindTensor : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void columnsInTurn();
    void turned();
    void halvesOfRows();
    void mxfp4();
    void missing();

private:
    FoundTensor find(const TensorSlot& slot, std::uint32_t expert) const;
    static const TensorSlot& slotNamed(Architecture id, std::string_view part);
    QTemporaryDir m_dir;
    ModelSource m_source;
};

/// gate_up [2][2 in][6 out] and down of layer 0; blocks [2][4 rows][1 group][16] of layer 1.
void TestFindTensor::initTestCase()
{
    QByteArray data;
    for (int i = 0; i < 24; ++i) {
        const float value = static_cast<float>(i);
        data.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    for (int i = 0; i < 128; ++i)
        data.append(static_cast<char>(i * 37 + 11));
    for (int i = 0; i < 8; ++i)
        data.append(static_cast<char>(100 + i));
    QByteArray header =
        R"({"model.layers.0.mlp.experts.gate_up_proj":{"dtype":"F32","shape":[2,2,6],"data_offsets":[0,96]},
"model.layers.1.mlp.experts.gate_up_proj_blocks":{"dtype":"U8","shape":[2,4,1,16],"data_offsets":[96,224]},
"model.layers.1.mlp.experts.gate_up_proj_scales":{"dtype":"U8","shape":[2,4,1],"data_offsets":[224,232]}})";
    while (header.size() % 8)
        header += ' ';
    const quint64 length = static_cast<quint64>(header.size());
    const std::string bytes =
        (QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + header + data).toStdString();
    QVERIFY(writeFile(m_dir.filePath("model.safetensors").toStdString(), bytes));
    QVERIFY(writeFile(m_dir.filePath("config.json").toStdString(), "{}"));
    auto source = readModelSource(m_dir.path().toStdString(), {}, {});
    QVERIFY2(source, source ? "" : source.error().message().c_str());
    m_source = std::move(*source);
}

const TensorSlot& TestFindTensor::slotNamed(Architecture id, std::string_view part)
{
    for (const TensorSlot& slot : specOf(id).tensors)
        if (slot.name.find(part) != std::string_view::npos)
            return slot;
    qFatal("no such slot");
}

FoundTensor TestFindTensor::find(const TensorSlot& slot, std::uint32_t expert) const
{
    const auto found = findTensor(m_source, slot, 0, expert);
    if (!found)
        qFatal("not found");
    return *found;
}

void TestFindTensor::columnsInTurn()
{
    for (const bool up : {false, true}) {
        const FoundTensor found = find(slotNamed(Architecture::GptOss, up ? "up_proj.weight" : "gate_proj.weight"), 1);
        QVERIFY(found.scattered() && found.stacked);
        QCOMPARE(found.part.shape, (std::vector<std::uint64_t>{3, 2}));
        std::vector<float> gathered(6);
        QCOMPARE(gatheredBytes(found), std::uint64_t{24});
        gather(m_source, found, 1, reinterpret_cast<std::byte*>(gathered.data()));
        const float odd = up ? 1.f : 0.f; // element [expert][in][out] is 12 expert + 6 in + out
        QCOMPARE(gathered, (std::vector<float>{12 + odd, 18 + odd, 14 + odd, 20 + odd, 16 + odd, 22 + odd}));
    }
}

void TestFindTensor::turned()
{
    TensorSlot slot = slotNamed(Architecture::GptOss, "down_proj.weight");
    slot.stacked.name = "model.layers.{layer}.mlp.experts.gate_up_proj";
    const FoundTensor found = find(slot, 1);
    QVERIFY(!found.scattered());
    QCOMPARE(found.part.shape, (std::vector<std::uint64_t>{6, 2}));
    QCOMPARE(found.part.layout, Layout::ColumnMajor);
    QCOMPARE(found.part.offset, found.stored->offset + 48);
}

void TestFindTensor::halvesOfRows()
{
    const FoundTensor gate = find(slotNamed(Architecture::Qwen3Moe, "gate_proj.weight"), 1);
    const FoundTensor up = find(slotNamed(Architecture::Qwen3Moe, "up_proj.weight"), 1);
    QCOMPARE(gate.part.shape.size(), std::size_t{2});
    QCOMPARE(gate.part.size, std::uint64_t{24});
    QCOMPARE(gate.part.offset, gate.stored->offset + 48);
    QCOMPARE(up.part.offset, up.stored->offset + 72);
    QCOMPARE(up.part.name, std::string("model.layers.0.mlp.experts.1.up_proj.weight"));
}

/// A block's numbers change places; its scale comes in front.
void TestFindTensor::mxfp4()
{
    const auto found = findTensor(m_source, slotNamed(Architecture::GptOss, "up_proj.weight"), 1, 1);
    QVERIFY(found && found->scattered());
    QCOMPARE(found->part.dtype, DType::MXFP4);
    QCOMPARE(found->part.shape, (std::vector<std::uint64_t>{2, 32}));
    std::vector<std::uint8_t> gathered(gatheredBytes(*found));
    QCOMPARE(gathered.size(), std::size_t{34});
    gather(m_source, *found, 1, reinterpret_cast<std::byte*>(gathered.data()));
    for (std::size_t r = 0; r < 2; ++r) {
        const std::size_t row = 4 + 2 * r + 1; // expert 1, the odd rows
        QCOMPARE(int(gathered[r * 17]), int(100 + row));
        for (std::size_t i = 0; i < 32; ++i) {
            const auto both = static_cast<std::uint8_t>((row * 16 + i / 2) * 37 + 11);
            const std::uint8_t byte = gathered[r * 17 + 1 + i % 16];
            QCOMPARE(int(i < 16 ? byte & 15 : byte >> 4), int(i % 2 ? both >> 4 : both & 15));
        }
    }
}

void TestFindTensor::missing()
{
    const TensorSlot& slot = slotNamed(Architecture::GptOss, "up_proj.weight");
    QVERIFY(!findTensor(m_source, slot, 2, 0));
    QVERIFY(!findTensor(m_source, slot, 0, 2)); // there are two experts
    QVERIFY(!findTensor(m_source, slot, 1, 2));
}

QTEST_GUILESS_MAIN(TestFindTensor)
#include "tst_find_tensor.moc"
