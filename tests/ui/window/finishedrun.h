// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/shownstudio.h"

#include <QDockWidget>
#include <QTabWidget>

/// What the tests share that look at every control of the window, on every page.
namespace colibri::test {

/// A widget and what it lies in, from the inside to the outside.
inline QString described(const QWidget* widget)
{
    QString path;
    for (const QWidget* each = widget; each && path.size() < 200; each = each->parentWidget())
        path += QStringLiteral("%1(%2, %3) < ")
                    .arg(QLatin1String(each->metaObject()->className()), each->objectName(), each->accessibleName());
    return path;
}

/// Of all pages, as MainWindow::showPage() takes them.
inline QStringList pageNames()
{
    Studio studio;
    const auto* const pages = studio.window().findChild<QTabWidget*>(QStringLiteral("pages"));
    QStringList names;
    for (int i = 0; i < pages->count(); ++i)
        names << pages->widget(i)->objectName().mid(5); // "page_"
    return names;
}

/// Opens the tiny model, unfolds the forms and waits for a run's end.
inline bool openAndRun(ShownStudio& shown)
{
    shown.window().openModel(tinyFolder());
    if (!QTest::qWaitFor([&] { return shown.page().isVisible(); }, answerMs))
        return false;
    shown.prompt().setPrompt(QStringLiteral("the quick brown fox"));
    shown.prompt().setPace(0);
    shown.prompt().sampling().setFolded(false);
    shown.prompt().engine().setFolded(false);
    shown.page().runActions()[Run]->trigger();
    return shown.waitFor(RunStore::State::Finished);
}

/// Shows a page with all panels around it.
inline void showAll(ShownStudio& shown, const QString& page)
{
    for (QDockWidget* const dock : shown.window().findChildren<QDockWidget*>())
        dock->show();
    shown.window().showPage(page);
}

} // namespace colibri::test
