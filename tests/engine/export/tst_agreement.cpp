// SPDX-License-Identifier: Apache-2.0
#include "api/agreement.h"

#include "api/export.h"
#include "engine/export/linearsource.h"
#include "engine/session/sessiontools.h"
#include "support/errorcheck.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

using namespace colibri;
using namespace colibri::test;

namespace {

std::vector<float> floatsOf(const std::vector<std::uint32_t>& bits)
{
    std::vector<float> values;
    values.reserve(bits.size());
    for (const std::uint32_t one : bits)
        values.push_back(std::bit_cast<float>(one));
    return values;
}

double lossOf(const float* row, std::size_t width, TokenId target)
{
    long double sum = 0;
    for (std::size_t i = 0; i < width; ++i)
        sum += std::exp(static_cast<long double>(row[i]));
    return static_cast<double>(std::log(sum) - static_cast<long double>(row[target]));
}

} // namespace

/// compareModels() against a comparison of two evaluations.
class TestAgreement : public QObject {
    Q_OBJECT

private slots:
    void keptTypesAgreeWholly();
    void agreesAsFarAsTwoEvaluations_data();
    void agreesAsFarAsTwoEvaluations();
    void linearMoePredictsNothing();
    void otherShapesAreRefused();
    void nothingToCompare();
    void stopping();
    void defaultTokens_data();
    void defaultTokens();

private:
    ModelPtr exported(const Model& model, std::optional<DType> dtype);
    QTemporaryDir m_folder;
    int m_exports = 0;
};

ModelPtr TestAgreement::exported(const Model& model, std::optional<DType> dtype)
{
    const std::string out = m_folder.filePath(QString::number(++m_exports)).toStdString();
    const auto report = exportModel(model, out, {dtype, {}});
    if (!report)
        qFatal("%s", report.error().message().c_str());
    return *openModel(out);
}

void TestAgreement::keptTypesAgreeWholly()
{
    const OpenedModel source({.dtype = DType::F32});
    const ModelPtr copy = exported(*source.model, DType::F32);
    const std::vector<TokenId> tokens = someTokens(60, 101);
    OpenProgress progress;
    const auto agreement = compareModels(source.model, copy, tokens, {}, &progress);
    QVERIFY2(agreement, agreement ? "" : agreement.error().message().c_str());
    QCOMPARE(agreement->tokens, 60u);
    QCOMPARE(agreement->window, 60u);
    QCOMPARE(agreement->decisions, std::uint64_t{180});
    QCOMPARE(agreement->sameExperts, std::uint64_t{180});
    QVERIFY(!agreement->firstDifference);
    QCOMPARE(agreement->maxRouterLogitDifference, 0.f);
    QCOMPARE(agreement->maxLogitDifference, 0.f);
    QCOMPARE(agreement->rmsLogitDifference, 0.0);
    QCOMPARE(agreement->logitNmse, 0.0);
    QCOMPARE(agreement->sameGreedy, 60u);
    QVERIFY(agreement->sourceLoss > 0);
    QCOMPARE(agreement->exportLoss, agreement->sourceLoss);
    QCOMPARE(progress.bytesTotal(), std::uint64_t{120});
    QCOMPARE(progress.bytesDone(), std::uint64_t{120});
}

void TestAgreement::agreesAsFarAsTwoEvaluations_data()
{
    QTest::addColumn<DType>("dtype");
    QTest::addColumn<std::uint32_t>("context");
    QTest::addColumn<std::uint32_t>("laterThan"); ///< the first difference is
    QTest::newRow("int8, one window") << DType::Int8 << 0u << 0u;
    QTest::newRow("int8, windows of 16") << DType::Int8 << 16u << 0u;
    QTest::newRow("bf16, windows of 8") << DType::BF16 << 8u << 8u;
}

