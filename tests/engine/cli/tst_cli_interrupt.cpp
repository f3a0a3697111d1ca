// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace colibri::test;

namespace {

const QByteArray tinyModel = COLIBRI_TEST_DATA "/qwen3moe-f32";

/// A running colibri whose standard output is a pipe that takes only a few more bytes until it is read: it is held in
/// the middle of its run for as long as a test needs.
class HeldProgram {
public:
    /// `room`: bytes that fit before it is held.
    explicit HeldProgram(const QList<QByteArray>& arguments, int room);
    ~HeldProgram();

    int waitingBytes() const; ///< made by it so far
    void interrupt() const { kill(m_pid, SIGINT); }
    /// Whether a SIGINT that was sent has been taken within some seconds.
    bool interruptTaken() const;
    QByteArray readAll(); ///< the rest of its output; until it ends
    int wait(); ///< as waitpid tells
    QByteArray errors() const;

private:
    pid_t m_pid = -1;
    int m_read = -1;
    int m_filled = 0;
    int m_status = 0;
    QByteArray m_errorFile;
};

HeldProgram::HeldProgram(const QList<QByteArray>& arguments, int room)
    : m_errorFile(QDir::tempPath().toLocal8Bit() + "/colibri-held-" + QByteArray::number(getpid()))
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    const int capacity = fcntl(ends[1], F_SETPIPE_SZ, 4096);
    m_filled = capacity - room;
    const QByteArray filling(m_filled, '.');
    if (write(ends[1], filling.constData(), static_cast<std::size_t>(m_filled)) != m_filled)
        return;
    const QByteArray program = programPath().toUtf8();
    m_pid = fork();
    if (m_pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(open(m_errorFile.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        std::vector<char*> argv{const_cast<char*>(program.constData())};
        for (const QByteArray& argument : arguments)
            argv.push_back(const_cast<char*>(argument.constData()));
        argv.push_back(nullptr);
        execv(program.constData(), argv.data());
        _exit(127);
    }
    close(ends[1]);
    m_read = ends[0];
}

HeldProgram::~HeldProgram()
{
    if (m_pid > 0) {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    close(m_read);
    unlink(m_errorFile.constData());
}

int HeldProgram::waitingBytes() const
{
    int bytes = 0;
    ioctl(m_read, FIONREAD, &bytes);
    return bytes - m_filled;
}

bool HeldProgram::interruptTaken() const
{
    const QString path = QStringLiteral("/proc/%1/status").arg(m_pid);
    return QTest::qWaitFor(
        [&] {
            QFile status(path);
            if (!status.open(QIODevice::ReadOnly))
                return false;
            for (const QByteArray& line : status.readAll().split('\n'))
                if (line.startsWith("ShdPnd:"))
                    return (line.mid(7).trimmed().toULongLong(nullptr, 16) & (1ull << (SIGINT - 1))) == 0;
            return false;
        },
        10000);
}

QByteArray HeldProgram::readAll()
{
    QByteArray all;
    char block[4096];
    for (ssize_t count = 0; (count = read(m_read, block, sizeof block)) > 0;)
        all.append(block, count);
    return all.mid(m_filled);
}

int HeldProgram::wait()
{
    waitpid(m_pid, &m_status, 0);
    m_pid = -1;
    return m_status;
}

QByteArray HeldProgram::errors() const
{
    QFile file(QString::fromUtf8(m_errorFile));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

const QList<QByteArray> longRun{"run", tinyModel, "--tokens", "1,2,3", "-n", "400", "--ignore-eos"};

} // namespace

/// Ctrl-C.
class TestCliInterrupt : public QObject {
    Q_OBJECT

private slots:
    void keepsTheTextSoFar();
    void secondOneKills();
    void whileReadingStandardInput();
};

void TestCliInterrupt::keepsTheTextSoFar()
{
    QStringList arguments;
    for (const QByteArray& argument : longRun)
        arguments << QString::fromUtf8(argument);
    const Outcome whole = runColibri(arguments);
    QCOMPARE(whole.code, 0);

    HeldProgram program(longRun, 24);
    QTRY_VERIFY_WITH_TIMEOUT(program.waitingBytes() > 12, 60000);
    program.interrupt();
    QVERIFY(program.interruptTaken());
    QTest::qWait(50); // between taking the signal and asking to stop
    const QByteArray text = program.readAll();
    const int status = program.wait();
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 130);
    QVERIFY(text.size() > 12);
    QVERIFY2(text.size() < whole.out.size(), "it went on to the end");
    // A character that was cut in the middle ends as U+FFFD.
    const QByteArray known = text.endsWith("\xEF\xBF\xBD") ? text.chopped(3) : text;
    QVERIFY(whole.out.startsWith(known));
    QVERIFY2(
        program.errors().contains("tok/s") && program.errors().contains("cancelled"), program.errors().constData());
}

void TestCliInterrupt::secondOneKills()
{
    HeldProgram program(longRun, 24);
    QTRY_VERIFY_WITH_TIMEOUT(program.waitingBytes() > 12, 60000);
    for (qint64 before = -1; program.waitingBytes() != before; QTest::qWait(300))
        before = program.waitingBytes(); // until the pipe is full and the program stands still in its write
    program.interrupt();
    QVERIFY(program.interruptTaken());
    QTest::qWait(50);
    program.interrupt();
    const int status = program.wait(); // nobody reads its output: only the signal can end it
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGINT);
}

void TestCliInterrupt::whileReadingStandardInput()
{
    int input[2];
    QCOMPARE(pipe2(input, O_CLOEXEC), 0);
    const int own = dup(STDIN_FILENO);
    dup2(input[0], STDIN_FILENO);
    HeldProgram program({"run", tinyModel, "-p", "-"}, 4096);
    dup2(own, STDIN_FILENO);
    QTest::qWait(300); // it waits for input that never comes
    program.interrupt();
    const int status = program.wait();
    QVERIFY(WIFEXITED(status) || WIFSIGNALED(status));
    if (WIFEXITED(status))
        QCOMPARE(WEXITSTATUS(status), 130);
    else
        QCOMPARE(WTERMSIG(status), SIGINT); // it had not got that far
    close(own);
    close(input[0]);
    close(input[1]);
}

QTEST_GUILESS_MAIN(TestCliInterrupt)
#include "tst_cli_interrupt.moc"
