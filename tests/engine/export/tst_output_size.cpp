// SPDX-License-Identifier: Apache-2.0
#include "api/colibri.h"
#include "api/session.h"
#include "engine/export/linearsource.h"
#include "support/errorcheck.h"
#include "support/outputrows.h"
#include "support/weightfolder.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr std::array<TokenId, 5> tokens{3, 0, 12, 7, 7};

void someExpert(const float*, float*, int, int) { }

} // namespace

/// What a configuration says about the size of an output row is what the run writes, or it is refused.
class TestOutputSize : public QObject {
    Q_OBJECT

private slots:
    void withHead_data();
    void withHead();
    void linear_data();
    void linear();
    void linearMakesNoTokens();
    void linearOfAnotherSizeInC();

private:
    QString write(std::uint32_t output);
    QTemporaryDir m_dir;
};

/// Where the export lies; empty when it cannot be written.
QString TestOutputSize::write(std::uint32_t output)
{
    LinearSource source;
    source.statedVocabulary = 13;
    source.output = output;
    const QString folder = m_dir.filePath(QString::number(output));
    return QDir(folder).exists() || source.write(folder).isEmpty() ? folder : QString();
}

void TestOutputSize::withHead_data()
{
    QTest::addColumn<int>("difference");
    QTest::newRow("one") << -319;
    QTest::newRow("fewer") << -1;
    QTest::newRow("the vocabulary") << 0;
    QTest::newRow("more") << 1;
    QTest::newRow("far more") << (1 << 24);
}

void TestOutputSize::withHead()
{
    QFETCH(int, difference);
    WeightFolder folder = WeightFolder::read(COLIBRI_TEST_DATA "/qwen3moe-f32");
    QVERIFY(!folder.tensors.empty());
    const int vocabulary = folder.config["vocab_size"].toInt();
    folder.config["output_size"] = vocabulary + difference;
    QTemporaryDir dir;
    QCOMPARE(folder.write(dir.path()), QString());
    const auto model = openModel(dir.path().toStdString());
    if (difference) {
        QCOMPARE(complaint(model, Errc::Mismatch,
                     {"config.json", "offset", "output_size is " + QByteArray::number(vocabulary + difference),
                         "vocab_size " + QByteArray::number(vocabulary)}),
            QString());
        return;
    }
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    const auto session = Session::create(*model, {});
    QVERIFY(session);
    QVERIFY((*session)->begin({{1, 2, 3}, 2, {}, true}, {}));
    QVERIFY((*session)->advance(2, {}, {}));
    QCOMPARE((*session)->generated().size(), std::size_t{2});
}

void TestOutputSize::linear_data()
{
    QTest::addColumn<std::uint32_t>("output");
    for (const std::uint32_t output : {1u, 2u, 6u, 13u, 512u}) // hidden_size is 6, vocab_size 13
        QTest::addRow("%u", output) << output;
}

/// Experts of more and of fewer outputs than inputs, beside a stated vocabulary, against sums in double.
void TestOutputSize::linear()
{
    QFETCH(std::uint32_t, output);
    const QString folder = write(output);
    QVERIFY(!folder.isEmpty());
    const auto model = openModel(folder.toStdString());
    QVERIFY2(model, model ? "" : model.error().message().c_str());
    QCOMPARE((*model)->config().vocabSize, 13u);
    QCOMPARE((*model)->config().outputSize, output);
    const auto session = Session::create(*model, {});
    QVERIFY(session);
    const auto record = (*session)->makeRecord();
    const auto outputs = outputRows(**session, tokens, record);
    QVERIFY2(outputs, outputs ? "" : outputs.error().message().c_str());
    QCOMPARE(outputs->size(), tokens.size() * output);
    for (std::uint32_t t = 0; t < tokens.size(); ++t)
        for (std::uint32_t row = 0; row < output; ++row) {
            double sum = 0;
            for (std::uint32_t rank = 0; rank < LinearSource::k; ++rank)
                sum += double{record->weights(t, 0)[rank]}
                    * LinearSource::outputOf(record->experts(t, 0)[rank], row, tokens[t]);
            QVERIFY(std::abs(double{(*outputs)[t * output + row]} - sum) < 1e-5);
        }
}

void TestOutputSize::linearMakesNoTokens()
{
    const auto model = openModel(write(512).toStdString());
    QVERIFY(model);
    const auto session = Session::create(*model, {});
    QVERIFY(session);
    QCOMPARE(complaint((*session)->begin({{1, 2, 3}, 2, {}, true}, {}), Errc::Unsupported, {"output head"}), QString());
    QCOMPARE(complaint((*session)->setExpertFunction(0, 0, someExpert), Errc::Unsupported, {"512", "6"}), QString());
}

/// A caller of the C interface makes room for hidden_size values.
void TestOutputSize::linearOfAnotherSizeInC()
{
    colibri_model_t model{};
    QCOMPARE(colibri_init(&model, write(512).toUtf8().constData()), -1);
    const QByteArray text = colibri_last_error();
    QVERIFY2(text.contains("output_size is 512") && text.contains("hidden_size 6"), text.constData());
    QCOMPARE(colibri_init(&model, write(6).toUtf8().constData()), 0);
    QCOMPARE(colibri_set_expert_kernel(&model, 0, 0, someExpert), 0);
    colibri_destroy(&model);
}

QTEST_GUILESS_MAIN(TestOutputSize)
#include "tst_output_size.moc"
