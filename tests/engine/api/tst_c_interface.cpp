// SPDX-License-Identifier: Apache-2.0
#include "api/colibri.h"
#include "api/export.h"
#include "api/session.h"
#include "support/allocationcount.h"
#include "support/generatedmodel.h"
#include "support/outputrows.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <bit>
#include <thread>

using namespace colibri;
using namespace colibri::test;

/// The C interface: from a C program, with kernels of the caller's own, and its refusals.
class TestCInterface : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cProgramGivesTheEnginesBits();
    void structIsFilled();
    void inferAllocatesNothing();
    void kernelsFromTheConfiguration();
    void oneExpertReplaced();
    void refusals();
    void errorsAreThreadLocal();

private:
    std::string exported(const GeneratedShape& shape, const char* name);
    std::vector<float> rows(const std::string& folder, const std::vector<TokenId>& tokens);
    QTemporaryDir m_dir;
    std::string m_model;
    std::string m_oneLayer;
};

std::string TestCInterface::exported(const GeneratedShape& shape, const char* name)
{
    const QString source = m_dir.filePath(QString(name) + "-source");
    QDir().mkpath(source);
    writeHuggingFaceModel(source.toStdString(), shape);
    const auto model = openModel(source.toStdString());
    const std::string out = m_dir.filePath(name).toStdString();
    if (!model || !exportModel(**model, out, {}))
        qFatal("cannot export");
    return out;
}

std::vector<float> TestCInterface::rows(const std::string& folder, const std::vector<TokenId>& tokens)
{
    const auto model = openModel(folder);
    const auto session = Session::create(*model, {});
    const auto all = outputRows(**session, tokens);
    return all ? *all : std::vector<float>();
}

void TestCInterface::initTestCase()
{
    m_model = exported({}, "model");
    GeneratedShape one;
    one.layers = 1;
    m_oneLayer = exported(one, "one-layer");
}

void TestCInterface::cProgramGivesTheEnginesBits()
{
    QProcess program;
    program.start(C_PROGRAM, {QString::fromStdString(m_model + "/config.json"), "5", "17", "100", "3"});
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.readAllStandardError(), QByteArray());
    QCOMPARE(program.exitCode(), 0);
    const QList<QByteArray> words = program.readAllStandardOutput().replace('\n', ' ').trimmed().split(' ');
    const std::vector<float> expected = rows(m_model, {5, 17, 100, 3});
    QCOMPARE(words.size(), qsizetype(expected.size()));
    for (qsizetype i = 0; i < words.size(); ++i)
        QCOMPARE(std::bit_cast<std::uint32_t>(std::strtof(words[i].constData(), nullptr)),
            std::bit_cast<std::uint32_t>(expected[i]));
    program.start(C_PROGRAM, {QString::fromStdString(m_model), "101"});
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.exitCode(), 1);
    QVERIFY(program.readAllStandardError().contains("token 101"));
    program.start(C_PROGRAM, {m_dir.filePath("nothing"), "1"});
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.exitCode(), 2);
    QVERIFY(program.readAllStandardError().contains("nothing"));
}

void TestCInterface::structIsFilled()
{
    colibri_model_t model = {};
    QCOMPARE(colibri_init(&model, m_model.c_str()), 0);
    QCOMPARE(model.num_experts, 7);
    QCOMPARE(model.hidden_size, 70);
    QCOMPARE(model.vocab_size, 101);
    QVERIFY(model.router_table == nullptr);
    QCOMPARE(model.router_size, std::size_t{0});
    for (int e = 0; e < 7; ++e) {
        QCOMPARE(QByteArray(reinterpret_cast<const char*>(model.expert_blobs[e]), 8), QByteArray("COLIBRI\0", 8));
        QVERIFY(model.expert_sizes[e] >= 64 + 3 * 70 * 45 * 2);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(model.expert_blobs[e]) % 64, std::uintptr_t{0});
    }
    colibri_destroy(&model);
    QVERIFY(model.impl == nullptr && model.expert_blobs == nullptr && model.num_experts == 0);
}

void TestCInterface::inferAllocatesNothing()
{
    colibri_model_t model = {};
    QCOMPARE(colibri_init(&model, m_model.c_str()), 0);
    std::vector<int> tokens(200, 42);
    std::vector<float> output(200 * 101);
    const std::uint64_t before = allocations();
    const int status = colibri_infer(&model, tokens.data(), 200, output.data());
    const std::uint64_t after = allocations();
    QCOMPARE(status, 0);
    QCOMPARE(after - before, std::uint64_t{0});
    colibri_destroy(&model);
}

