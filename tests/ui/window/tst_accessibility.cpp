// SPDX-License-Identifier: GPL-3.0-or-later
#include "finishedrun.h"

#include "settings.h"
#include "ui/support/ownsettings.h"
#include "views/export/exportdialog.h"
#include "views/export/exportform.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenuBar>
#include <QSettings>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolBar>

using namespace colibri;
using namespace colibri::test;

namespace {

/// Part of a control that stands for it: the edit of a spin box, the list of a combo box, the corner of a view.
bool isPart(const QWidget* widget)
{
    const QWidget* const parent = widget->parentWidget();
    return !parent || qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent)
        || qobject_cast<const QLineEdit*>(parent) || qobject_cast<const QTabBar*>(parent)
        || qobject_cast<const QDockWidget*>(parent) || qobject_cast<const QMenuBar*>(parent)
        || (qobject_cast<const QAbstractItemView*>(parent)
            && (qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QHeaderView*>(widget)));
}

/// What a user can act on.
bool isControl(const QWidget* widget)
{
    const auto* const tabs = qobject_cast<const QTabBar*>(widget);
    // A QTabWidget has no role of its own: its bar is the control.
    if (isPart(widget) || (tabs && tabs->count() == 0) || qobject_cast<const QTabWidget*>(widget))
        return false;
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget)
        || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QLineEdit*>(widget)
        || qobject_cast<const QSlider*>(widget) || qobject_cast<const QAbstractItemView*>(widget)
        || (widget->focusPolicy() & Qt::TabFocus);
}

/// Whether a key does what the control does: an action behind it with a shortcut or a place in a menu.
bool hasActionKey(const QWidget* widget)
{
    const auto* const button = qobject_cast<const QAbstractButton*>(widget);
    return button && !button->shortcut().isEmpty();
}

} // namespace

/// Every control of the window can be reached by keys, has a name and a role.
class TestAccessibility : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void controls_data();
    void controls();
    void exportDialog();

private:
    void checkControls(QWidget& window); ///< names, roles, and that Tab reaches all of them
    QTemporaryDir m_folder;
    OwnSettings m_settings;
};

void TestAccessibility::initTestCase()
{
    QVERIFY(m_folder.isValid() && m_settings.begin());
}

void TestAccessibility::init()
{
    QSettings().clear();
}

void TestAccessibility::controls_data()
{
    QTest::addColumn<QString>("page"); // empty: the start page
    QTest::newRow("start") << QString();
    for (const QString& page : pageNames())
        QTest::addRow("page_%s", qPrintable(page)) << page;
}

void TestAccessibility::controls()
{
    QFETCH(const QString, page);
    Settings().addRecent(QStringLiteral("/models/a"));
    ShownStudio shown({1400, 900});
    QVERIFY(shown.window().isActiveWindow());
    if (!page.isEmpty()) {
        QVERIFY(openAndRun(shown));
        showAll(shown, page);
    }
    QTest::qWait(100);
    checkControls(shown.window());
}

void TestAccessibility::checkControls(QWidget& window)
{
    QSet<const QWidget*> controls;
    for (const QWidget* const widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(&window) || !widget->isEnabled() || !isControl(widget))
            continue;
        controls.insert(widget);
        QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        QVERIFY2(interface, qPrintable(described(widget)));
        QVERIFY2(!interface->text(QAccessible::Name).isEmpty(), qPrintable(described(widget)));
        QVERIFY2(interface->role() != QAccessible::NoRole && interface->role() != QAccessible::Client,
            qPrintable(described(widget)));
    }
    QVERIFY(controls.size() > 3);

    // Tab goes around the window once.
    QSet<const QWidget*> reached;
    for (int i = 0; i < 500; ++i) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, Qt::Key_Tab);
        for (const QWidget* each = QApplication::focusWidget(); each; each = each->parentWidget())
            reached.insert(each);
    }
    for (const QWidget* const control : controls)
        QVERIFY2(reached.contains(control) || hasActionKey(control), qPrintable(described(control)));
}

void TestAccessibility::exportDialog()
{
    ShownStudio shown;
    shown.window().openModel(tinyFolder());
    QAction* const action = shown.action("exportModel");
    QVERIFY(QTest::qWaitFor([&] { return action->isEnabled(); }, answerMs));
    action->trigger();
    auto* const dialog = shown.window().findChild<ExportDialog*>();
    QVERIFY(dialog && QTest::qWaitFor([&] { return shown.studio.exports().plan() != nullptr; }, answerMs));
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    dialog->form().setPlace(m_folder.path(), QStringLiteral("export"));
    dialog->findChild<QAbstractButton*>(QStringLiteral("exportTable"))->click();
    checkControls(*dialog);
    dialog->form().findChild<QAbstractButton*>(QStringLiteral("exportTable"))->click();
    dialog->findChild<QAbstractButton*>(QStringLiteral("startExport"))->click();
    QVERIFY(QTest::qWaitFor([&] { return shown.studio.exports().state() == ExportStore::State::Done; }, answerMs));
    checkControls(*dialog);
}

QTEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
