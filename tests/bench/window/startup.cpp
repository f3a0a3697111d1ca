// SPDX-License-Identifier: GPL-3.0-or-later
#include "measures.h"
#include "memory/fault_guard.h"
#include "scenes.h"
#include "studio.h"
#include "views/run/runpage.h"

#include <QApplication>
#include <QProcess>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

#include <cstdio>
#include <time.h>

namespace colibri::bench {
namespace {

constexpr int repeats = 15;
constexpr double paintedBoundMs = 400;
constexpr double readyBoundMs = 700;

double nowMs()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

} // namespace

/// Does what colibri-studio does when it is started with "demo".
int startupChild()
{
    QStandardPaths::setTestModeEnabled(true);
    int argc = 1;
    char name[] = "bench_window";
    char* argv[] = {name, nullptr};
    installFaultGuard();
    const QApplication app(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("colibri-bench"));
    QCoreApplication::setApplicationName(QStringLiteral("colibri-bench"));
    Studio studio;
    const PaintCount paints(&studio.window());
    studio.window().show();
    studio.window().openModel(QStringLiteral("demo"));
    if (!QTest::qWaitFor([&] { return paints.count() > 0; }, 10000))
        return 1;
    const double painted = nowMs();
    auto* const page = studio.window().findChild<RunPage*>();
    const PaintCount pagePaints(page);
    if (!QTest::qWaitFor([&] { return page->isVisible() && pagePaints.count() > 0; }, 10000))
        return 1;
    std::printf("%.3f %.3f\n", painted, nowMs());
    std::fflush(stdout);
    return 0;
}

bool startup(const QString& program)
{
    std::vector<double> painted;
    std::vector<double> ready;
    for (int i = 0; i < repeats; ++i) {
        QProcess process;
        const double start = nowMs();
        process.start(program, {QStringLiteral("--startup-child")});
        if (!process.waitForFinished(30000) || process.exitCode() != 0)
            return false;
        const QList<QByteArray> times = process.readAllStandardOutput().trimmed().split(' ');
        painted.push_back(times.value(0).toDouble() - start);
        ready.push_back(times.value(1).toDouble() - start);
    }
    const double paintedMs = percentile(painted, 0.5);
    const double readyMs = percentile(ready, 0.5);
    std::printf(
        "startup: first window painted after %.0f ms (bound %.0f), demo ready after %.0f ms (bound %.0f); medians "
        "of %d\n",
        paintedMs, paintedBoundMs, readyMs, readyBoundMs, repeats);
    return paintedMs <= paintedBoundMs && readyMs <= readyBoundMs;
}

} // namespace colibri::bench
