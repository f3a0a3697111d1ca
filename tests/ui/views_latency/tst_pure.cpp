// SPDX-License-Identifier: GPL-3.0-or-later
#include "latencyrun.h"
#include "stores/steps.h"

#include "models/csv.h"
#include "models/latencymodel.h"
#include "models/timingexport.h"
#include "views/latency/latencytext.h"
#include "views/latency/stepfolds.h"
#include "views/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace colibri;
using namespace colibri::test;

namespace {

QByteArray written(const TimingFile& file, const std::vector<TimingEvent>& events)
{
    QByteArray bytes = file.head;
    for (std::size_t i = 0; i < events.size(); ++i)
        file.appendRow(bytes, events, i);
    return bytes + file.tail;
}

/// A prompt of 100 tokens in steps of 32, then `decode` steps of random length.
struct Filled {
    RunStore store;
    LatencyRun run{store};
    LatencyHistory history;

    explicit Filled(int decode, unsigned seed = 1)
    {
        std::mt19937 random(seed);
        run.prompt(100, 32, 1);
        for (int i = 0; i < decode; ++i)
            run.decode(4 + double(random() % 1000) * 1e-3);
        update();
    }
    void update()
    {
        run.show();
        history.catchUp(store.timings(), LatencyHistory::Clock::time_point::max());
    }
    StepRange steps(ShownPhase phase) const { return stepsOf(store.timings(), history.size(), phase); }
    std::vector<StepFold> folds(ShownPhase phase, double from, double to, int columns) const
    {
        return foldSteps(store.timings(), history.steps(), steps(phase), from, to, columns);
    }
};

} // namespace

class TestLatencyPure : public QObject {
    Q_OBJECT

private slots:
    void steps();
    void phasesAreApart();
    void foldsHoldEveryStep_data();
    void foldsHoldEveryStep();
    void foldsStayWhileTheRunGrows();
    void missingStepsLeaveAGap();
    void bins();
    void slowStepsAreCountedBeyondTheBins();
    void modelKeepsItsRows();
    void csvOfTimings();
    void traceEvents();
    void stagesAreSeen();
    void digits();
};

void TestLatencyPure::steps()
{
    QCOMPARE(stepUp(0), 1.);
    QCOMPARE(stepUp(1), 1.);
    QCOMPARE(stepUp(1.1), 2.);
    QCOMPARE(stepUp(2), 2.);
    QCOMPARE(stepUp(4.9), 5.);
    QCOMPARE(stepUp(5.1), 10.);
    QCOMPARE(stepUp(1000), 1000.);
    QVERIFY(std::abs(stepUp(0.03) - 0.05) < 1e-12);
    QCOMPARE(fineStepUp(5.1), 6.);
    QCOMPARE(fineStepUp(8.1), 10.);
    for (double value = 1e-3; value < 1e6; value *= 1.07) {
        QVERIFY(stepUp(value) >= value * (1 - 1e-9) && stepUp(value) < value * 2.5 * (1 + 1e-9));
        QVERIFY(fineStepUp(value) >= value * (1 - 1e-9) && fineStepUp(value) <= value * 1.34);
    }
}

void TestLatencyPure::phasesAreApart()
{
    const Filled filled(10);
    QCOMPARE(filled.steps(ShownPhase::Prefill).end, std::size_t{4});
    QCOMPARE(filled.steps(ShownPhase::Decode).begin, std::size_t{4});
    QCOMPARE(filled.steps(ShownPhase::Both).end, std::size_t{14});
    QVERIFY(stepsOf({}, 0, ShownPhase::Decode).empty());
}

void TestLatencyPure::foldsHoldEveryStep_data()
{
    QTest::addColumn<int>("columns");
    QTest::addColumn<double>("positions"); // of a fold
    QTest::newRow("one each") << 4000 << 1.;
    QTest::newRow("two") << 1600 << 2.;
    QTest::newRow("ten") << 400 << 10.;
    QTest::newRow("hundred") << 40 << 100.;
}

