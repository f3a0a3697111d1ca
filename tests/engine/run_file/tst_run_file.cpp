// SPDX-License-Identifier: Apache-2.0
#include "api/run_file.h"
#include "memory/fault_guard.h"
#include "samplerun.h"
#include "support/errorcheck.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include <sys/resource.h>

using namespace colibri;
using namespace colibri::test;

/// Saving and loading: nothing is lost, and nothing is left behind.
class RunFileTest : public QObject {
    Q_OBJECT

private slots:
    void roundTrip_data();
    void roundTrip();
    void layoutIsAsDescribed();
    void promptsGivenAsIds();
    void aRunThatGoesOn();
    void timingsThatDoNotFitAreCounted();
    void refusals();
    void replacesAndFollowsLinks();
    void aFullDiskLeavesNothing();
    void cancelLeavesNothing();
    void progressAddsUp();
    void magicDecides();
    void aFileThatShrinksAfterwards();

private:
    std::string path(const char* name) const { return m_folder.filePath(QLatin1String(name)).toStdString(); }
    QStringList names() const
    {
        return QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    QTemporaryDir m_folder;
};

/// What is not in memory reads as zeros then, and the record says so.
void RunFileTest::aFileThatShrinksAfterwards()
{
    installFaultGuard();
    const std::string file = path("shrinks");
    QVERIFY(saveRun(sampleRun(), file, {}, {}));
    const auto run = loadRun(file, {}, {});
    QVERIFY(run);
    const RunRecord& record = *run->record;
    const auto experts = record.experts(0, 0);
    const std::vector<std::uint16_t> chosen(experts.begin(), experts.end());
    QVERIFY(record.weights(0, 0)[0] > 0);
    record.release();
    QVERIFY(record.weights(0, 0)[0] > 0);
    QVERIFY(!record.lost());
    QVERIFY(QFile::resize(QString::fromStdString(file), 0));
    QCOMPARE(record.weights(0, 0)[0], 0.f);
    QVERIFY(record.lost());
    QVERIFY(std::ranges::equal(record.experts(0, 0), chosen));
}

void RunFileTest::roundTrip_data()
{
    QTest::addColumn<QList<uint>>("numbers"); // positions, prompt, tokens, routed, layers, experts, k, held
    QTest::newRow("usual") << QList<uint>{12, 3, 7, 6, 2, 5, 2, 12};
    QTest::newRow("few logits") << QList<uint>{12, 3, 7, 6, 2, 5, 2, 4};
    QTest::newRow("no logits") << QList<uint>{12, 3, 7, 6, 2, 5, 2, 0};
    QTest::newRow("prompt not routed") << QList<uint>{12, 7, 7, 0, 2, 5, 2, 12};
    QTest::newRow("prompt half routed") << QList<uint>{12, 7, 7, 4, 2, 5, 2, 12};
    QTest::newRow("all routed") << QList<uint>{7, 3, 7, 7, 2, 5, 2, 12};
    QTest::newRow("one token") << QList<uint>{12, 1, 1, 0, 2, 5, 2, 12};
    QTest::newRow("no layers") << QList<uint>{12, 3, 7, 6, 0, 5, 2, 4};
    QTest::newRow("all experts") << QList<uint>{12, 3, 7, 6, 2, 5, 5, 4};
    QTest::newRow("larger than a buffer") << QList<uint>{40000, 3, 40000, 39999, 3, 64, 8, 5000};
}

void RunFileTest::roundTrip()
{
    QFETCH(QList<uint>, numbers);
    const SavedRun run =
        sampleRun({numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]});
    SavedRun expected = run;
    if (run.record->tokens() == run.record->promptTokens()) { // the second event is of a token that is not there
        expected.timings.pop_back();
        ++expected.droppedTimings;
    }
    const auto saved = saveRun(run, path("a.colibri-run"), {}, {});
    QVERIFY2(saved, saved ? "" : saved.error().message().c_str());
    const auto loaded = loadRun(path("a.colibri-run"), {}, {});
    QVERIFY2(loaded, loaded ? "" : loaded.error().message().c_str());
    QCOMPARE(difference(expected, *loaded), QString());
    QCOMPARE(loaded->record->shape().positions, loaded->record->tokens()); // no more memory than the file has bytes
    QVERIFY(loaded->record->bytes() <= std::size_t(QFileInfo(m_folder.filePath("a.colibri-run")).size()));
    QCOMPARE(names(), QStringList{"a.colibri-run"});
}

