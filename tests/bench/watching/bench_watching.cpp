// SPDX-License-Identifier: GPL-3.0-or-later
// bench_watching [PAIRS [TOKENS]]: decode speed with the window watching against the terminal's, on a generated random
// export, one engine thread each. Prints each pair and the median of the pairs' ratios, because a machine that changes
// its speed within minutes changes both halves of a pair; every other pair runs the window first, so that a machine
// that slows down or recovers favours neither. Exits 1 when the median is below 0.97.
#include "api/export.h"
#include "bench/median.h"
#include "studio.h"
#include "support/generatedmodel.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cstdio>
#include <vector>

using namespace colibri;

namespace {

constexpr double leastRatio = 0.97;

/// Random weights of 8 layers, 16 experts, top 2: some milliseconds a token on one thread.
bool makeExport(const QTemporaryDir& folder)
{
    const test::GeneratedShape shape{.vocab = 8192,
        .hidden = 768,
        .layers = 8,
        .heads = 12,
        .kvHeads = 4,
        .headDim = 64,
        .experts = 16,
        .active = 2,
        .ffn = 768,
        .context = 4096};
    const QString source = folder.filePath("source");
    if (!QDir().mkpath(source) || !test::writeHuggingFaceModel(source.toStdString(), shape))
        return false;
    const auto model = openModel(source.toStdString());
    return model && exportModel(**model, folder.filePath("export").toStdString(), {DType::Int8});
}

double terminalSpeed(const QString& model, int tokens)
{
    QProcess process;
    process.start(COLIBRI_PROGRAM,
        {"run", model, "--tokens", "1,2,3", "-n", QString::number(tokens), "--threads", "1", "--ignore-eos", "--json"});
    process.waitForFinished(-1);
    const QJsonObject result = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    return result["timings"].toObject()["decode_tok_s"].toDouble();
}

/// A shown window that runs what the panel asks for, and the timing events of its run added up.
class Watched {
public:
    explicit Watched(const QString& model)
    {
        m_studio.window().resize(1100, 700);
        m_studio.window().show();
        m_studio.window().openModel(model);
        m_page = m_studio.window().findChild<RunPage*>();
    }

    bool ready()
    {
        return QTest::qWaitFor([&] { return m_page->isVisible(); }, 60000);
    }

    double speed(int tokens)
    {
        SamplingChoice choice;
        choice.maxTokens = static_cast<std::uint32_t>(tokens);
        m_page->promptPanel().sampling().setChoice(choice);
        m_page->promptPanel().setPace(0);
        m_page->promptPanel().setPrompt("1, 2, 3");
        const QList<QAction*> actions = m_page->runActions();
        actions[0]->trigger();
        (void)QTest::qWaitFor([&] { return actions[3]->isEnabled(); }, 5000);
        while (actions[3]->isEnabled())
            QTest::qWait(50);
        return m_studio.run().decodeTokensPerSecond();
    }

private:
    Studio m_studio;
    RunPage* m_page = nullptr;
};

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication app(argc, argv);
    QCoreApplication::setOrganizationName("colibri-test");
    QCoreApplication::setApplicationName("colibri-bench");
    const QStringList arguments = QCoreApplication::arguments();
    const int pairs = arguments.size() > 1 ? arguments[1].toInt() : 5;
    const int tokens = arguments.size() > 2 ? arguments[2].toInt() : 4000;
    const QTemporaryDir folder;
    if (!makeExport(folder))
        return 2;
    const QString model = folder.filePath("export");
    Watched window(model);
    if (!window.ready())
        return 2;
    std::vector<double> terminal;
    std::vector<double> watched;
    std::vector<double> ratios;
    for (int pair = 0; pair < pairs; ++pair) {
        const bool windowFirst = pair % 2 == 1;
        if (windowFirst)
            watched.push_back(window.speed(tokens));
        terminal.push_back(terminalSpeed(model, tokens));
        if (!windowFirst)
            watched.push_back(window.speed(tokens));
        ratios.push_back(watched.back() / terminal.back());
        std::printf("pair %d: terminal %.2f tok/s (%.1f s), window %.2f tok/s, ratio %.4f\n", pair + 1, terminal.back(),
            tokens / terminal.back(), watched.back(), ratios.back());
        std::fflush(stdout);
    }
    const double ratio = test::median(ratios);
    std::printf("medians: terminal %.2f tok/s, window %.2f tok/s, ratio of a pair %.4f\n", test::median(terminal),
        test::median(watched), ratio);
    return ratio >= leastRatio ? 0 : 1;
}