void TestLatencyPure::foldsHoldEveryStep()
{
    QFETCH(int, columns);
    QFETCH(double, positions);
    const Filled filled(3000);
    const auto& events = filled.store.timings();
    const auto folds = filled.folds(ShownPhase::Decode, 0, 3100, columns);
    std::size_t steps = 0;
    std::size_t next = 4; // the first step that is no prefill
    for (const StepFold& fold : folds) {
        QCOMPARE(fold.from, double(events[next].position));
        QVERIFY(fold.to - fold.from <= positions);
        QCOMPARE(std::floor(fold.from / positions), std::floor((fold.to - 1) / positions));
        for (std::size_t i = next; i < next + fold.steps; ++i)
            QVERIFY(events[i].totalNs <= events[fold.largest].totalNs);
        QVERIFY(fold.largest >= next && fold.largest < next + fold.steps);
        next += fold.steps;
        steps += fold.steps;
    }
    QCOMPARE(steps, std::size_t{3000});
    QCOMPARE(foldAt(folds, folds[3].from), &folds[3]);
    QCOMPARE(foldAt(folds, 50), nullptr);
    const auto part = filled.folds(ShownPhase::Both, 40, 60, 100); // inside of the second step of the prompt
    QCOMPARE(part.size(), std::size_t{1});
    QCOMPARE(part[0].from, 32.);
    QCOMPARE(part[0].to, 64.);
}

void TestLatencyPure::foldsStayWhileTheRunGrows()
{
    Filled filled(1000);
    const auto before = filled.folds(ShownPhase::Decode, 100, 5100, 500);
    for (int i = 0; i < 100; ++i)
        filled.run.decode(4);
    filled.update();
    const auto after = filled.folds(ShownPhase::Decode, 100, 5100, 500);
    QVERIFY(after.size() > before.size());
    for (std::size_t i = 0; i + 1 < before.size(); ++i) {
        QCOMPARE(after[i].from, before[i].from);
        QCOMPARE(after[i].largest, before[i].largest);
    }
}

void TestLatencyPure::missingStepsLeaveAGap()
{
    Filled filled(10);
    for (int i = 0; i < 5; ++i)
        filled.run.decode(4, 0, false);
    filled.run.decode(4);
    filled.update();
    const auto folds = filled.folds(ShownPhase::Decode, 100, 200, 100);
    QCOMPARE(folds.size(), std::size_t{11});
    QCOMPARE(folds[9].to, 110.);
    QCOMPARE(folds[10].from, 115.);
    QCOMPARE(foldAt(folds, 112), nullptr);
    const LatencyStats& stats = filled.history.stats();
    QCOMPARE(std::uint64_t(filled.store.routed()) - stats.tokens(Phase::Prefill) - stats.tokens(Phase::Decode),
        std::uint64_t{5});
}

void TestLatencyPure::bins()
{
    QVERIFY(histogramOf({}, nullptr).percent.empty());
    std::mt19937 random(2);
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 5000; ++i)
        values.push_back(4'000'000 + random() % 1'000'000);
    Distribution distribution;
    distribution.add(values);
    const Histogram histogram = histogramOf(distribution, nullptr);
    QCOMPARE(double(histogram.widthNs), stepUp(double(histogram.widthNs)));
    QVERIFY(histogram.percent.size() >= 15 && histogram.percent.size() <= 60);
    QCOMPARE(histogram.beyond, std::uint64_t{0});
    for (std::size_t bin = 0; bin < histogram.percent.size(); ++bin) {
        const std::uint64_t from = histogram.beginNs + bin * histogram.widthNs;
        const auto inside = std::count_if(
            values.begin(), values.end(), [&](auto v) { return v >= from && v < from + histogram.widthNs; });
        QVERIFY(std::abs(histogram.percent[bin] - double(inside) / 50) < 1e-9);
    }
    Distribution slower;
    slower.add(std::vector<std::uint64_t>{9'000'000, 9'000'001});
    const Histogram both = histogramOf(distribution, &slower);
    QVERIFY(both.endNs() > 9'000'000);
    const Histogram other = withBinsOf(both, slower);
    QCOMPARE(other.percent.size(), both.percent.size());
    QCOMPARE(std::accumulate(other.percent.begin(), other.percent.end(), 0.), 100.);
    Distribution one;
    one.add(std::vector<std::uint64_t>(7, 5'000'000));
    QCOMPARE(histogramOf(one, nullptr).percent, std::vector<double>{100.});
}