void RunFileTest::layoutIsAsDescribed()
{
    const SavedRun run = sampleRun();
    QVERIFY(saveRun(run, path("a.colibri-run"), {}, {}));
    QFile file(m_folder.filePath("a.colibri-run"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray all = file.readAll();
    QCOMPARE(all.first(8),
        QByteArray("\x89"
                   "CRUN\r\n\x1A"));
    std::uint64_t length = 0;
    std::memcpy(&length, all.constData() + 8, 8);
    QCOMPARE((16 + length) % 64, 0u);
    const QJsonObject header = QJsonDocument::fromJson(all.mid(16, qsizetype(length))).object();
    QCOMPARE(header["format"].toString(), QString("colibri-run"));
    QCOMPARE(header["engine"].toObject()["model_id"].toString(), QString("0123456789abcdef"));
    QCOMPARE(header["request"].toObject()["sampling"].toObject()["top_k"].toInt(), 40);
    QCOMPARE(header["counts"].toObject()["logits_from"].toInt(), 2); // 6 routed, 4 held
    const QList<std::pair<QString, int>> sizes{{"tokens", 7 * 4}, {"experts", 7 * 2 * 2 * 2},
        {"weights", 7 * 2 * 2 * 4}, {"margins", 7 * 2 * 4}, {"zeroed", 7 * 2 * 4}, {"router_logits", 4 * 2 * 5 * 4},
        {"timings", 2 * 64}};
    const QJsonArray sections = header["sections"].toArray();
    QCOMPARE(sections.size(), sizes.size());
    int end = 0;
    for (int i = 0; i < sections.size(); ++i) {
        const QJsonObject section = sections[i].toObject();
        QCOMPARE(section["name"].toString(), sizes[i].first);
        QCOMPARE(section["size"].toInt(), sizes[i].second);
        QCOMPARE(section["offset"].toInt(), (end + 63) / 64 * 64);
        end = section["offset"].toInt() + section["size"].toInt();
    }
    QCOMPARE(all.size(), qsizetype(16 + length) + end + 8);
    QCOMPARE(withChecksum(all), all);
    // The second event: start, duration, position and tokens, stages, prefill, four counts.
    const char* const event = all.constData() + 16 + length + end - 64;
    const std::uint32_t words[]{
        12, 0, 21, 0, 3, 1, 0x3F800000, 0x40000000, 0x40400000, 0x40800000, 0, 0, 0xFFFFFFFF, 1, 0xFFFFFFFF, 0};
    QVERIFY(std::memcmp(event, words, 64) == 0);
}

void RunFileTest::promptsGivenAsIds()
{
    SavedRun run = sampleRun();
    run.promptIsText = false;
    run.promptText.clear();
    run.error.clear();
    run.engine.routing.reset();
    QVERIFY(saveRun(run, path("a.colibri-run"), {}, {}));
    const auto loaded = loadRun(path("a.colibri-run"), {}, {});
    QVERIFY(loaded);
    QCOMPARE(difference(run, *loaded), QString());
}

void RunFileTest::aRunThatGoesOn()
{
    // A writer fills a record while it is saved again and again: each file is one state of it.
    SampleShape shape{20000, 3, 3, 0, 4, 16, 2, 500};
    SavedRun run = sampleRun(shape);
    const auto record = sampleRecord(shape);
    run.record = record;
    run.timings.clear();
    std::atomic<bool> ended{false};
    std::atomic<std::uint32_t> files{0};
    std::thread writer([&] {
        for (std::uint32_t count = 3; count < shape.positions; ++count) {
            while (files < count / 2000) // goes on with the next file
                std::this_thread::yield();
            routeUpTo(*record, count);
            record->appendToken(count);
        }
        ended = true;
    });
    SampleShape whole = shape;
    whole.tokens = shape.positions;
    whole.routed = shape.positions;
    whole.heldPositions = shape.positions;
    const auto reference = sampleRecord(whole);
    std::vector<float> found(16);
    std::vector<float> expected(16);
    for (bool last = false; !last; ++files) {
        last = ended;
        QVERIFY(saveRun(run, path("a.colibri-run"), {}, {}));
        const auto loaded = loadRun(path("a.colibri-run"), {}, {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().message().c_str());
        const RunRecord& got = *loaded->record;
        QVERIFY(got.routed() <= got.tokens());
        for (std::uint32_t p = 0; p < got.routed(); ++p)
            for (std::uint32_t l = 0; l < 4; ++l) {
                QVERIFY(std::ranges::equal(got.experts(p, l), reference->experts(p, l)));
                QVERIFY(std::ranges::equal(got.weights(p, l), reference->weights(p, l)));
                QCOMPARE(got.zeroed(p, l), reference->zeroed(p, l));
                if (got.copyRouterLogits(p, l, found)) {
                    QVERIFY(reference->copyRouterLogits(p, l, expected));
                    QCOMPARE(found, expected);
                }
            }
    }
    writer.join();
    QVERIFY(files > 9);
}

void RunFileTest::timingsThatDoNotFitAreCounted()
{
    SavedRun run = sampleRun();
    const TimingEvent first = run.timings[0];
    const TimingEvent second = run.timings[1];
    TimingEvent beyond = second;
    beyond.position = 6;
    beyond.tokens = 2;
    TimingEvent empty = second;
    empty.tokens = 0;
    run.timings = {first, first, empty, second, beyond};
    QVERIFY(saveRun(run, path("a.colibri-run"), {}, {}));
    const auto loaded = loadRun(path("a.colibri-run"), {}, {});
    QVERIFY(loaded);
    QCOMPARE(loaded->timings.size(), 2u);
    QCOMPARE(loaded->droppedTimings, 9u + 3u);
}

void RunFileTest::refusals()
{
    SavedRun run = sampleRun();
    QCOMPARE(
        complaint(saveRun(run, path("no/a.colibri-run"), {}, {}), Errc::NotFound, {"no/a.colibri-run"}), QString());
    QCOMPARE(complaint(saveRun(run, m_folder.path().toStdString(), {}, {}), Errc::OutOfRange, {"no regular file"}),
        QString());
    QCOMPARE(
        complaint(saveRun(run, "/dev/full", {}, {}), Errc::OutOfRange, {"/dev/full", "no regular file"}), QString());
    run.record = std::make_shared<RunRecord>(RunRecord::Shape{4, 1, 2, 1, 0});
    QCOMPARE(complaint(saveRun(run, path("b.colibri-run"), {}, {}), Errc::OutOfRange, {"no token"}), QString());
    run.record.reset();
    QCOMPARE(complaint(saveRun(run, path("b.colibri-run"), {}, {}), Errc::OutOfRange, {"no token"}), QString());
    run = sampleRun();
    run.promptText.assign(20'000'000, 'x');
    QCOMPARE(complaint(saveRun(run, path("b.colibri-run"), {}, {}), Errc::OutOfRange, {"prompt is longer"}), QString());
    QVERIFY(!names().contains("b.colibri-run"));
    QCOMPARE(complaint(loadRun(path("b.colibri-run"), {}, {}), Errc::NotFound, {"b.colibri-run"}), QString());
}

void RunFileTest::replacesAndFollowsLinks()
{
    QTemporaryDir folder;
    QFile real(folder.filePath("real"));
    QVERIFY(real.open(QIODevice::WriteOnly));
    real.close();
    QVERIFY(QFile::link(folder.filePath("real"), folder.filePath("link")));
    SavedRun run = sampleRun();
    QVERIFY(saveRun(run, folder.filePath("link").toStdString(), {}, {}));
    QVERIFY(QFileInfo(folder.filePath("link")).isSymLink());
    run.maxTokens = 5;
    QVERIFY(saveRun(run, folder.filePath("link").toStdString(), {}, {}));
    QCOMPARE(loadRun(folder.filePath("real").toStdString(), {}, {})->maxTokens, 5u);
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(), 2);
}

void RunFileTest::aFullDiskLeavesNothing()
{
    QTemporaryDir folder;
    const std::string target = folder.filePath("a.colibri-run").toStdString();
    const SavedRun small = sampleRun();
    QVERIFY(saveRun(small, target, {}, {}));
    const SavedRun large = sampleRun({40000, 3, 40000, 39999, 3, 64, 8, 5000});
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit none{3'000'000, limit.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &none), 0);
    const auto saved = saveRun(large, target, {}, {});
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::signal(SIGXFSZ, before);
    QCOMPARE(complaint(saved, Errc::Io, {target.c_str(), "offset"}), QString());
    QVERIFY(!QByteArray::fromStdString(saved.error().message()).contains("partial"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
        QStringList{"a.colibri-run"});
    QCOMPARE(difference(small, *loadRun(target, {}, {})), QString()); // what was there is there
}

void RunFileTest::cancelLeavesNothing()
{
    QTemporaryDir folder;
    const std::string target = folder.filePath("a.colibri-run").toStdString();
    const SavedRun run = sampleRun({40000, 3, 40000, 39999, 3, 64, 8, 5000});
    std::stop_source stop;
    int calls = 0;
    const auto stopAtThird = [&](std::uint64_t, std::uint64_t) {
        if (++calls == 3)
            stop.request_stop();
    };
    QCOMPARE(complaint(saveRun(run, target, stopAtThird, stop.get_token()), Errc::Cancelled, {}), QString());
    QCOMPARE(calls, 3);
    QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
    QVERIFY(saveRun(run, target, {}, {}));
    stop = std::stop_source();
    calls = 0;
    QCOMPARE(complaint(loadRun(target, stopAtThird, stop.get_token()), Errc::Cancelled, {}), QString());
    QCOMPARE(calls, 3);
}

void RunFileTest::progressAddsUp()
{
    const SavedRun run = sampleRun({40000, 3, 40000, 39999, 3, 64, 8, 5000});
    std::uint64_t last = 0;
    std::uint64_t all = 0;
    int calls = 0;
    const auto watch = [&](std::uint64_t done, std::uint64_t total) {
        QVERIFY(done >= last && done <= total);
        QVERIFY(all == 0 || all == total);
        last = done;
        all = total;
        ++calls;
    };
    QVERIFY(saveRun(run, path("a.colibri-run"), watch, {}));
    const auto size = std::uint64_t(QFileInfo(m_folder.filePath("a.colibri-run")).size());
    QCOMPARE(last, size);
    QVERIFY(calls > 8);
    last = all = 0;
    QVERIFY(loadRun(path("a.colibri-run"), watch, {}));
    QCOMPARE(all, size);
    QVERIFY(last > size / 2); // the hashing, and most of taking over
}

void RunFileTest::magicDecides()
{
    QVERIFY(saveRun(sampleRun(), path("a.txt"), {}, {}));
    QVERIFY(isSavedRun(path("a.txt")));
    QFile other(m_folder.filePath("b.colibri-run"));
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write("hello, world") == 12);
    other.close();
    QVERIFY(!isSavedRun(path("b.colibri-run")));
    QVERIFY(!isSavedRun(path("nothing")));
    QVERIFY(!isSavedRun(m_folder.path().toStdString()));
    QVERIFY(!isSavedRun("/dev/zero"));
}

QTEST_APPLESS_MAIN(RunFileTest)
#include "tst_run_file.moc"
