// SPDX-License-Identifier: Apache-2.0
#include "api/agreement.h"
#include "api/export.h"
#include "api/session.h"
#include "support/errorcheck.h"
#include "support/generatedmodel.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr std::uint32_t window = 24;

/// Router logits and choices of every occurrence, as a session records them.
struct Occurrence {
    TokenId token = 0;
    std::vector<std::vector<std::uint16_t>> experts; ///< [layers]
    std::vector<std::vector<float>> logits; ///< [layers]
    std::vector<float> margins; ///< [layers]
};

std::vector<Occurrence> occurrencesOf(const ModelPtr& model, std::span<const TokenId> tokens)
{
    std::vector<Occurrence> all;
    for (std::size_t at = 0; at < tokens.size(); at += window) {
        EngineOptions options;
        options.context = window;
        const auto session = Session::create(model, options);
        if (!session)
            qFatal("%s", session.error().message().c_str());
        const auto record = (*session)->makeRecord();
        const auto part = tokens.subspan(at, std::min<std::size_t>(window, tokens.size() - at));
        if (!(*session)->evaluate(
                part, record, {}, [](std::uint32_t, std::uint32_t, std::span<const float>) { return true; }))
            qFatal("the text cannot be read");
        for (std::uint32_t position = 0; position < part.size(); ++position) {
            Occurrence one;
            one.token = part[position];
            for (std::uint32_t layer = 0; layer < record->shape().layers; ++layer) {
                const auto experts = record->experts(position, layer);
                one.experts.emplace_back(experts.begin(), experts.end());
                std::vector<float> logits(record->shape().experts);
                if (!record->copyRouterLogits(position, layer, logits))
                    qFatal("no router logits");
                one.logits.push_back(std::move(logits));
                one.margins.push_back(record->margin(position, layer));
            }
            all.push_back(std::move(one));
        }
    }
    return all;
}

/// The experts that stand in `decisions` most often; among equals the smaller sum of places, then the lower id.
std::vector<std::uint16_t> mostFrequent(const std::vector<std::vector<std::uint16_t>>& decisions, std::size_t k)
{
    std::map<std::uint16_t, std::pair<int, int>> votes; // less count, sum of places
    for (const auto& decision : decisions)
        for (std::size_t place = 0; place < decision.size(); ++place) {
            --votes[decision[place]].first;
            votes[decision[place]].second += static_cast<int>(place);
        }
    std::set<std::tuple<int, int, std::uint16_t>> order;
    for (const auto& [expert, vote] : votes)
        order.emplace(vote.first, vote.second, expert);
    std::vector<std::uint16_t> row;
    for (const auto& one : order)
        if (row.size() < k)
            row.push_back(std::get<2>(one));
    return row;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<TokenId> text(std::size_t count, TokenId ids, TokenId vocabulary)
{
    std::vector<TokenId> tokens;
    std::uint32_t state = 3;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        tokens.push_back((state >> 16) % ids * 7 % vocabulary);
    }
    return tokens;
}

} // namespace

/// Tables that are the profile of a text, against counts made from records.
class TestProfileTable : public QObject {
    Q_OBJECT

private slots:
    void profile_data();
    void profile();
    void defaultText();
    void withoutTokensOrTokenizer();
    void tokenOutsideOfTheVocabulary();
    void stopping();

private:
    ModelPtr generated();
    QTemporaryDir m_generated;
    QTemporaryDir m_folder;
};

ModelPtr TestProfileTable::generated()
{
    if (!QFile::exists(m_generated.filePath("config.json")))
        writeHuggingFaceModel(m_generated.path().toStdString(), {});
    return *openModel(m_generated.path().toStdString());
}

void TestProfileTable::profile_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<quint64>("sumBytes");
    const QString tiny = QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
    QTest::newRow("tiny, one pass") << tiny << (quint64{1} << 20);
    QTest::newRow("tiny, a pass for each layer") << tiny << quint64{1};
    QTest::newRow("generated") << QString() << (quint64{1} << 20);
    const QString shared = qEnvironmentVariable("COLIBRI_SHARED");
    for (const char* const name : {"deepseek2-lite-f32", "deepseek2-v3-f32", "gpt-oss-f32"})
        QTest::newRow(name) << (shared.isEmpty() ? QStringLiteral("-") : shared + "/golden/" + name + "/model.gguf")
                            << quint64{40000};
}

