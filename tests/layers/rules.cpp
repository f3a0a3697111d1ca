// SPDX-License-Identifier: Apache-2.0
#include "layers/rules.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace colibri::layers {

namespace {

/// Who may include whom: a layer includes itself, the folders `sees` and the single `files`. Outside of the engine's
/// inner layers (in cli/, ui/ and app/) this holds for what is seen through an include as well.
struct Layer {
    QString folder;
    QStringList sees;
    QStringList files;
};

const QList<Layer>& layerTable()
{
    static const QString types = QStringLiteral("engine/types"), memory = QStringLiteral("engine/memory"),
                         format = QStringLiteral("engine/format"), tokenizer = QStringLiteral("engine/tokenizer"),
                         kernels = QStringLiteral("engine/kernels"), routing = QStringLiteral("engine/routing"),
                         model = QStringLiteral("engine/model"), session = QStringLiteral("engine/session"),
                         api = QStringLiteral("engine/api"), cli = QStringLiteral("engine/cli");
    static const QString stores = QStringLiteral("ui/stores"), models = QStringLiteral("ui/models"),
                         views = QStringLiteral("ui/views"), uiSession = QStringLiteral("ui/session"),
                         tasks = QStringLiteral("ui/tasks"), app = QStringLiteral("app");
    static const QString guard = QStringLiteral("engine/memory/fault_guard.h");
    static const QList<Layer> table{
        {types, {}, {}},
        {memory, {types}, {}},
        {format, {types, memory}, {}},
        {tokenizer, {types, memory}, {QStringLiteral("engine/format/json.h")}},
        {kernels, {types}, {}},
        {routing, {types}, {QStringLiteral("engine/kernels/math.h")}},
        {model, {types, memory, format, kernels, routing}, {}},
        {session, {types, memory, tokenizer, kernels, routing, model}, {}},
        {api, {types, memory, format, tokenizer, kernels, routing, model, session}, {}},
        {cli, {types, api}, {guard}},
        {stores, {types}, {}},
        {models, {types, stores}, {}},
        {views, {types, stores, models}, {}},
        {uiSession, {types, api, stores}, {}},
        {tasks, {types, api, stores}, {}},
        {app, {types, api, stores, models, views, uiSession, tasks}, {guard}},
    };
    return table;
}

bool isInside(const QString& path, const QString& folder)
{
    return path.startsWith(folder + '/');
}

const Layer* layerOf(const QString& path)
{
    const auto& table = layerTable();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Layer& layer) { return isInside(path, layer.folder); });
    return found == table.end() ? nullptr : &*found;
}

bool maySee(const Layer& layer, const QString& path)
{
    const auto holds = [&](const QString& folder) { return isInside(path, folder); };
    return holds(layer.folder) || layer.files.contains(path)
        || std::any_of(layer.sees.begin(), layer.sees.end(), holds);
}

bool isProduct(const QString& path)
{
    return path.startsWith(QLatin1String("engine/")) || path.startsWith(QLatin1String("ui/"))
        || path.startsWith(QLatin1String("app/"));
}

/// Where the rule holds for what is seen through an include, too.
bool seesThrough(const QString& path)
{
    return !path.startsWith(QLatin1String("engine/")) || path.startsWith(QLatin1String("engine/cli/"));
}

bool isQtHeader(const QString& name)
{
    static const QRegularExpression qt(QStringLiteral("^(Q[A-Z]\\w*|Qt\\w*/.*|q[a-z]\\w*\\.h)$"));
    return qt.match(name).hasMatch();
}

/// Everything that `path` sees of the tree, itself left out.
QSet<QString> reachableFrom(const SourceTree& tree, const QString& path)
{
    QSet<QString> seen;
    QStringList open{path};
    while (!open.isEmpty()) {
        const QString from = open.takeLast();
        for (const Include& include : includesOf(tree.value(from))) {
            const QString to = resolveInclude(tree, from, include.name);
            if (to.isEmpty() || to == path || seen.contains(to))
                continue;
            seen.insert(to);
            open.append(to);
        }
    }
    return seen;
}

QList<Finding> directFindings(const SourceTree& tree, const QString& path, const Layer& layer)
{
    QList<Finding> findings;
    for (const Include& include : includesOf(tree.value(path))) {
        const QString target = resolveInclude(tree, path, include.name);
        if (!target.isEmpty() && !maySee(layer, target))
            findings.append({path, include.line, QStringLiteral("%1 may not include %2").arg(layer.folder, target)});
        if (path.startsWith(QLatin1String("engine/")) && isQtHeader(include.name))
            findings.append({path, include.line, QStringLiteral("engine/ may not include Qt (%1)").arg(include.name)});
        if (target.isEmpty() && layerOf(QStringLiteral("engine/") + include.name))
            findings.append({path, include.line, QStringLiteral("%1 is no file of the tree").arg(include.name)});
    }
    return findings;
}

/// The lines of `text` in which `pattern` stands.
QList<Finding> matches(
    const QString& path, const QByteArray& text, const QRegularExpression& pattern, const QString& why)
{
    QList<Finding> findings;
    int line = 0;
    for (const QByteArray& row : text.split('\n')) {
        ++line;
        if (const auto match = pattern.match(QString::fromUtf8(row)); match.hasMatch())
            findings.append({path, line, QStringLiteral("%1: %2").arg(match.captured(0), why)});
    }
    return findings;
}

