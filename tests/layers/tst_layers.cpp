// SPDX-License-Identifier: Apache-2.0
// The rules of HACKING.md over this source tree; and every rule over small trees that keep or break it.
#include "layers/rules.h"

#include <QTest>

using namespace colibri::layers;

namespace {

QStringList texts(const QList<Finding>& findings)
{
    QStringList all;
    for (const Finding& finding : findings)
        all << toString(finding);
    return all;
}

/// Fails with every finding, not only the first.
#define VERIFY_NONE(findings)                                                                                          \
    do {                                                                                                               \
        const QStringList all = texts(findings);                                                                       \
        QVERIFY2(all.isEmpty(), qPrintable('\n' + all.join('\n')));                                                    \
    } while (false)

} // namespace

class LayersTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void includesFollowTheTable();
    void engineHasNoSideEffects();
    void sizesKeepTheBudget();
    void licencesAreNamed();
    void noPathOfOneMachine();

    void includeRule_data();
    void includeRule();
    void sideEffectRule_data();
    void sideEffectRule();
    void sizeRule();
    void licenceRule_data();
    void licenceRule();
    void machinePathRule_data();
    void machinePathRule();
    void ambiguityRule();

private:
    SourceTree m_tree;
};

void LayersTest::initTestCase()
{
    m_tree = readSourceTree(QStringLiteral(COLIBRI_SOURCE_TREE));
    QVERIFY(m_tree.contains(QStringLiteral("engine/types/result.h")));
    QVERIFY(m_tree.contains(QStringLiteral("tests/layers/tst_layers.cpp")));
}

void LayersTest::includesFollowTheTable()
{
    VERIFY_NONE(includeFindings(m_tree));
    VERIFY_NONE(ambiguousHeaders(m_tree));
}

void LayersTest::engineHasNoSideEffects()
{
    VERIFY_NONE(sideEffectFindings(m_tree));
}

void LayersTest::sizesKeepTheBudget()
{
    for (const char* folder : {"engine/", "ui/", "app/", "tests/"}) {
        int files = 0, lines = 0;
        QStringList large;
        for (const QString& path : m_tree.keys()) {
            if (!path.startsWith(QLatin1String(folder)) || !isCode(path))
                continue;
            const int count = lineCount(m_tree.value(path));
            ++files;
            lines += count;
            if (count > wantedSourceLines)
                large << QStringLiteral("%1 (%2)").arg(path).arg(count);
        }
        qInfo("%-8s %3d files, %6d lines; past %d lines: %s", folder, files, lines, wantedSourceLines,
            large.isEmpty() ? "none" : qPrintable(large.join(QStringLiteral(", "))));
    }
    VERIFY_NONE(sizeFindings(m_tree));
}

void LayersTest::licencesAreNamed()
{
    VERIFY_NONE(licenceFindings(m_tree));
}

void LayersTest::noPathOfOneMachine()
{
    VERIFY_NONE(machinePathFindings(m_tree));
}

