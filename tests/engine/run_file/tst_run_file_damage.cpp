// SPDX-License-Identifier: Apache-2.0
#include "format/run_file.h"
#include "samplerun.h"
#include "support/errorcheck.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <functional>
#include <random>

using namespace colibri;
using namespace colibri::test;

Q_DECLARE_METATYPE(Errc)

/// Files that are not what they should be: one error each, with file, offset, field, value and rule.
class RunFileDamageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void everyCutIsAnError();
    void everyFlippedBitIsAnError();
    void header_data();
    void header();
    void sections_data();
    void sections();
    void everyHeaderFieldMatters();
    void bytesBehindTheEnd();
    void randomDamageWithAFittingChecksum();

private:
    QByteArray edited(const QByteArray& from, const QByteArray& to) const;
    qsizetype headerBytes() const;
    qsizetype sectionAt(const char* name) const;
    Result<SavedRun> parse(const QByteArray& file) const { return parseRunFile(bytesOf(file), "x.colibri-run"); }

    QByteArray m_file;
};

void RunFileDamageTest::initTestCase()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("a");
    QVERIFY(writeRunFile(sampleRun(), path.toStdString(), {}, {}));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    m_file = file.readAll();
    QVERIFY(m_file.size() < 5000);
    QVERIFY(parse(m_file));
}

qsizetype RunFileDamageTest::headerBytes() const
{
    std::uint64_t length = 0;
    std::memcpy(&length, m_file.constData() + 8, 8);
    return qsizetype(length);
}

qsizetype RunFileDamageTest::sectionAt(const char* name) const
{
    const qsizetype entry = m_file.indexOf(QByteArray("\"name\":\"") + name);
    const qsizetype number = m_file.indexOf("\"offset\":", entry) + 9;
    return 16 + headerBytes() + m_file.mid(number, m_file.indexOf(',', number) - number).toLongLong();
}

/// The file with another text in its header, padded again, with a fitting length and checksum.
QByteArray RunFileDamageTest::edited(const QByteArray& from, const QByteArray& to) const
{
    QByteArray text = m_file.mid(16, headerBytes());
    const qsizetype at = text.indexOf(from);
    if (at < 0 || text.indexOf(from, at + 1) >= 0)
        qFatal("\"%s\" stands not once in the header", from.constData());
    text.replace(from, to);
    text = text.trimmed();
    text.append((64 - (16 + text.size()) % 64) % 64, ' ');
    const auto length = std::uint64_t(text.size());
    QByteArray file = m_file.first(8);
    file.append(reinterpret_cast<const char*>(&length), 8);
    return withChecksum(file + text + m_file.mid(16 + headerBytes()));
}

void RunFileDamageTest::everyCutIsAnError()
{
    for (qsizetype size = 0; size < m_file.size(); ++size) {
        const QByteArray part(m_file.constData(), size); // of its own size, for the address sanitizer
        QCOMPARE(complaint(parse(part), Errc::Truncated, {"x.colibri-run", "offset " + QByteArray::number(size)}),
            QString());
        if (size >= 24) { // and with a checksum that fits what is left
            const auto again = parse(withChecksum(part));
            QVERIFY2(!again, QByteArray::number(size));
        }
    }
}

void RunFileDamageTest::everyFlippedBitIsAnError()
{
    for (qsizetype at = 0; at < m_file.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            QByteArray damaged = m_file;
            damaged[at] = char(damaged[at] ^ (1 << bit));
            const auto result = parse(damaged);
            QVERIFY2(!result, qPrintable(QStringLiteral("byte %1, bit %2").arg(at).arg(bit)));
            QCOMPARE(result.error().file, std::string("x.colibri-run"));
            QVERIFY(result.error().offset.has_value());
        }
}