void TestLatencyPure::slowStepsAreCountedBeyondTheBins()
{
    std::vector<std::uint64_t> values(1000, 4'000'000);
    for (std::size_t i = 0; i < 500; ++i)
        values[i] += i * 1000;
    values[10] = values[20] = 900'000'000;
    Distribution distribution;
    distribution.add(values);
    const Histogram histogram = histogramOf(distribution, nullptr);
    QVERIFY(histogram.endNs() < 10'000'000);
    QCOMPARE(histogram.beyond, std::uint64_t{2});
    QVERIFY(std::abs(std::accumulate(histogram.percent.begin(), histogram.percent.end(), 0.) - 99.8) < 1e-9);
}

void TestLatencyPure::modelKeepsItsRows()
{
    LatencyModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    QCOMPARE(model.rowCount(), 13);
    const auto cell = [&](Quantity row, int column, int role = Qt::DisplayRole) {
        return model.index(int(row), column).data(role);
    };
    QCOMPARE(cell(Quantity::Step, LatencyModel::P50).toString(), QStringLiteral("\u2013"));
    Filled filled(120);
    LatencyStats kept;
    model.show(filled.history.stats(), kept, Phase::Decode, QStringLiteral("cache misses: no"));
    QCOMPARE(changed.size(), 1);
    std::vector<double> times;
    for (std::size_t i = 4; i < filled.store.timings().size(); ++i)
        times.push_back(double(filled.store.timings()[i].totalNs) * 1e-6);
    std::sort(times.begin(), times.end());
    QCOMPARE(cell(Quantity::Step, LatencyModel::P50, Qt::EditRole).toDouble(), times[59]);
    QCOMPARE(cell(Quantity::Step, LatencyModel::P90, Qt::EditRole).toDouble(), times[107]);
    QCOMPARE(cell(Quantity::Step, LatencyModel::P99, Qt::EditRole).toDouble(), times[118]);
    QCOMPARE(cell(Quantity::Step, LatencyModel::Largest, Qt::EditRole).toDouble(), times[119]);
    QVERIFY(cell(Quantity::Step, LatencyModel::P999, Qt::EditRole).toString().isEmpty());
    QVERIFY(cell(Quantity::Step, LatencyModel::P999, Qt::ToolTipRole).toString().contains("needs 1000"));
    QCOMPARE(cell(Quantity::Experts, LatencyModel::Share).toString(), QStringLiteral("50.0 %"));
    QVERIFY(cell(Quantity::Step, LatencyModel::Ratio, Qt::EditRole).toString().isEmpty());
    QCOMPARE(cell(Quantity::MinorFaults, LatencyModel::Mean).toString(), QStringLiteral("2"));
    QCOMPARE(cell(Quantity::CacheMisses, LatencyModel::Mean, Qt::ToolTipRole).toString(),
        QStringLiteral("cache misses: no"));
    model.show(filled.history.stats(), filled.history.stats(), Phase::Decode, {});
    QCOMPARE(cell(Quantity::Step, LatencyModel::Ratio).toString(), QStringLiteral("1.00\u00d7"));
    model.show(filled.history.stats(), kept, Phase::Prefill, {});
    QCOMPARE(cell(Quantity::Step, LatencyModel::Mean, Qt::EditRole).toDouble(), 1.);
    model.show({}, {}, Phase::Decode, {});
    QVERIFY(cell(Quantity::Step, LatencyModel::Mean, Qt::EditRole).toString().isEmpty());
    QCOMPARE(csv(model).count('\n'), 14);
}

void TestLatencyPure::csvOfTimings()
{
    RunStore store;
    LatencyRun run(store);
    run.prompt(8, 8, 1);
    run.decode(4);
    run.misses = 77;
    run.decode(5, 3);
    run.decode(4, 0, false);
    run.decode(6);
    run.show();
    const QList<QByteArray> lines = written(timingsAsCsv({}), store.timings()).split('\n');
    QCOMPARE(lines.size(), 6);
    QCOMPARE(lines[0].split(',').size(), 16);
    QCOMPARE(lines[1], QByteArray("0,8,prefill,0,8000000,2240000,160000,4000000,960000,240000,,,2,0,,"));
    QCOMPARE(lines[2], QByteArray("8,1,decode,8000000,4000000,1120000,80000,2000000,480000,120000,0,0,2,0,,"));
    QCOMPARE(
        lines[3], QByteArray("9,1,decode,15000000,5000000,1400000,100000,2500000,600000,150000,3000000,0,2,0,77,77"));
    QCOMPARE(lines[4], QByteArray("11,1,decode,24000000,6000000,1680000,120000,3000000,720000,180000,,,2,0,77,77"));
    QCOMPARE(lines[5], QByteArray());
}