/// Each row: a file `path` with one line of code, in a tree of one header for each layer.
void LayersTest::includeRule_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("good");
    const auto row = [](const char* name, const char* path, const char* code, bool good) {
        QTest::newRow(name) << QString::fromLatin1(path) << QByteArray(code) << good;
    };
    row("own layer", "engine/format/a.cpp", "#include \"format/json.h\"", true);
    row("downward", "engine/format/a.cpp", "#include \"types/result.h\"", true);
    row("upward", "engine/types/a.h", "#include \"format/json.h\"", false);
    row("sideways", "engine/kernels/a.h", "#include \"memory/arena.h\"", false);
    row("through angles", "engine/types/a.h", "#  include <format/json.h>", false);
    row("beside it", "engine/types/a.h", "#include \"result.h\"", true);
    row("out and up again", "engine/types/a.h", "#include \"../format/json.h\"", false);
    row("one file of a layer", "engine/tokenizer/a.cpp", "#include \"format/json.h\"", true);
    row("another file of it", "engine/tokenizer/a.cpp", "#include \"format/readers.h\"", false);
    row("engine with Qt", "engine/api/a.cpp", "#include <QString>", false);
    row("engine with a Qt module", "engine/cli/a.cpp", "#include <QtCore/qglobal.h>", false);
    row("engine with the system", "engine/memory/a.cpp", "#include <sys/mman.h>", true);
    row("in a comment", "engine/types/a.h", "/* \n#include \"format/json.h\"\n */", true);
    row("missing file", "engine/format/a.cpp", "#include \"types/nothing.h\"", false);
    row("cli with the api", "engine/cli/a.cpp", "#include \"api/model.h\"", true);
    row("cli with the guard", "engine/cli/a.cpp", "#include \"memory/fault_guard.h\"", true);
    row("cli with the arena", "engine/cli/a.cpp", "#include \"memory/arena.h\"", false);
    row("cli through the api", "engine/cli/a.cpp", "#include \"api/leak.h\"", false);
    row("api with the model", "engine/api/a.cpp", "#include \"model/forward.h\"", true);
    row("store with types", "ui/stores/a.h", "#include \"types/result.h\"", true);
    row("store with the api", "ui/stores/a.h", "#include \"api/model.h\"", false);
    row("view with a store", "ui/views/run/a.cpp", "#include \"stores/runstore.h\"", true);
    row("view with the session", "ui/views/run/a.cpp", "#include \"session/worker.h\"", false);
    row("session with the api", "ui/session/a.cpp", "#include \"api/model.h\"", true);
    row("session with engine memory", "ui/session/a.cpp", "#include \"memory/arena.h\"", false);
    row("app with a view", "app/a.cpp", "#include \"views/run/page.h\"", true);
    row("app with the model layer", "app/a.cpp", "#include \"model/forward.h\"", false);
    row("a layer unknown to the table", "engine/util/a.h", "", false);
}

void LayersTest::includeRule()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, code);
    QFETCH(bool, good);
    SourceTree tree;
    for (const char* header : {"engine/types/result.h", "engine/memory/arena.h", "engine/memory/fault_guard.h",
             "engine/format/json.h", "engine/format/readers.h", "engine/model/forward.h", "engine/api/model.h",
             "ui/stores/runstore.h", "ui/session/worker.h", "ui/views/run/page.h"})
        tree.insert(QString::fromLatin1(header), "#pragma once\n");
    tree.insert(QStringLiteral("engine/api/leak.h"), "#include \"memory/arena.h\"\n");
    tree.insert(path, code);
    const QStringList found = texts(includeFindings(tree));
    QVERIFY2(found.isEmpty() == good, qPrintable(found.join('\n')));
}

void LayersTest::sideEffectRule_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("good");
    QTest::newRow("stream") << QByteArray("std::cout << 1;") << false;
    QTest::newRow("fprintf") << QByteArray("  fprintf(stderr, \"x\");") << false;
    QTest::newRow("std::printf") << QByteArray("std::printf(\"x\");") << false;
    QTest::newRow("exit") << QByteArray("if (bad) exit (1);") << false;
    QTest::newRow("abort") << QByteArray("std::abort();") << false;
    QTest::newRow("snprintf") << QByteArray("std::snprintf(b, 2, \"x\");") << true;
    QTest::newRow("comment") << QByteArray("// abort() is not for us\nint a; /* exit(1) */") << true;
    QTest::newRow("text") << QByteArray("return \"call exit(1) \\\" abort()\";") << true;
    QTest::newRow("raw text") << QByteArray("return R\"(\" abort() )\";") << true;
    QTest::newRow("behind a character") << QByteArray("char c = '\"'; std::abort(); char d = '\"';") << false;
    QTest::newRow("behind a separator") << QByteArray("int n = 1'000; exit(2); int m = 2'000;") << false;
    QTest::newRow("own function") << QByteArray("onexit(1); run.abort();") << true;
}

