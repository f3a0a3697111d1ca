// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/support/ownsettings.h"
#include "ui/support/shownstudio.h"
#include "views/export/exportdialog.h"
#include "views/export/exportform.h"
#include "views/export/exportsizes.h"
#include "views/model/fittedtable.h"

#include <QDir>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

/// What the tests of exports share: a studio as its user has it, and a folder to export to.
namespace colibri::test {

inline const QString tinyGguf = QStringLiteral(COLIBRI_TEST_DATA "/gguf/model.gguf");

struct Shown : ShownStudio {
    bool open(const QString& path)
    {
        window().openModel(path);
        return QTest::qWaitFor([&] { return action("exportModel")->isEnabled() && opened() == path; }, answerMs);
    }
    QString opened() { return window().windowTitle().section(QStringLiteral(" - "), 0, 0); }
    ExportDialog* dialog() { return window().findChild<ExportDialog*>(); }
    template <class T>
    T& named(const char* name)
    {
        return *dialog()->findChild<T*>(QLatin1String(name));
    }
    void click(const char* name) { QTest::mouseClick(&named<QPushButton>(name), Qt::LeftButton); }
    /// The action's key.
    void press()
    {
        window().activateWindow();
        (void)QTest::qWaitForWindowActive(&window());
        QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier);
    }
    /// Asks for an export by the action's key and waits for the sizes.
    bool ask(const QString& folder, const QString& name)
    {
        press();
        if (!QTest::qWaitFor([&] { return dialog() && dialog()->isVisible() && studio.exports().plan(); }, answerMs))
            return false;
        dialog()->form().setPlace(folder, name);
        return true;
    }
    void choose(int row)
    {
        FittedTable& table = dialog()->form().sizes().table();
        QTest::mouseClick(
            table.viewport(), Qt::LeftButton, {}, table.visualRect(table.model()->index(row, 0)).center());
    }
    bool waitFor(ExportStore::State state)
    {
        return QTest::qWaitFor([&] { return studio.exports().state() == state; }, answerMs);
    }
    const ExportReportFacts& report() { return *studio.exports().report(); }
};

/// Settings of its own, and a folder of each test.
class ExportFolder {
public:
    bool begin() { return m_settings.begin(); } ///< to be called first
    /// To be called for each test.
    bool renew()
    {
        QSettings().clear();
        m_folder = std::make_unique<QTemporaryDir>();
        return m_folder->isValid();
    }
    QString path() const { return m_folder->path(); }
    QString path(const QString& name) const { return m_folder->filePath(name); }
    /// Everything in it, hidden or not.
    QStringList entries() const
    {
        return QDir(path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

private:
    OwnSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace colibri::test
