// SPDX-License-Identifier: Apache-2.0
#include "engine/colibri_format/sample.h"

#include "format/readers.h"
#include "memory/fault_guard.h"
#include "types/half.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <chrono>
#include <csignal>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace colibri;

namespace {

QStringList everythingIn(const QString& folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot, QDir::Name);
}

/// A tensor of `count` f32 values as dense.bin, everything else as in the sample.
WriteRequest requestFor(
    sample::Model& model, const std::vector<float>& values, std::vector<std::uint64_t> shape, DType to)
{
    sample::writeFile(model.path("source/w.bin"), sample::bytesOf(values));
    model.source.files.push_back(*MappedFile::open(model.path("source/w.bin").toStdString()));
    WriteRequest request = model.request(model.path("out"), DType::F32);
    request.dense = {
        {{"w", 2, 0, values.size() * sizeof(float), DType::F32, Layout::RowMajor, std::move(shape), {}}, "w", to}};
    return request;
}

/// Runs `work` in a child process; its exit code, or minus the signal that ended it.
template <class Work>
int inChild(Work work)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

} // namespace

class WriterFailuresTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installFaultGuard(); }
    void refusesTargets_data();
    void refusesTargets();
    void refusesValues_data();
    void refusesValues();
    void cancelLeavesNothing_data();
    void cancelLeavesNothing();
    void damagedSourceIsNoticed();
    void shrunkenSourceIsNoticed();
    void fullDiskLeavesNothing();
    void targetThatAppearsMeanwhileStays();
    void badRequestsAreRefused();
    void killedWriterLeavesNoFolder();
};

void WriterFailuresTest::refusesTargets_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<Errc>("code");
    QTest::newRow("a folder with content") << "source" << Errc::OutOfRange;
    QTest::newRow("an empty folder") << "empty" << Errc::OutOfRange;
    QTest::newRow("a file") << "file" << Errc::OutOfRange;
    QTest::newRow("a dangling link") << "link" << Errc::OutOfRange;
    QTest::newRow("no parent") << "missing/out" << Errc::NotFound;
    QTest::newRow("a parent that is a file") << "file/out" << Errc::NotFound;
    QTest::newRow("no name") << "empty/.." << Errc::OutOfRange;
}

void WriterFailuresTest::refusesTargets()
{
    QFETCH(QString, target);
    QFETCH(Errc, code);
    const sample::Model model(DType::F32);
    QDir(model.path("")).mkdir("empty");
    sample::writeFile(model.path("file"), "x");
    QVERIFY(QFile::link("nowhere", model.path("link")));
    const QStringList before = everythingIn(model.path(""));
    const auto report = writeColibriExport(model.request(model.path(target), DType::F32), {}, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, code);
    QVERIFY(report.error().message().find(target.toStdString()) != std::string::npos);
    QCOMPARE(everythingIn(model.path("")), before);
    QVERIFY(everythingIn(model.path("empty")).isEmpty());
}

void WriterFailuresTest::refusesValues_data()
{
    QTest::addColumn<DType>("to");
    QTest::addColumn<float>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("f16 overflow") << DType::F16 << 65520.f << "w[1, 2, 3] is 65520, which f16 cannot hold";
    QTest::newRow("f16 negative") << DType::F16 << -1e6f << "w[1, 2, 3] is -1000000, which f16 cannot hold";
    QTest::newRow("bf16 overflow") << DType::BF16 << 3.4e38f << "w[1, 2, 3] is 3.39999995e+38, which bf16 cannot hold";
    QTest::newRow("int8 infinity") << DType::Int8 << INFINITY << "w[1, 2, 3] is inf, which int8 cannot hold";
    QTest::newRow("int8 nan") << DType::Int8 << std::numeric_limits<float>::quiet_NaN()
                              << "w[1, 2, 3] is nan, which int8 cannot hold";
}

void WriterFailuresTest::refusesValues()
{
    QFETCH(DType, to);
    QFETCH(float, value);
    QFETCH(QString, text);
    sample::Model model(DType::F32);
    std::vector<float> values(2 * 3 * 5, 1.f);
    values[1 * 15 + 2 * 5 + 3] = value;
    const auto report = writeColibriExport(requestFor(model, values, {2, 3, 5}, to), {}, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::OutOfRange);
    QVERIFY2(report.error().message().find(text.toStdString()) != std::string::npos, report.error().message().c_str());
    QVERIFY(report.error().file.ends_with("w.bin"));
    QCOMPARE(everythingIn(model.path("")), QStringList("source"));
}

