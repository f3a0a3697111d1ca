// SPDX-License-Identifier: GPL-3.0-or-later
// The model page for models of all families, opened from GGUF files: that its figures agree with each other, and
// pictures to be looked at.
#include "api/model.h"
#include "models/modelreport.h"
#include "models/partreport.h"
#include "session/makefacts.h"
#include "ui/support/pictures.h"
#include "ui/views_model/shownmodel.h"
#include "views/model/fittedtable.h"
#include "views/model/tensorpanel.h"
#include "views/theme/theme.h"

#include <QFile>
#include <QSet>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace colibri;
using namespace colibri::test;

namespace {

constexpr QSize windowSize(1360, 860);

struct Family {
    const char* folder;
    const char* architecture;
};
constexpr Family families[]{{"mixtral-f32", "mixtral"}, {"qwen2moe-f32", "qwen2_moe"}, {"qwen3moe-q4_k_m", "qwen3_moe"},
    {"olmoe-f32", "olmoe"}, {"deepseek2-lite-f32", "deepseek2"}, {"deepseek2-v3-q8_0", "deepseek2"},
    {"gpt-oss-mxfp4", "gpt_oss"}};

std::uint64_t sumOf(const CellRows& rows, std::size_t column, std::size_t count)
{
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < count; ++row)
        sum += rows[row][column].exact.toULongLong();
    return sum;
}

} // namespace

class TestFamilies : public QObject {
    Q_OBJECT

private slots:
    void page_data();
    void page();
};

void TestFamilies::page_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("architecture");
    QTest::newRow("bundled") << QStringLiteral(COLIBRI_TEST_DATA "/gguf/model.gguf") << QStringLiteral("qwen3_moe");
    const QString golden = qEnvironmentVariable("COLIBRI_SHARED") + QStringLiteral("/golden/");
    for (const Family& family : families) {
        const QString path = golden + QLatin1String(family.folder) + QStringLiteral("/model.gguf");
        if (QFile::exists(path))
            QTest::newRow(family.folder) << path << QString::fromLatin1(family.architecture);
    }
}

void TestFamilies::page()
{
    QFETCH(const QString, path);
    QFETCH(const QString, architecture);
    const auto model = openModel(path.toStdString(), {LoadMode::Lazy, {}});
    QVERIFY2(model, model ? "" : qPrintable(QString::fromStdString(model.error().message())));
    const ModelFactsPtr facts = makeFacts(**model);
    QCOMPARE(QString::fromStdString(std::string(name(facts->config.architecture))), architecture);
    // Parts and types are two ways to count the same tensors; the last row of the parts is their sum.
    const CellRows kinds = kindRows(*facts);
    const CellRows types = typeRows(*facts);
    for (const std::size_t column : {1, 2, 3}) {
        const std::uint64_t all = kinds.back()[column].exact.toULongLong();
        QVERIFY(all > 0);
        QCOMPARE(sumOf(kinds, column, kinds.size() - 1), all);
        QCOMPARE(sumOf(types, column, types.size()), all);
    }
    QCOMPARE(kinds.back()[1].exact.toULongLong(), facts->tensors.size());
    QCOMPARE(kinds.back()[2].exact.toULongLong(), facts->parameters);
    for (const auto& row : kinds)
        QVERIFY2(row[0].text != QLatin1String("Other"), "a tensor whose part is not known");
    for (const auto& rule : ruleRows(*facts))
        QVERIFY2(!rule[3].text.isEmpty(), qPrintable(rule[0].text + QStringLiteral(" has no meaning")));
    // GGUF states a head's key whole, with latent attention, too.
    const auto& origins = facts->config.origins;
    const auto head = std::ranges::find(origins, "head_dim", &RuleOrigin::rule);
    QVERIFY(head != origins.end());
    QCOMPARE(head->value, std::to_string(facts->config.headDim));
    QVERIFY(std::ranges::find(origins, "qk_nope_head_dim", &RuleOrigin::rule) == origins.end());

    QSet<QString> names; // of what an expert is made of
    const PartReport report = partReport(*facts, {-1, 0, -1, 1});
    QVERIFY(report.contents.size() >= 3);
    for (const auto& row : report.contents)
        names.insert(row[0].text);
    QCOMPARE(names.size(), qsizetype(report.contents.size()));

    for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
        Theme theme;
        theme.setChoice(choice);
        ShownModel shown(windowSize);
        shown.window.show();
        shown.open.succeed(facts);
        shown.selection.select({-1, 0, -1, 1});
        const QString suffix = QString::fromLatin1(QTest::currentDataTag())
            + (choice == ThemeChoice::Light ? QStringLiteral("-light") : QStringLiteral("-dark"));
        const char* const tabs[]{"summary", "tensors", "files", "rules", "metadata"};
        QCOMPARE(shown.page.tabs().count(), int(std::size(tabs)));
        for (int tab = 0; tab < shown.page.tabs().count(); ++tab) {
            shown.page.tabs().setCurrentIndex(tab);
            QTest::qWait(20);
            QVERIFY(savePicture(shown.window, QLatin1String(tabs[tab]) + u'-' + suffix));
        }
    }
}

QTEST_MAIN(TestFamilies)
#include "tst_families.moc"