namespace {

void zeros(const float*, float* output, int rows, int width)
{
    std::fill_n(output, std::size_t(rows) * width, 0.f);
}
int calls = 0;
void copies(const float* input, float* output, int rows, int width)
{
    calls += rows;
    std::copy_n(input, std::size_t(rows) * width, output);
}

} // namespace

void TestCInterface::kernelsFromTheConfiguration()
{
    model_config_t config = {};
    config.weights_path = m_oneLayer.c_str();
    config.hidden_size = 70;
    config.num_experts = 7;
    config.max_seq_len = 16;
    for (int e = 0; e < 7; ++e)
        config.expert_kernels[e] = reinterpret_cast<void*>(&copies);
    colibri_model_t model = {};
    QVERIFY2(colibri_init_config(&model, &config) == 0, colibri_last_error());
    const int tokens[]{1, 2, 3, 4, 5};
    std::vector<float> output(5 * 101);
    calls = 0;
    QCOMPARE(colibri_infer(&model, tokens, 5, output.data()), 0);
    QCOMPARE(calls, 5 * 3); // every token went to three experts
    std::vector<int> long_(17, 1);
    QCOMPARE(colibri_infer(&model, long_.data(), 17, output.data()), -1);
    QVERIFY(QByteArray(colibri_last_error()).contains("between 1 and 16"));
    colibri_destroy(&model);

    config.weights_path = m_model.c_str(); // three layers
    QCOMPARE(colibri_init_config(&model, &config), -1);
    QVERIFY(QByteArray(colibri_last_error()).contains("colibri_set_expert_kernel"));
    std::fill_n(config.expert_kernels, 32, nullptr);
    config.hidden_size = 71;
    QCOMPARE(colibri_init_config(&model, &config), -1);
    QVERIFY(QByteArray(colibri_last_error()).contains("hidden_size is 71, the folder's is 70"));
}

void TestCInterface::oneExpertReplaced()
{
    GeneratedShape shape;
    const QString source = m_dir.filePath("zeroed");
    QDir().mkpath(source);
    writeHuggingFaceModel(source.toStdString(), shape, [](const std::string& tensor, std::uint64_t, float value) {
        return tensor == "model.layers.1.mlp.experts.2.down_proj.weight" ? 0.f : value;
    });
    std::vector<TokenId> ids;
    std::vector<int> tokens;
    for (int i = 0; i < 40; ++i) {
        tokens.push_back(i * 37 % 101);
        ids.push_back(static_cast<TokenId>(tokens.back()));
    }
    const std::vector<float> expected = rows(source.toStdString(), ids);
    colibri_model_t model = {};
    QCOMPARE(colibri_init(&model, m_model.c_str()), 0);
    std::vector<float> output(40 * 101);
    QCOMPARE(colibri_set_expert_kernel(&model, 1, 2, &zeros), 0);
    QCOMPARE(colibri_infer(&model, tokens.data(), 40, output.data()), 0);
    QCOMPARE(output, expected);
    QCOMPARE(colibri_set_expert_kernel(&model, 1, 2, nullptr), 0);
    QCOMPARE(colibri_infer(&model, tokens.data(), 40, output.data()), 0);
    QVERIFY(output != expected);
    QCOMPARE(output, rows(m_model, ids));
    QCOMPARE(colibri_set_expert_kernel(&model, 3, 0, &zeros), -1);
    QVERIFY(QByteArray(colibri_last_error()).contains("layer 3"));
    colibri_destroy(&model);
}

void TestCInterface::refusals()
{
    colibri_model_t model = {};
    QCOMPARE(colibri_init(nullptr, "x"), -1);
    QCOMPARE(colibri_init(&model, nullptr), -1);
    QCOMPARE(colibri_init_config(&model, nullptr), -1);
    QCOMPARE(colibri_init(&model, (m_model + "-source").c_str()), -1);
    QVERIFY(QByteArray(colibri_last_error()).contains("Hugging Face"));
    QVERIFY(model.impl == nullptr);
    int token = 1;
    float output = 0;
    QCOMPARE(colibri_infer(&model, &token, 1, &output), -1);
    colibri_destroy(&model);
    colibri_destroy(nullptr);
}

void TestCInterface::errorsAreThreadLocal()
{
    colibri_model_t model = {};
    QCOMPARE(colibri_init(&model, "nowhere"), -1);
    QByteArray other = "unset";
    std::thread([&] { other = colibri_last_error(); }).join();
    QCOMPARE(other, QByteArray());
    QVERIFY(QByteArray(colibri_last_error()).contains("nowhere"));
}

QTEST_GUILESS_MAIN(TestCInterface)
#include "tst_c_interface.moc"