void TestProfileTable::profile()
{
    QFETCH(const QString, path);
    QFETCH(const quint64, sumBytes);
    if (path == "-")
        QSKIP("COLIBRI_SHARED names no folder");
    const auto opened = path.isEmpty() ? Result<ModelPtr>(generated()) : openModel(path.toStdString());
    QVERIFY2(opened, opened ? "" : opened.error().message().c_str());
    const ModelConfig& config = (*opened)->config();
    const std::vector<TokenId> tokens = text(100, 23, config.vocabSize);
    const std::vector<Occurrence> occurrences = occurrencesOf(*opened, tokens);

    ExportOptions options;
    options.routerTable.emplace();
    options.routerTable->tokens = tokens;
    options.routerTable->nearTie = 0.05f;
    options.routerTable->engine.context = window;
    options.routerTable->sumBytes = sumBytes;
    const QString out = m_folder.filePath(QString::fromUtf8(QTest::currentDataTag()));
    OpenProgress progress;
    const auto report = exportModel(**opened, out.toStdString(), options, &progress);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QCOMPARE(progress.bytesDone(), progress.bytesTotal());

    const std::size_t layers = moeLayers(config);
    const std::size_t k = config.numActiveExperts;
    const std::size_t experts = config.numExperts;
    const QByteArray table = contentOf(out + "/router_table.bin");
    const QByteArray logits = contentOf(out + "/router_logits.bin");
    QCOMPARE(std::size_t(table.size()), layers * config.vocabSize * k * 2);
    QCOMPARE(std::size_t(logits.size()), layers * config.vocabSize * (experts + 8));
    const std::set<TokenId> seen(tokens.begin(), tokens.end());
    std::uint64_t reproduced = 0;
    std::uint64_t nearTies = 0;
    for (std::size_t layer = 0; layer < layers; ++layer)
        for (TokenId id = 0; id < config.vocabSize; ++id) {
            std::vector<std::vector<std::uint16_t>> decisions;
            std::vector<double> sums(experts);
            for (const Occurrence& one : occurrences) {
                if (one.token != id && seen.contains(id))
                    continue;
                decisions.push_back(one.experts[layer]);
                for (std::size_t expert = 0; expert < experts; ++expert)
                    sums[expert] += double{one.logits[layer][expert]};
                if (one.token == id)
                    nearTies += one.margins[layer] < 0.05f;
            }
            const std::size_t at = layer * config.vocabSize + id;
            std::vector<std::uint16_t> row(k);
            std::memcpy(row.data(), table.constData() + at * k * 2, k * 2);
            QCOMPARE(row, mostFrequent(decisions, k));
            if (seen.contains(id))
                for (const auto& decision : decisions)
                    reproduced += std::set(decision.begin(), decision.end()) == std::set(row.begin(), row.end());
            std::array<float, 2> scale;
            std::memcpy(scale.data(), logits.constData() + layers * config.vocabSize * experts + at * 8, 8);
            for (std::size_t expert = 0; expert < experts; ++expert) {
                const auto byte = static_cast<unsigned char>(logits.constData()[at * experts + expert]);
                const double back = double{scale[1]} + double{scale[0]} * byte;
                const double mean = sums[expert] / static_cast<double>(decisions.size());
                QVERIFY2(std::abs(back - mean) <= double{scale[0]} * 0.5001 + 1e-6,
                    qPrintable(QString::number(back - mean)));
            }
        }
    QVERIFY(report->table);
    QVERIFY(!report->table->exact);
    QCOMPARE(report->table->rows, config.vocabSize);
    QCOMPARE(std::size_t(report->table->rowsSeen), seen.size());
    QCOMPARE(report->table->decisions, std::uint64_t(tokens.size() * layers));
    QCOMPARE(report->table->reproduced, reproduced);
    QCOMPARE(report->table->nearTies, nearTies);
    QVERIFY(reproduced > 0 && reproduced <= report->table->decisions);
    QVERIFY(!report->notes.empty());

    const auto copy = openModel(out.toStdString()); // checks table, logits and sanity entries
    QVERIFY2(copy, copy ? "" : copy.error().message().c_str());
    QVERIFY((*copy)->hasTable() && (*copy)->hasRouterLogits());
    for (const std::string& note : (*copy)->notes()) // what the writer writes, the reader knows
        QVERIFY2(note.find("is not known") == std::string::npos, note.c_str());
    QVERIFY(contentOf(out + "/config.json").contains("\"sanity\": [{\"layer\":0,"));
}

void TestProfileTable::defaultText()
{
    const auto model = openModel(COLIBRI_TEST_DATA "/qwen3moe-f32");
    QVERIFY(model && (*model)->hasTokenizer());
    ExportOptions options;
    options.routerTable.emplace();
    const auto report = exportModel(**model, m_folder.filePath("default").toStdString(), options);
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    const std::vector<TokenId> tokens = defaultTokens(**model, UINT32_MAX);
    QCOMPARE(report->table->decisions, std::uint64_t(tokens.size() * moeLayers((*model)->config())));
    QCOMPARE(std::size_t(report->table->rowsSeen), std::set(tokens.begin(), tokens.end()).size());
}

void TestProfileTable::withoutTokensOrTokenizer()
{
    const ModelPtr model = generated();
    QVERIFY(!model->hasTokenizer());
    ExportOptions options;
    options.routerTable.emplace();
    const QString out = m_folder.filePath("untold");
    QCOMPARE(complaint(exportModel(*model, out.toStdString(), options), Errc::Unsupported, {"tokenizer", "token ids"}),
        QString());
    QVERIFY(!QFile::exists(out));
}

void TestProfileTable::tokenOutsideOfTheVocabulary()
{
    const ModelPtr model = generated();
    ExportOptions options;
    options.routerTable.emplace();
    options.routerTable->tokens = {1, 2, 101};
    QCOMPARE(complaint(exportModel(*model, m_folder.filePath("outside").toStdString(), options), Errc::OutOfRange,
                 {"token 101", "position 2", "101"}),
        QString());
}

void TestProfileTable::stopping()
{
    const ModelPtr model = generated();
    ExportOptions options;
    options.routerTable.emplace();
    options.routerTable->tokens = text(50, 20, 101);
    std::stop_source stop;
    stop.request_stop();
    const QString out = m_folder.filePath("stopped");
    const auto report = exportModel(*model, out.toStdString(), options, nullptr, stop.get_token());
    QVERIFY(!report && report.error().code == Errc::Cancelled);
    QVERIFY(!QFile::exists(out));
}

QTEST_GUILESS_MAIN(TestProfileTable)
#include "tst_profile_table.moc"
