// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/fault_guard.h"
#include "studio.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QProcess>

#include <cstdio>

namespace {

void describe(QCommandLineParser& parser)
{
    parser.setApplicationDescription(
        QCoreApplication::translate("main", "Looks inside mixture-of-experts language models while they run."));
    parser.addOptions(
        {{{QStringLiteral("h"), QStringLiteral("help")}, QCoreApplication::translate("main", "Tell this and end.")},
            {{QStringLiteral("v"), QStringLiteral("version")},
                QCoreApplication::translate("main", "Tell the version and end.")}});
    parser.addPositionalArgument(QStringLiteral("MODEL"),
        QCoreApplication::translate("main",
            "A GGUF file, a Hugging Face folder, a Colibri export or a raw export, a saved run, or the word demo."),
        QStringLiteral("[MODEL]"));
}

void nameProgram()
{
    QCoreApplication::setOrganizationName(QStringLiteral("colibri"));
    QCoreApplication::setApplicationName(QStringLiteral("colibri"));
    QCoreApplication::setApplicationVersion(QStringLiteral(COLIBRI_VERSION));
}

/// Answers --help and --version, which need no display. False: neither was asked for.
bool answerWithoutDisplay(int argc, char** argv)
{
    const QCoreApplication app(argc, argv);
    QCommandLineParser parser;
    describe(parser);
    parser.parse(QCoreApplication::arguments());
    if (parser.isSet(QStringLiteral("help")))
        std::fputs(qPrintable(parser.helpText()), stdout);
    else if (parser.isSet(QStringLiteral("version")))
        std::fputs("colibri-studio " COLIBRI_VERSION "\n", stdout);
    else
        return false;
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    nameProgram();
    if (answerWithoutDisplay(argc, argv))
        return 0;
    colibri::installFaultGuard();
    const QApplication app(argc, argv);
    QCommandLineParser parser;
    describe(parser);
    const bool understood = parser.parse(QCoreApplication::arguments());
    if (!understood || parser.positionalArguments().size() > 1) {
        const QString why =
            understood ? QCoreApplication::translate("main", "give one model at most") : parser.errorText();
        std::fputs(qPrintable(QStringLiteral("colibri-studio: %1\n").arg(why)), stderr);
        return 2;
    }
    QApplication::setApplicationDisplayName(QStringLiteral("Colibri"));
    QApplication::setDesktopFileName(QStringLiteral("colibri-studio"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/colibri-studio.svg")));
    colibri::Studio studio;
    // A process of its own: what happens to one window does not happen to the others.
    QObject::connect(
        &studio.window(), &colibri::MainWindow::newWindowRequested, &studio.window(), [](const QString& path) {
            QProcess::startDetached(
                QCoreApplication::applicationFilePath(), path.isEmpty() ? QStringList() : QStringList(path));
        });
    studio.window().show();
    if (!parser.positionalArguments().isEmpty())
        studio.window().openModel(parser.positionalArguments().front());
    return QApplication::exec();
}