void RunFileDamageTest::header_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<Errc>("code");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* from, const char* to, QList<QByteArray> parts, Errc code = Errc::Malformed) {
        QTest::newRow(to) << QByteArray(from) << QByteArray(to) << code << parts;
    };
    row("\"format\":\"colibri-run\"", "\"format\":\"colibri\"", {"format is \"colibri\"", "\"colibri-run\""});
    row("\"version\":1,", "\"version\":2,", {"version is 2", "reads version 1"}, Errc::Unsupported);
    row("\"version\":1,", "\"version\":0,", {"version is 0"});
    row("\"version\":1,", "", {"version is missing"});
    row("\"numerics\":\"scalar\",\"activations\":\"f32\",\"kv\":\"f16\"",
        "\"numerics\":\"exact\",\"activations\":\"f32\",\"kv\":\"f16\"",
        {"engine.numerics is \"exact\"", "reproducible, scalar"});
    row("\"threads\":3", "\"threads\":-3", {"engine.threads is -3", "integer from 0 to 4294967295"});
    row("\"threads\":3", "\"threads\":4294967296", {"engine.threads is 4294967296"});
    row("\"model_id\":\"0123456789abcdef\"", "\"model_id\":7", {"engine.model_id is 7", "a string"});
    row("\"max_tokens\":4294967295", "\"max_tokens\":1.5", {"request.max_tokens is 1.5"});
    row("\"ignore_end_of_text\":true", "\"ignore_end_of_text\":1",
        {"request.ignore_end_of_text is 1", "true or false"});
    row("\"pace\":12.5", "\"pace\":null", {"request.pace is null", "finite number"});
    row("\"top_k\":40", "\"top_k\":-1", {"request.sampling.top_k is -1"});
    row("\"isa\":\"avx512\"", "\"isa\":\"neon\"", {"request.engine.isa is \"neon\""});
    row("\"routing\":\"table\",\"breaker\"", "\"routing\":\"dice\",\"breaker\"",
        {"request.engine.routing is \"dice\""});
    row("\"reason\":\"context_full\"", "\"reason\":\"cancelled\"", {"end.reason is \"cancelled\"", "max_tokens"});
    row("\"error\":\"a NaN, said layer 3\"", "\"error\":{}", {"end.error is an object", "a string or null"});
    row("\"tokens\":7", "\"tokens\":0", {"counts.tokens is 0", "from 1 to"});
    row("\"tokens\":7", "\"tokens\":134217729", {"counts.tokens is 134217729", "134217728"});
    row("\"tokens\":7", "\"tokens\":134217728", {"sections[0].size is 28", "from 536870912"});
    row("\"tokens\":7", "\"tokens\":2", {"counts.prompt_tokens is 3", "from 0 to 2"});
    row("\"prompt_tokens\":3", "\"prompt_tokens\":8", {"counts.prompt_tokens is 8", "from 0 to 7"});
    row("\"routed\":6", "\"routed\":8", {"counts.routed is 8", "from 0 to 7"});
    row("\"routed\":6", "\"routed\":7", {"sections[5].size is 160", "200"});
    row("\"layers\":2", "\"layers\":4097", {"counts.layers is 4097", "4096"});
    row("\"layers\":2", "\"layers\":3", {"sections[1].size is 56"});
    row("\"experts\":5", "\"experts\":65536", {"counts.experts is 65536", "65535"});
    row("\"experts\":5", "\"experts\":1", {"counts.k is 2", "from 0 to 1"});
    row("\"k\":2", "\"k\":3", {"sections[1].size is 56", "84"});
    row("\"logits_from\":2", "\"logits_from\":7", {"counts.logits_from is 7", "from 0 to 6"});
    row("\"timings\":2,", "\"timings\":8,", {"counts.timings is 8", "from 0 to 7"});
    row("\"breaker_events\":77", "\"breaker_events\":-1", {"counts.breaker_events is -1"});
    row("\"name\":\"tokens\"", "\"name\":\"words\"", {"sections[0].name is \"words\"", "\"tokens\""});
    row("\"dtype\":\"u16\"", "\"dtype\":\"u8\"", {"sections[1].dtype is \"u8\""});
    row("\"offset\":0,", "\"offset\":1,", {"section tokens begins at 1", "multiple of 64"});
    row("\"offset\":64,", "\"offset\":0,", {"begins at 0", "64"});
    row("\"offset\":64,", "\"offset\":4096,", {"begins at"});
    row("\"offset\":576,", "\"offset\":18446744073709551615,", {"section timings ends beyond"});
    row("\"sections\":[", "\"sections\":[{},", {"sections is an array of 8", "a list of 7"});
    row("\"counts\":{", "\"counts\":[],\"other\":{", {"counts is an array of 0", "an object"});
    row("{\"format\"", "{\"format\":1,\"format\"", {"key \"format\" stands twice"});
    row("{\"format\"", "[\"format\"", {});
}

void RunFileDamageTest::header()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(Errc, code);
    QFETCH(QList<QByteArray>, parts);
    const auto result = parse(edited(from, to));
    QCOMPARE(complaint(result, code, QList<QByteArray>{"x.colibri-run", "offset"} + parts), QString());
    QVERIFY(*result.error().offset >= 16 && *result.error().offset <= std::uint64_t(16 + headerBytes() + 64));
}

