// SPDX-License-Identifier: Apache-2.0
#include "memory/fault_guard.h"
#include "memory/mapped_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace colibri;

namespace {

constexpr int tableSize = 65536;
constexpr int passedOnExit = 7;

void makeFile(const std::string& path, std::size_t bytes)
{
    const int handle = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    const std::string content(bytes, 'x');
    if (handle < 0 || write(handle, content.data(), bytes) != static_cast<ssize_t>(bytes))
        _exit(99);
    close(handle);
}

char readVolatile(const void* at)
{
    return *static_cast<const volatile char*>(at);
}

/// Reads from a mapping that the guard does not know, behind the end of its file.
[[noreturn]] void faultUnregistered(const std::string& path)
{
    makeFile(path, 8192);
    const int handle = open(path.c_str(), O_RDONLY);
    const void* const at = mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, handle, 0);
    if (at == MAP_FAILED || truncate(path.c_str(), 0) != 0)
        _exit(98);
    _exit(readVolatile(at) ? 1 : 2);
}

[[noreturn]] void faultRegistered(const std::string& path)
{
    makeFile(path, 8192);
    const auto file = MappedFile::open(path);
    if (!file || truncate(path.c_str(), 0) != 0)
        _exit(98);
    const char value = readVolatile((*file)->bytes().data());
    _exit(value == 0 && (*file)->lost() ? 0 : 1);
}

/// What this program does when it is started as a child: each way ends the process.
int runChild(const std::string& mode, const std::string& path)
{
    signal(SIGBUS, SIG_DFL);
    if (mode == "handler before")
        signal(SIGBUS, [](int) { _exit(passedOnExit); });
    if (mode == "ignored before" || mode == "sent while ignored")
        signal(SIGBUS, SIG_IGN);
    if (mode != "not installed")
        installFaultGuard();
    if (mode == "sent") {
        raise(SIGBUS);
        return 1;
    }
    if (mode == "sent while ignored") {
        raise(SIGBUS);
        return 0;
    }
    if (mode == "registered" || mode == "not installed")
        faultRegistered(path);
    faultUnregistered(path);
}

int childStatus(const char* mode, const std::string& path)
{
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "tst_fault_guard", "--child", mode, path.c_str(), nullptr);
        _exit(97);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

} // namespace

class FaultGuardTest : public QObject {
    Q_OBJECT

private slots:
    void endsOfProcesses_data();
    void endsOfProcesses();
    void slotsAreReusedWithoutOldMarks();
    void fullTableGivesNoSlot();
    void threadsMapLoseAndUnmap();

private:
    QTemporaryDir m_folder;
};

void FaultGuardTest::endsOfProcesses_data()
{
    QTest::addColumn<int>("signal");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("registered") << 0 << 0;
    QTest::newRow("unregistered") << SIGBUS << 0;
    QTest::newRow("ignored before") << SIGBUS << 0; // a fault cannot be ignored
    QTest::newRow("handler before") << 0 << passedOnExit;
    QTest::newRow("sent") << SIGBUS << 0;
    QTest::newRow("sent while ignored") << 0 << 0;
    QTest::newRow("not installed") << SIGBUS << 0;
}

void FaultGuardTest::endsOfProcesses()
{
    QFETCH(int, signal);
    QFETCH(int, exitCode);
    const int status = childStatus(QTest::currentDataTag(), m_folder.filePath("file").toStdString());
    if (signal) {
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), signal);
    } else {
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), exitCode);
    }
}

void FaultGuardTest::slotsAreReusedWithoutOldMarks()
{
    installFaultGuard();
    const std::string path = m_folder.filePath("reuse").toStdString();
    int lostOnes = 0;
    for (int round = 0; round < 200; ++round) {
        makeFile(path, 4096);
        const auto file = MappedFile::open(path);
        QVERIFY(file);
        QVERIFY(!(*file)->lost());
        if (round % 2) {
            QCOMPARE(truncate(path.c_str(), 0), 0);
            QCOMPARE(readVolatile((*file)->bytes().data()), '\0');
            lostOnes += (*file)->lost();
        } else {
            QCOMPARE(readVolatile((*file)->bytes().data()), 'x');
            QVERIFY(!(*file)->lost());
        }
    }
    QCOMPARE(lostOnes, 100);
}

void FaultGuardTest::fullTableGivesNoSlot()
{
    std::set<int> taken;
    for (int i = 0; i < tableSize; ++i)
        taken.insert(registerMapping(nullptr, 0));
    QCOMPARE(taken.size(), std::size_t{tableSize});
    QCOMPARE(*taken.begin(), 0);
    QCOMPARE(registerMapping(nullptr, 0), -1);
    QVERIFY(!mappingLost(-1));
    unregisterMapping(-1);

    // A file that finds no slot still maps.
    const std::string path = m_folder.filePath("unguarded").toStdString();
    makeFile(path, 100);
    const auto file = MappedFile::open(path);
    QVERIFY(file && !(*file)->lost());
    QCOMPARE(readVolatile((*file)->bytes().data()), 'x');

    unregisterMapping(777);
    QCOMPARE(registerMapping(nullptr, 0), 777);
    for (const int slot : taken)
        unregisterMapping(slot);
}

void FaultGuardTest::threadsMapLoseAndUnmap()
{
    installFaultGuard();
    std::atomic<int> wrong{0};
    const auto work = [&](int thread) {
        const std::string path = m_folder.filePath("thread" + QString::number(thread)).toStdString();
        for (int round = 0; round < 150; ++round) {
            makeFile(path, 16384);
            const auto file = MappedFile::open(path);
            const bool shrinks = (round + thread) % 3 == 0;
            if (!file || (shrinks && truncate(path.c_str(), 4096) != 0)) {
                ++wrong;
                continue;
            }
            const char last = readVolatile(&(*file)->bytes().back());
            wrong += last != (shrinks ? '\0' : 'x') || (*file)->lost() != shrinks;
        }
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back(work, i);
    threads.clear();
    QCOMPARE(wrong.load(), 0);
}

int main(int argc, char** argv)
{
    if (argc == 4 && std::string_view(argv[1]) == "--child")
        return runChild(argv[2], argv[3]);
    FaultGuardTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_fault_guard.moc"