void WriterFailuresTest::cancelLeavesNothing_data()
{
    QTest::addColumn<quint64>("after");
    QTest::newRow("before the first byte") << quint64{0};
    QTest::newRow("in dense.bin") << quint64{1};
    QTest::newRow("in the experts") << quint64{240'800};
    QTest::newRow("at the end") << quint64{UINT64_MAX};
}

void WriterFailuresTest::cancelLeavesNothing()
{
    QFETCH(quint64, after);
    const sample::Model model(DType::F32);
    const WriteRequest request = model.request(model.path("out"), DType::F32);
    const std::uint64_t limit = after == UINT64_MAX ? plannedBytes(request)->written : after;
    std::stop_source stop;
    if (limit == 0)
        stop.request_stop();
    std::uint64_t written = 0;
    const auto report = writeColibriExport(
        request,
        [&](std::uint64_t bytes) {
            written += bytes;
            if (written >= limit)
                stop.request_stop();
        },
        stop.get_token());
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::Cancelled);
    QCOMPARE(everythingIn(model.path("")), QStringList("source"));
}

void WriterFailuresTest::damagedSourceIsNoticed()
{
    const sample::Model model(DType::F32);
    WriteRequest request = model.request(model.path("out"), DType::F16);
    request.dense[2].from.xxh64 = 1;
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::Mismatch);
    QVERIFY(report.error().message().find("stack") != std::string::npos);
    QVERIFY(report.error().message().find("0000000000000001") != std::string::npos);
    QCOMPARE(everythingIn(model.path("")), QStringList("source"));
}

void WriterFailuresTest::shrunkenSourceIsNoticed()
{
    const sample::Model model(DType::F32);
    QCOMPARE(truncate(qPrintable(model.path("source/weights.bin")), 4096), 0);
    const auto report = writeColibriExport(model.request(model.path("out"), DType::F32), {}, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::Lost);
    QVERIFY(report.error().file.ends_with("weights.bin"));
    QCOMPARE(everythingIn(model.path("")), QStringList("source"));
}

void WriterFailuresTest::fullDiskLeavesNothing()
{
    // A limit on the size of files stands in for a full disk: writes fail in the middle of dense.bin.
    const sample::Model model(DType::F32);
    const WriteRequest request = model.request(model.path("out"), DType::F32);
    const int code = inChild([&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100'000, 100'000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            return 98;
        const auto report = writeColibriExport(request, {}, {});
        const bool clear = !report && report.error().code == Errc::Io && report.error().file.ends_with("dense.bin")
            && report.error().offset == 100'000u;
        return clear ? 0 : 1;
    });
    QCOMPARE(code, 0);
    QCOMPARE(everythingIn(model.path("")), QStringList("source"));
}

void WriterFailuresTest::targetThatAppearsMeanwhileStays()
{
    const sample::Model model(DType::F32);
    bool made = false;
    const auto report = writeColibriExport(model.request(model.path("out"), DType::F32),
        [&](std::uint64_t) { made = made || QDir(model.path("")).mkdir("out"); }, {});
    QVERIFY(made && !report);
    QCOMPARE(report.error().code, Errc::OutOfRange);
    QCOMPARE(everythingIn(model.path("")), (QStringList{"out", "source"}));
    QVERIFY(everythingIn(model.path("out")).isEmpty());
}

void WriterFailuresTest::badRequestsAreRefused()
{
    const sample::Model model(DType::F32);
    WriteRequest request = model.request(model.path("out"), DType::F32);
    request.experts[1].tensors.clear();
    QVERIFY(!writeColibriExport(request, {}, {}));
    request = model.request(model.path("out"), DType::F32);
    request.experts[1].layer = 65536;
    QVERIFY(!writeColibriExport(request, {}, {}));
    // What the reader refuses does not appear: the same name twice, a layer that config.json does not have.
    request = model.request(model.path("out"), DType::F32);
    request.dense[1].name = "embed";
    QVERIFY(!writeColibriExport(request, {}, {}));
    request = model.request(model.path("out"), DType::F32);
    request.experts[0].layer = 2;
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, Errc::OutOfRange);
    QCOMPARE(everythingIn(model.path("")), QStringList("source"));
}

void WriterFailuresTest::killedWriterLeavesNoFolder()
{
    // Killed at different places of the writing; what lies there afterwards is no readable export.
    const sample::Model model(DType::F32);
    const WriteRequest request = model.request(model.path("out"), DType::F16);
    const auto planned = plannedBytes(request);
    QVERIFY(planned);
    for (const std::uint64_t limit : {std::uint64_t{1}, planned->written / 2, planned->written - 1, planned->written}) {
        const int code = inChild([&] {
            std::uint64_t written = 0;
            const auto kill = [&](std::uint64_t bytes) {
                written += bytes;
                if (written >= limit)
                    raise(SIGKILL);
            };
            return writeColibriExport(request, kill, {}) ? 0 : 1;
        });
        QCOMPARE(code, -SIGKILL);
        QVERIFY(!QDir(model.path("out")).exists());
        for (const QString& name : everythingIn(model.path("")))
            QVERIFY2(name == "source" || !readModelSource(model.path(name).toStdString(), {}, {}), qPrintable(name));
    }
    // Unfinished folders of dead writers are not in the way.
    const auto report = writeColibriExport(request, {}, {});
    QVERIFY2(report, report ? "" : report.error().message().c_str());
    QVERIFY(readModelSource(model.path("out").toStdString(), {}, {}));
}

QTEST_APPLESS_MAIN(WriterFailuresTest)
#include "tst_writer_failures.moc"
