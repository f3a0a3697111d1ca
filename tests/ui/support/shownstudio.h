// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "studio.h"
#include "views/run/promptpanel.h"
#include "views/run/runpage.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QTest>

/// What the tests of the whole window share; they link the window itself.
namespace colibri::test {

inline constexpr int answerMs = 120000; ///< far beyond what anything here takes

inline QString tinyFolder()
{
    return QStringLiteral(COLIBRI_TEST_DATA "/qwen3moe-f32");
}

/// The actions of a run, in their order.
enum { Run, Continue, Step, Stop };

/// A studio with a shown window, and the ways to its parts.
struct ShownStudio {
    explicit ShownStudio(QSize size = {1000, 650})
    {
        window().resize(size);
        window().show();
        window().activateWindow();
        (void)QTest::qWaitForWindowActive(&window());
    }
    MainWindow& window() { return studio.window(); }
    RunPage& page() { return *window().findChild<RunPage*>(); }
    PromptPanel& prompt() { return page().promptPanel(); }
    bool enabled(int runAction) { return page().runActions()[runAction]->isEnabled(); }
    template <class T>
    T* part(const char* name)
    {
        return window().findChild<T*>(QLatin1String(name));
    }
    QAction* action(const char* name) { return part<QAction>(name); }
    bool waitFor(RunStore::State state)
    {
        return QTest::qWaitFor([&] { return studio.run().state() == state; }, answerMs);
    }
    /// Answers a file dialog by keys and waits until it has gone.
    bool choose(const char* dialogName, const QString& path)
    {
        auto* const dialog = part<QFileDialog>(dialogName);
        auto* const name = dialog ? dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit")) : nullptr;
        if (!name || !dialog->isVisible())
            return false;
        name->setText(path); // typing would open a list of completions, which takes the keys
        QTest::keyClick(name, Qt::Key_Return);
        return QTest::qWaitFor([&] { return part<QFileDialog>(dialogName) == nullptr; }, answerMs);
    }

    Studio studio;
};

} // namespace colibri::test