/// The licences that a file may name; empty for a file that needs no licence line.
QStringList licencesFor(const QString& path, const QByteArray& text)
{
    static const QRegularExpression plain(
        QStringLiteral("\\.(h|cpp|c|cmake|bash|svg|desktop|xml)$|(^|/)CMakeLists\\.txt$"));
    static const QString apache = QStringLiteral("Apache-2.0"), gpl = QStringLiteral("GPL-3.0-or-later"),
                         cc0 = QStringLiteral("CC0-1.0");
    static const QList<std::pair<QString, QStringList>> folders{
        {QStringLiteral("engine/"), {apache}},
        {QStringLiteral("cmake/"), {apache}},
        {QStringLiteral("ui/"), {gpl}},
        {QStringLiteral("app/"), {gpl}},
        {QStringLiteral("tests/ui/"), {gpl}},
        {QStringLiteral("tests/engine/"), {apache}},
        {QStringLiteral("packaging/colibri-studio.metainfo.xml"), {cc0}},
        {QStringLiteral("packaging/"), {apache}},
        {QString(), {apache, gpl}},
    };
    if (path.startsWith(QLatin1String("tests/data/")) || !(plain.match(path).hasMatch() || text.startsWith("#!")))
        return {};
    const auto found =
        std::find_if(folders.begin(), folders.end(), [&](const auto& folder) { return path.startsWith(folder.first); });
    return found->second;
}

} // namespace

QString toString(const Finding& finding)
{
    return QStringLiteral("%1:%2: %3").arg(finding.path).arg(finding.line).arg(finding.what);
}

QList<Finding> includeFindings(const SourceTree& tree)
{
    QList<Finding> findings;
    for (const QString& path : tree.keys()) {
        if (!isProduct(path) || !isCode(path))
            continue;
        const Layer* layer = layerOf(path);
        if (!layer) {
            findings.append({path, 0, QStringLiteral("stands in no layer of the table")});
            continue;
        }
        const QList<Finding> direct = directFindings(tree, path, *layer);
        findings += direct;
        if (!direct.isEmpty() || !seesThrough(path))
            continue;
        for (const QString& seen : reachableFrom(tree, path)) {
            if (!maySee(*layer, seen))
                findings.append(
                    {path, 0, QStringLiteral("%1 may not see %2, not even through others").arg(layer->folder, seen)});
        }
    }
    return findings;
}

QList<Finding> ambiguousHeaders(const SourceTree& tree)
{
    QList<Finding> findings;
    for (const QString& path : tree.keys()) {
        const QString twin = QStringLiteral("ui/") + path.section('/', 1);
        if (path.startsWith(QLatin1String("engine/")) && isHeader(path) && tree.contains(twin))
            findings.append({path, 0, QStringLiteral("the same include could mean %1").arg(twin)});
    }
    return findings;
}

QList<Finding> sideEffectFindings(const SourceTree& tree)
{
    static const QRegularExpression forbidden(QStringLiteral(
        "\\bstd::(cout|cerr|clog)\\b|\\bfmt::print\\b"
        "|(?<![.>\\w])(v?f?printf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort|terminate)\\s*\\("));
    QList<Finding> findings;
    for (const QString& path : tree.keys()) {
        if (path.startsWith(QLatin1String("engine/")) && !path.startsWith(QLatin1String("engine/cli/")) && isCode(path))
            findings += matches(path, stripCode(tree.value(path), Strip::CommentsAndLiterals), forbidden,
                QStringLiteral("the engine prints nothing and never ends the process"));
    }
    return findings;
}

QList<Finding> sizeFindings(const SourceTree& tree)
{
    QList<Finding> findings;
    for (const QString& path : tree.keys()) {
        if (!isCode(path) || !(isProduct(path) || path.startsWith(QLatin1String("tests/"))))
            continue;
        const int lines = lineCount(tree.value(path));
        const int limit = isHeader(path) ? maxHeaderLines : maxSourceLines;
        if (lines > limit)
            findings.append({path, lines, QStringLiteral("%1 lines, at most %2").arg(lines).arg(limit)});
    }
    return findings;
}

QList<Finding> licenceFindings(const SourceTree& tree)
{
    static const QRegularExpression declared(QStringLiteral("SPDX-License-Identifier: ([\\w.-]+)"));
    QList<Finding> findings;
    for (const QString& path : tree.keys()) {
        const QByteArray& text = tree.value(path);
        const QStringList allowed = licencesFor(path, text);
        if (allowed.isEmpty())
            continue;
        const bool behindFirst = text.startsWith("#!") || text.startsWith("<?xml");
        const QString line = QString::fromUtf8(text.split('\n').value(behindFirst ? 1 : 0));
        const auto match = declared.match(line);
        if (!match.hasMatch() || !allowed.contains(match.captured(1)))
            findings.append({path, behindFirst ? 2 : 1,
                QStringLiteral("the line must be SPDX-License-Identifier: %1")
                    .arg(allowed.join(QStringLiteral(" or ")))});
    }
    return findings;
}

QList<Finding> machinePathFindings(const SourceTree& tree)
{
    static const QRegularExpression machinePath(
        QStringLiteral("(?<![\\w.}~-])/(home|root|work|Users)/\\w|\\bC:\\\\\\w"));
    QList<Finding> findings;
    for (const QString& path : tree.keys()) {
        const QByteArray& text = tree.value(path);
        const bool isData =
            path.startsWith(QLatin1String("tests/data/")) || path.startsWith(QLatin1String("resources/demo/"));
        if (!isData && !text.contains('\0'))
            findings += matches(path, text, machinePath, QStringLiteral("an absolute path of one machine"));
    }
    return findings;
}

} // namespace colibri::layers