void TestAgreement::agreesAsFarAsTwoEvaluations()
{
    QFETCH(const DType, dtype);
    QFETCH(const std::uint32_t, context);
    QFETCH(const std::uint32_t, laterThan);
    const OpenedModel source({.dtype = DType::F32});
    const ModelPtr copy = exported(*source.model, dtype);
    const std::vector<TokenId> tokens = someTokens(210, 101);
    EngineOptions options;
    options.context = context;
    const auto agreement = compareModels(source.model, copy, tokens, options);
    QVERIFY2(agreement, agreement ? "" : agreement.error().message().c_str());

    constexpr std::size_t width = 101;
    constexpr std::size_t layers = 3;
    constexpr std::size_t k = 3;
    const std::size_t window = context ? context : tokens.size();
    double most = 0, mostRouter = 0, squares = 0, differences = 0, losses[2]{};
    std::uint64_t same = 0;
    std::uint32_t greedy = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> apart; // position, layer
    for (std::size_t at = 0; at < tokens.size(); at += window) {
        const auto part = std::span(tokens).subspan(at, std::min(window, tokens.size() - at));
        const Evaluation a = evaluate(source.model, options, part);
        const Evaluation b = evaluate(copy, options, part);
        const std::vector<float> left = floatsOf(a.logits);
        const std::vector<float> right = floatsOf(b.logits);
        QCOMPARE(left.size(), part.size() * width);
        for (std::size_t i = 0; i < left.size(); ++i) {
            const double apartBy = std::abs(double{left[i]} - double{right[i]});
            most = std::max(most, apartBy);
            differences += apartBy * apartBy;
            squares += double{left[i]} * double{left[i]};
        }
        const std::vector<float> leftRouter = floatsOf(a.routerLogits);
        const std::vector<float> rightRouter = floatsOf(b.routerLogits);
        for (std::size_t i = 0; i < leftRouter.size(); ++i)
            mostRouter = std::max(mostRouter, std::abs(double{leftRouter[i]} - double{rightRouter[i]}));
        for (std::size_t p = 0; p < part.size(); ++p) {
            const float* rows[]{&left[p * width], &right[p * width]};
            greedy += std::max_element(rows[0], rows[0] + width) - rows[0]
                == std::max_element(rows[1], rows[1] + width) - rows[1];
            for (std::size_t layer = 0; layer < layers; ++layer) {
                const std::size_t first = (layer * part.size() + p) * k;
                const std::set<std::uint16_t> l(&a.experts[first], &a.experts[first] + k);
                const std::set<std::uint16_t> r(&b.experts[first], &b.experts[first] + k);
                same += l == r;
                if (l != r)
                    apart.emplace_back(at + p, layer);
            }
            for (int model = 0; at + p + 1 < tokens.size() && model < 2; ++model)
                losses[model] += lossOf(rows[model], width, tokens[at + p + 1]);
        }
    }
    QCOMPARE(agreement->window, std::uint32_t(window));
    QCOMPARE(agreement->sameExperts, same);
    QCOMPARE(agreement->sameGreedy, greedy);
    QCOMPARE(double{agreement->maxLogitDifference}, most);
    QCOMPARE(double{agreement->maxRouterLogitDifference}, mostRouter);
    const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
    QVERIFY(close(agreement->logitNmse, differences / squares));
    QVERIFY(close(agreement->rmsLogitDifference, std::sqrt(differences / double(tokens.size() * width))));
    QVERIFY(close(agreement->sourceLoss, losses[0] / double(tokens.size() - 1)));
    QVERIFY(close(agreement->exportLoss, losses[1] / double(tokens.size() - 1)));
    QVERIFY(most > 0 && agreement->logitNmse < 1e-2 && same < agreement->decisions); // or this says little
    QVERIFY(agreement->firstDifference);
    std::ranges::sort(apart);
    QVERIFY2(apart[0].first >= laterThan, qPrintable(QString::number(apart[0].first)));
    QCOMPARE(agreement->firstDifference->position, apart[0].first);
    QCOMPARE(agreement->firstDifference->layer, apart[0].second);
    QVERIFY(agreement->firstDifference->margin >= 0 && double{agreement->firstDifference->margin} <= 2 * mostRouter);
}

void TestAgreement::linearMoePredictsNothing()
{
    const QString folder = m_folder.filePath("linear");
    QCOMPARE(LinearSource().write(folder), QString());
    const auto source = openModel(folder.toStdString());
    QVERIFY(source);
    const ModelPtr copy = exported(**source, DType::F16);
    const auto tokens = colibri::defaultTokens(**source, 50); // more than the context of 16
    const auto agreement = compareModels(*source, copy, tokens, {});
    QVERIFY2(agreement, agreement ? "" : agreement.error().message().c_str());
    QCOMPARE(agreement->tokens, 50u);
    QCOMPARE(agreement->window, 16u);
    QCOMPARE(agreement->maxLogitDifference, 0.f); // its weights are exact in f16
    QVERIFY(std::isnan(agreement->sourceLoss) && std::isnan(agreement->exportLoss));
}

void TestAgreement::otherShapesAreRefused()
{
    const OpenedModel a;
    const OpenedModel b({.experts = 8});
    QCOMPARE(complaint(compareModels(a.model, b.model, someTokens(4, 101), {}), Errc::Mismatch,
                 {"experts are 7 in the source and 8 in the copy"}),
        QString());
}

void TestAgreement::nothingToCompare()
{
    const OpenedModel a;
    QCOMPARE(complaint(compareModels(a.model, a.model, {}, {}), Errc::OutOfRange, {"no tokens"}), QString());
}

void TestAgreement::stopping()
{
    const OpenedModel a;
    std::stop_source stop;
    stop.request_stop();
    const auto agreement = compareModels(a.model, a.model, someTokens(9, 101), {}, nullptr, stop.get_token());
    QVERIFY(!agreement && agreement.error().code == Errc::Cancelled);
}

void TestAgreement::defaultTokens_data()
{
    QTest::addColumn<bool>("tokenizer");
    QTest::newRow("text") << true;
    QTest::newRow("pseudo-random") << false;
}

void TestAgreement::defaultTokens()
{
    QFETCH(const bool, tokenizer);
    const OpenedModel generated;
    const auto tiny = openModel(COLIBRI_TEST_DATA "/qwen3moe-f32");
    QVERIFY(tiny);
    const Model& model = tokenizer ? **tiny : *generated.model;
    QCOMPARE(model.hasTokenizer(), tokenizer);
    const auto all = colibri::defaultTokens(model, UINT32_MAX);
    QVERIFY(all.size() > 256 && all.size() < 4096);
    QVERIFY(std::ranges::all_of(all, [&](TokenId id) { return id < model.config().vocabSize; }));
    QVERIFY(std::set(all.begin(), all.end()).size() > 90);
    const auto few = colibri::defaultTokens(model, 10);
    QVERIFY(std::ranges::equal(few, std::span(all).first(10)));
    QVERIFY(colibri::defaultTokens(model, 0).empty());
    if (tokenizer)
        QVERIFY(model.detokenize(all).find("The river rises") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestAgreement)
#include "tst_agreement.moc"
