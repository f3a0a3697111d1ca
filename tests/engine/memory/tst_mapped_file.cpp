// SPDX-License-Identifier: Apache-2.0
#include "memory/fault_guard.h"
#include "memory/mapped_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace colibri;

class MappedFileTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installFaultGuard(); }
    void mapsTheBytes();
    void mapsAnEmptyFile();
    void refusesWhatIsNoFile();
    void truncatedFileReadsAsZerosAndIsLost();
    void otherMappingsStayWhole();
    void noticesChangesOnDisk();
    void populatesInSteps();
    void populateStops();
    void populateRefusesARangeOutside();
    void populateOfATruncatedFileIsLost();

private:
    std::string write(const char* name, const QByteArray& bytes) const;
    QTemporaryDir m_folder;
};

std::string MappedFileTest::write(const char* name, const QByteArray& bytes) const
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QFile::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write the test's file");
    return file.fileName().toStdString();
}

void MappedFileTest::mapsTheBytes()
{
    const QByteArray content = QByteArray("abc").repeated(5000);
    const auto file = MappedFile::open(write("plain", content));
    QVERIFY(file);
    const auto bytes = (*file)->bytes();
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())), content);
    QVERIFY(!(*file)->lost());
    QVERIFY(!(*file)->changedOnDisk());
}

void MappedFileTest::mapsAnEmptyFile()
{
    const auto file = MappedFile::open(write("empty", {}));
    QVERIFY(file);
    QVERIFY((*file)->bytes().empty());
    QVERIFY(!(*file)->lost());
    QVERIFY((*file)->populate(0, 0, {}, {}));
}

void MappedFileTest::refusesWhatIsNoFile()
{
    const auto missing = MappedFile::open(m_folder.filePath("missing").toStdString());
    QVERIFY(!missing);
    QCOMPARE(missing.error().code, Errc::NotFound);
    QVERIFY(missing.error().message().find("missing") != std::string::npos);

    const auto folder = MappedFile::open(m_folder.path().toStdString());
    QVERIFY(!folder);
    QCOMPARE(folder.error().code, Errc::Io);
    QCOMPARE(folder.error().why, std::string("is a folder"));

    const std::string pipe = m_folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    const auto fifo = MappedFile::open(pipe);
    QVERIFY(!fifo);
    QCOMPARE(fifo.error().code, Errc::Io);

    const std::string closed = write("closed", "x");
    QCOMPARE(chmod(closed.c_str(), 0), 0);
    if (geteuid() != 0) {
        const auto unreadable = MappedFile::open(closed);
        QVERIFY(!unreadable);
        QCOMPARE(unreadable.error().code, Errc::Io);
    }
}

void MappedFileTest::truncatedFileReadsAsZerosAndIsLost()
{
    const std::string path = write("shrinks", QByteArray(1 << 20, 'x'));
    const auto file = MappedFile::open(path);
    QVERIFY(file);
    const auto bytes = (*file)->bytes();
    const std::uint64_t faultsBefore = mappingFaults();
    QCOMPARE(truncate(path.c_str(), 4096), 0);
    QCOMPARE(static_cast<char>(bytes[100]), 'x');
    QVERIFY(!(*file)->lost());
    for (const std::size_t at : {std::size_t{8192 + 17}, bytes.size() - 1, std::size_t{8192}})
        QCOMPARE(static_cast<char>(bytes[at]), '\0');
    QVERIFY((*file)->lost());
    QCOMPARE(mappingFaults() - faultsBefore, std::uint64_t{2}); // two pages
    QCOMPARE(static_cast<char>(bytes[100]), 'x');
}

void MappedFileTest::otherMappingsStayWhole()
{
    const std::string path = write("shrinks too", QByteArray(1 << 16, 'x'));
    const auto whole = MappedFile::open(write("whole", QByteArray(1 << 16, 'y')));
    const auto twice = MappedFile::open(path);
    QVERIFY(whole && twice);
    {
        const auto file = MappedFile::open(path);
        QVERIFY(file);
        QCOMPARE(truncate(path.c_str(), 0), 0);
        QCOMPARE(static_cast<char>((*file)->bytes()[0]), '\0');
        QVERIFY((*file)->lost());
    }
    QVERIFY(!(*whole)->lost());
    QVERIFY(!(*twice)->lost()); // nobody has read it
    const auto next = MappedFile::open(m_folder.filePath("whole").toStdString()); // takes the slot of the lost one
    QVERIFY(next);
    QVERIFY(!(*next)->lost());
}

void MappedFileTest::noticesChangesOnDisk()
{
    const std::string path = write("changes", "0123456789");
    const auto file = MappedFile::open(path);
    QVERIFY(file);
    QVERIFY(!(*file)->changedOnDisk());
    const timespec times[2]{{1000, 5}, {1000, 5}};
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    QVERIFY((*file)->changedOnDisk());

    const auto again = MappedFile::open(path);
    QVERIFY(again && !(*again)->changedOnDisk());
    QCOMPARE(truncate(path.c_str(), 20), 0);
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    QVERIFY((*again)->changedOnDisk()); // by its size alone
    QCOMPARE(unlink(path.c_str()), 0);
    QVERIFY((*again)->changedOnDisk());
}

void MappedFileTest::populatesInSteps()
{
    constexpr std::uint64_t size = (20u << 20) + 123;
    const std::string path = write("large", {});
    QCOMPARE(truncate(path.c_str(), size), 0);
    const auto file = MappedFile::open(path);
    QVERIFY(file);
    std::vector<std::uint64_t> steps;
    QVERIFY((*file)->populate(5, size - 5, {}, [&](std::uint64_t bytes) { steps.push_back(bytes); }));
    QCOMPARE(steps, (std::vector<std::uint64_t>{8u << 20, 8u << 20, size - 5 - (16u << 20)}));
}

void MappedFileTest::populateStops()
{
    const std::string path = write("large too", {});
    QCOMPARE(truncate(path.c_str(), 64 << 20), 0);
    const auto file = MappedFile::open(path);
    QVERIFY(file);
    std::stop_source stop;
    int steps = 0;
    const auto result = (*file)->populate(0, 64 << 20, stop.get_token(), [&](std::uint64_t) {
        if (++steps == 3)
            stop.request_stop();
    });
    QVERIFY(!result);
    QCOMPARE(result.error().code, Errc::Cancelled);
    QCOMPARE(steps, 3);
}

void MappedFileTest::populateRefusesARangeOutside()
{
    const auto file = MappedFile::open(write("small", "0123456789"));
    QVERIFY(file);
    const std::pair<std::uint64_t, std::uint64_t> ranges[]{{0, 11}, {11, 0}, {5, UINT64_MAX}};
    for (const auto& [offset, size] : ranges) {
        const auto result = (*file)->populate(offset, size, {}, {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, Errc::OutOfRange);
    }
    QVERIFY((*file)->populate(10, 0, {}, {}));
}

void MappedFileTest::populateOfATruncatedFileIsLost()
{
    const std::string path = write("shrinks before", QByteArray(1 << 20, 'x'));
    const auto file = MappedFile::open(path);
    QVERIFY(file);
    QCOMPARE(truncate(path.c_str(), 4096), 0);
    const auto result = (*file)->populate(0, 1 << 20, {}, {});
    // A kernel without MADV_POPULATE_READ touches the pages instead, which marks the mapping.
    QVERIFY(result ? (*file)->lost() : result.error().code == Errc::Lost);
}

QTEST_APPLESS_MAIN(MappedFileTest)
#include "tst_mapped_file.moc"