void TestLatencyPure::traceEvents()
{
    const Filled filled(50);
    const auto& events = filled.store.timings();
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(
        written(timingsAsTrace(filled.store.info(), "/models/\"a\"\n\xc3\xa4", 3), events), &error);
    QCOMPARE(error.errorString(), QStringLiteral("no error occurred"));
    const QJsonObject other = document["otherData"].toObject();
    QCOMPARE(other["model"].toString(), QStringLiteral("/models/\"a\"\n\u00e4"));
    QCOMPARE(other["model_id"].toString(), QStringLiteral("0123456789abcdef"));
    QCOMPARE(other["numerics"].toString(), QStringLiteral("reproducible"));
    QCOMPARE(other["steps_not_recorded"].toInt(), 3);
    const QJsonArray all = document["traceEvents"].toArray();
    QCOMPARE(all.size(), 2 + qsizetype(events.size()) * 7);
    QCOMPARE(all[0]["ph"].toString(), QStringLiteral("M"));
    QCOMPARE(all[1]["name"].toString(), QStringLiteral("thread_name"));
    for (std::size_t i = 0; i < events.size(); ++i) {
        const QJsonObject step = all[2 + qsizetype(i) * 7].toObject();
        QCOMPARE(step["ph"].toString(), QStringLiteral("X"));
        QCOMPARE(step["name"].toString(), events[i].prefill ? QStringLiteral("prefill") : QStringLiteral("decode"));
        QCOMPARE(step["ts"].toDouble() * 1e3, double(events[i].startNs - events[0].startNs));
        QCOMPARE(step["dur"].toDouble() * 1e3, double(events[i].totalNs));
        QCOMPARE(step["args"]["position"].toInt(), int(events[i].position));
        QCOMPARE(step["args"]["tokens"].toInt(), int(events[i].tokens));
        QVERIFY(step["args"]["cache_misses"].isUndefined());
        double at = step["ts"].toDouble();
        for (qsizetype stage = 1; stage < 7; ++stage) { // end to end, inside of the step
            const QJsonObject part = all[2 + qsizetype(i) * 7 + stage].toObject();
            QVERIFY(std::abs(part["ts"].toDouble() - at) < 1e-6);
            at += part["dur"].toDouble();
        }
        QVERIFY(std::abs(at - step["ts"].toDouble() - step["dur"].toDouble()) < 2e-3);
    }
    QCOMPARE(all[4]["name"].toString(), QStringLiteral("router"));
    QVERIFY(QJsonDocument::fromJson(written(timingsAsTrace({}, {}, 0), {})).isObject());
}

void TestLatencyPure::stagesAreSeen()
{
    for (const ColorScheme scheme : {ColorScheme::Light, ColorScheme::Dark}) {
        const QRgb ground = themePalette(scheme).color(QPalette::Base).rgb();
        for (std::size_t stage = 0; stage < stageCount; ++stage) {
            const double ratio = contrastRatio(stageBrush(Stage(stage), scheme).color().rgb(), ground);
            QVERIFY2(ratio >= 3, qPrintable(QStringLiteral("%1: %2").arg(stageName(Stage(stage))).arg(ratio)));
        }
    }
}

void TestLatencyPure::digits()
{
    QCOMPARE(threeDigits(0), QStringLiteral("0"));
    QCOMPARE(threeDigits(4.2149), QStringLiteral("4.21"));
    QCOMPARE(threeDigits(42.149), QStringLiteral("42.1"));
    QCOMPARE(threeDigits(4214.9), QStringLiteral("4215"));
    QCOMPARE(threeDigits(0.031249), QStringLiteral("0.0312"));
    const Filled filled(3);
    QVERIFY(stepText(filled.store.timings(), 0, 1, false).startsWith("Tokens 0 to 31: 32.0 ms, 1.00 ms a token\n"));
    QVERIFY(stepText(filled.store.timings(), 4, 20, false).startsWith("Token 100: "));
    QVERIFY(stepText(filled.store.timings(), 4, 20, false).contains("slowest of 20"));
}

QTEST_GUILESS_MAIN(TestLatencyPure)
#include "tst_pure.moc"
