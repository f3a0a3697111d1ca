// SPDX-License-Identifier: GPL-3.0-or-later
// bench_window [startup] [responsive] [growth] [trace]: figures of the window on the offscreen platform, of a release
// build.
//   startup     from the start of a process to the first painted window and to the demo that is ready, medians of 15
//   responsive  how long events wait, and how often text and grid are painted, while the demo decodes at full speed
//   with
//               every panel open, for each page
//   growth      resident memory over 200 runs, 200 opens and closes, and 10^6 tokens
//   trace       frames and memory of the pages over a saved run of 10^6 tokens x 48 layers
// Without arguments: all of them. Exits 1 when a bound is missed.
#include "memory/fault_guard.h"
#include "scenes.h"

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (argc == 2 && QLatin1String(argv[1]) == QLatin1String("--startup-child"))
        return colibri::bench::startupChild();
    if (argc == 3 && QLatin1String(argv[1]) == QLatin1String("--trace-child")) {
        const QCoreApplication child(argc, argv);
        return colibri::bench::traceChild(QString::fromLocal8Bit(argv[2]));
    }
    QStandardPaths::setTestModeEnabled(true);
    colibri::installFaultGuard();
    const QApplication app(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("colibri-bench"));
    QCoreApplication::setApplicationName(QStringLiteral("colibri-bench"));
    QSettings().clear();
    const QStringList wanted = QCoreApplication::arguments().mid(1);
    const auto asked = [&wanted](const char* name) { return wanted.isEmpty() || wanted.contains(QLatin1String(name)); };
    bool good = true;
    if (asked("startup"))
        good &= colibri::bench::startup(QCoreApplication::applicationFilePath());
    if (asked("responsive"))
        good &= colibri::bench::responsive();
    if (asked("growth"))
        good &= colibri::bench::growth();
    if (asked("trace"))
        good &= colibri::bench::trace(QCoreApplication::applicationFilePath());
    return good ? 0 : 1;
}