void LayersTest::sideEffectRule()
{
    QFETCH(QByteArray, code);
    QFETCH(bool, good);
    QCOMPARE(sideEffectFindings({{QStringLiteral("engine/model/a.cpp"), code}}).isEmpty(), good);
    QVERIFY(sideEffectFindings({{QStringLiteral("engine/cli/a.cpp"), code}}).isEmpty());
}

void LayersTest::sizeRule()
{
    const auto findings = [](const char* path, int lines) {
        return sizeFindings({{QString::fromLatin1(path), QByteArray("x\n").repeated(lines)}}).size();
    };
    QCOMPARE(findings("engine/types/a.h", maxHeaderLines), 0);
    QCOMPARE(findings("engine/types/a.h", maxHeaderLines + 1), 1);
    QCOMPARE(findings("ui/stores/a.cpp", maxSourceLines), 0);
    QCOMPARE(findings("ui/stores/a.cpp", maxSourceLines + 1), 1);
    QCOMPARE(findings("tests/ui/support/a.h", maxHeaderLines + 1), 1);
    QCOMPARE(findings("tests/data/a.json", maxSourceLines + 1), 0);
}

void LayersTest::licenceRule_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    const QByteArray apache = "// SPDX-License-Identifier: Apache-2.0\n",
                     gpl = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
    QTest::newRow("engine") << QStringLiteral("engine/types/a.h") << apache << true;
    QTest::newRow("engine under the GPL") << QStringLiteral("engine/types/a.h") << gpl << false;
    QTest::newRow("window") << QStringLiteral("ui/stores/a.h") << gpl << true;
    QTest::newRow("window under Apache") << QStringLiteral("app/main.cpp") << apache << false;
    QTest::newRow("window's test") << QStringLiteral("tests/ui/tst_a.cpp") << apache << false;
    QTest::newRow("none") << QStringLiteral("engine/CMakeLists.txt") << QByteArray("project(x)\n") << false;
    QTest::newRow("second line") << QStringLiteral("cmake/a.cmake")
                                 << QByteArray("\n# SPDX-License-Identifier: Apache-2.0\n") << false;
    QTest::newRow("script") << QStringLiteral("packaging/go")
                            << QByteArray("#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\n") << true;
    QTest::newRow("bare script") << QStringLiteral("packaging/go") << QByteArray("#!/bin/bash\n") << false;
    QTest::newRow("text") << QStringLiteral("README.md") << QByteArray("# Colibri\n") << true;
}

void LayersTest::licenceRule()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    QCOMPARE(licenceFindings({{path, text}}).isEmpty(), good);
}

void LayersTest::machinePathRule_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    const QByteArray slash = "/";
    QTest::newRow("home") << slash + "home/ada/models" << false;
    QTest::newRow("in code") << QByteArray("open(\"") + slash + "root/x\");" << false;
    QTest::newRow("relative") << QByteArray("docs/home/page and ../work/x") << true;
    QTest::newRow("system") << QByteArray("/proc/meminfo /tmp/.X11-unix") << true;
    QTest::newRow("binary") << QByteArray("\0", 1) + slash + "home/ada" << true;
}

void LayersTest::machinePathRule()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    QCOMPARE(machinePathFindings({{QStringLiteral("engine/a.txt"), text}}).isEmpty(), good);
}

void LayersTest::ambiguityRule()
{
    QVERIFY(ambiguousHeaders({{QStringLiteral("engine/session/a.h"), {}}, {QStringLiteral("ui/session/b.h"), {}}})
                .isEmpty());
    QCOMPARE(
        ambiguousHeaders({{QStringLiteral("engine/session/a.h"), {}}, {QStringLiteral("ui/session/a.h"), {}}}).size(),
        1);
}

QTEST_APPLESS_MAIN(LayersTest)
#include "tst_layers.moc"