void RunFileDamageTest::sections_data()
{
    QTest::addColumn<QByteArray>("section");
    QTest::addColumn<int>("at");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QList<QByteArray>>("parts");
    const auto row = [](const char* name, const char* section, int at, QByteArray bytes, QList<QByteArray> parts) {
        QTest::newRow(name) << QByteArray(section) << at << bytes << parts;
    };
    const QList<QByteArray> expert{"position 1, layer 1, rank 0 is 5, there are 5"};
    row("expert", "experts", (1 * 2 + 1) * 4, QByteArray("\x05\0", 2), expert);
    row("expert of a filled row", "experts", 6 * 2 * 4, QByteArray("\x00\x01", 2), {"position 6", "is 256"});
    row("timing backwards", "timings", 64 + 16, QByteArray("\2\0\0\0", 4), {"timing 1", "from 2 on", "from 3 on here"});
    row("timing beyond the end", "timings", 64 + 20, QByteArray("\5\0\0\0", 4), {"timing 1 is of 5 positions"});
    row("timing that wraps", "timings", 64 + 20, QByteArray("\xFF\xFF\xFF\xFF", 4), {"timing 1 is of 4294967295"});
    row("timing of nothing", "timings", 20, QByteArray("\0\0\0\0", 4), {"timing 0 is of 0 positions"});
    row("timing before the last", "timings", 64, QByteArray("\1\0\0\0", 4), {"timing 1", "begins at 1 ns"});
    row("endless timing", "timings", 64 + 15, QByteArray("\x7F", 1), {"timing 1", "order of time"});
    row("stage that is no number", "timings", 24, QByteArray("\0\0\xC0\x7F", 4), {"timing 0", "finite"});
    row("negative stage", "timings", 40, QByteArray("\0\0\x80\xBF", 4), {"timing 0", "not negative"});
    row("prefill", "timings", 44, QByteArray("\2\0\0\0", 4), {"timing 0", "prefill 2"});
}

void RunFileDamageTest::sections()
{
    QFETCH(QByteArray, section);
    QFETCH(int, at);
    QFETCH(QByteArray, bytes);
    QFETCH(QList<QByteArray>, parts);
    const qsizetype place = sectionAt(section.constData()) + at;
    QByteArray damaged = m_file;
    damaged.replace(place, bytes.size(), bytes);
    const auto result = parse(withChecksum(damaged));
    QCOMPARE(complaint(result, Errc::Malformed, parts), QString());
    QVERIFY(*result.error().offset <= std::uint64_t(place) && *result.error().offset + 64 > std::uint64_t(place));
    // Without a fitting checksum it is the checksum that tells.
    QCOMPARE(complaint(parse(damaged), Errc::Mismatch, {"XXH64"}), QString());
}

void RunFileDamageTest::everyHeaderFieldMatters()
{
    // Each key under another name: every one is missed by its name.
    const QByteArray text = m_file.mid(16, headerBytes());
    int fields = 0;
    for (qsizetype at = text.indexOf("\":"); at >= 0; at = text.indexOf("\":", at + 1)) {
        QByteArray damaged = m_file;
        damaged[16 + at - 1] = '_';
        const qsizetype begin = text.lastIndexOf('"', at - 1) + 1;
        const QByteArray key = text.mid(begin, at - begin);
        QCOMPARE(complaint(parse(withChecksum(damaged)), Errc::Malformed, {key + " is missing"}), QString());
        ++fields;
    }
    QCOMPARE(fields, 10 + 10 + 6 + 6 + 9 + 2 + 2 + 10 + 7 * 4);
}

void RunFileDamageTest::bytesBehindTheEnd()
{
    QCOMPARE(complaint(parse(withChecksum(m_file + QByteArray(8, '\0'))), Errc::Malformed, {"8 bytes stand behind"}),
        QString());
    QByteArray other = m_file;
    other[0] = 'P';
    QCOMPARE(complaint(parse(other), Errc::Malformed, {"does not begin as a saved run does"}), QString());
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{48}, std::uint64_t(headerBytes()) + 1,
             std::uint64_t(headerBytes()) + 64, std::uint64_t{1} << 40, ~std::uint64_t{15}}) {
        QByteArray damaged = m_file;
        std::memcpy(damaged.data() + 8, &length, 8);
        QVERIFY2(!parse(withChecksum(damaged)), QByteArray::number(qulonglong(length)));
    }
}

void RunFileDamageTest::randomDamageWithAFittingChecksum()
{
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        QByteArray damaged = m_file;
        for (unsigned changes = random() % 3 + 1; changes > 0; --changes)
            damaged[qsizetype(random() % std::size_t(damaged.size()))] =
                random() % 2 ? char(random()) : m_file[qsizetype(random() % std::size_t(m_file.size()))];
        const auto result = parse(withChecksum(damaged));
        if (result) {
            ++accepted;
            QCOMPARE(result->record->tokens(), 7u);
            QVERIFY(result->record->bytes() < 2 * std::size_t(m_file.size()));
        }
    }
    QVERIFY(accepted > 500 && accepted < 19'500); // weights, margins and texts may be anything
}

QTEST_APPLESS_MAIN(RunFileDamageTest)
#include "tst_run_file_damage.moc"
