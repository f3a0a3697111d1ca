// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"
#include "ui/support/ownsettings.h"
#include "ui/support/shownstudio.h"
#include "views/model/modelpage.h"
#include "views/model/modeltree.h"
#include "views/model/tensorpanel.h"
#include "views/problem/problempanel.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QShortcut>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>

using namespace colibri;
using namespace colibri::test;

namespace {

/// What a key does while something of `places` is seen.
struct Binding {
    QString name;
    QList<QKeySequence> keys;
    Qt::ShortcutContext context = Qt::WindowShortcut;
    QList<const QWidget*> places;

    bool reachedFrom(const QWidget* focus) const
    {
        const auto reached = [&](const QWidget* place) {
            return context == Qt::WidgetShortcut     ? place == focus
                : context == Qt::WindowShortcut      ? true
                : context == Qt::ApplicationShortcut ? true
                                                     : place == focus || place->isAncestorOf(focus);
        };
        return std::ranges::any_of(places, reached);
    }
};

/// Letters with Alt that no action or button has: of menus, of tabs, of labels that stand for a field.
QList<Binding> mnemonics(const QWidget& window)
{
    QList<Binding> found;
    const auto add = [&](const QString& text, const QWidget* place) {
        if (const QKeySequence key = QKeySequence::mnemonic(text); !key.isEmpty() && place->isVisible())
            found << Binding{text, {key}, Qt::WindowShortcut, {place}};
    };
    for (const QMenuBar* const bar : window.findChildren<QMenuBar*>())
        for (const QAction* const menu : bar->actions())
            add(menu->text(), bar);
    for (const QTabBar* const bar : window.findChildren<QTabBar*>())
        for (int tab = 0; tab < bar->count(); ++tab)
            add(bar->isTabEnabled(tab) ? bar->tabText(tab) : QString(), bar);
    for (const QLabel* const label : window.findChildren<QLabel*>())
        add(label->buddy() && label->buddy()->isEnabled() ? label->text() : QString(), label);
    return found;
}

/// Everything of a window that a key can set off now.
QList<Binding> bindings(const QWidget& window)
{
    QList<Binding> found;
    for (const QAction* const action : window.findChildren<QAction*>()) {
        Binding binding{action->objectName() + action->text(), action->shortcuts(), action->shortcutContext(), {}};
        for (const QObject* const object : action->associatedObjects()) {
            const auto* const place = qobject_cast<const QWidget*>(object);
            if (qobject_cast<const QMenu*>(object))
                binding.places << &window;
            else if (place && place->isVisible() && place->isEnabled())
                binding.places << place;
        }
        if (action->isEnabled())
            found << binding;
    }
    for (const QShortcut* const shortcut : window.findChildren<QShortcut*>()) {
        const auto* const place = qobject_cast<const QWidget*>(shortcut->parent());
        if (place && place->isVisible() && place->isEnabled() && shortcut->isEnabled())
            found << Binding{
                QStringLiteral("shortcut of ") + place->objectName() + QLatin1String(place->metaObject()->className()),
                {shortcut->key()}, shortcut->context(), {place}};
    }
    for (const QAbstractButton* const button : window.findChildren<QAbstractButton*>()) {
        if (button->isVisible() && button->isEnabled() && !button->shortcut().isEmpty())
            found << Binding{button->objectName() + button->text(), {button->shortcut()}, Qt::WindowShortcut, {button}};
    }
    return found << mnemonics(window);
}

/// Keys that would set off nothing, since two things wait for them: "key: one, other".
QStringList clashes(const QWidget& window)
{
    QList<const QWidget*> focuses{&window};
    for (const QWidget* const widget : window.findChildren<QWidget*>()) {
        if (widget->isVisible() && widget->isEnabled() && widget->focusPolicy() != Qt::NoFocus)
            focuses << widget;
    }
    QHash<QKeySequence, QList<Binding>> byKey;
    for (const Binding& binding : bindings(window)) {
        for (const QKeySequence& key : binding.keys)
            byKey[key] << binding;
    }
    QStringList found;
    for (auto key = byKey.cbegin(); key != byKey.cend(); ++key) {
        for (int one = 0; one < key->size(); ++one) {
            for (int other = 0; other < one; ++other) {
                const auto both = [&](const QWidget* focus) {
                    return key->at(one).reachedFrom(focus) && key->at(other).reachedFrom(focus);
                };
                if (std::ranges::any_of(focuses, both))
                    found << QStringLiteral("%1: %2, %3")
                                 .arg(key.key().toString(), key->at(one).name, key->at(other).name);
            }
        }
    }
    return found;
}

/// On each page and each of its tabs, beside each of the panels.
QStringList clashesOnPages(MainWindow& window)
{
    const QList<QDockWidget*> docks = window.findChildren<QDockWidget*>();
    QStringList found;
    const auto look = [&] {
        for (QDockWidget* const dock : docks) {
            dock->show();
            dock->raise();
            QCoreApplication::processEvents(); // a panel that others cover comes to the front by an event
            found << clashes(window);
        }
    };
    auto& pages = *window.findChild<QTabWidget*>(QStringLiteral("pages"));
    for (int page = 0; page < pages.count(); ++page) {
        pages.setCurrentIndex(page);
        look();
        for (QTabWidget* const tabs : pages.widget(page)->findChildren<QTabWidget*>()) {
            for (int tab = 0; tab < tabs->count(); ++tab) {
                tabs->setCurrentIndex(tab);
                look();
            }
        }
    }
    found.removeDuplicates();
    return found;
}

} // namespace

/// Each key of the whole window does one thing, wherever the focus is.
class TestShortcuts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { QSettings().clear(); }
    void twoAreFound();
    void noTwoOfTheFirstPages();
    void noTwoInARun();
    void noTwoOfARefusedModel();
    void tablesSortBesideOpening();
    void escapeClearsThenStops();
    void theListHasAllThatAKeyDoes();

private:
    static bool open(ShownStudio& shown);
    static bool runSlowly(ShownStudio& shown);
    OwnSettings m_settings;
    QTemporaryDir m_folder;
};

/// What the tests below look for is found when it is there.
void TestShortcuts::twoAreFound()
{
    ShownStudio shown;
    QVERIFY(bindings(shown.window()).size() > 40);
    QCOMPARE(clashes(shown.window()), QStringList());
    const QShortcut one(QKeySequence(QStringLiteral("Ctrl+Alt+Shift+F11")), &shown.window());
    const QShortcut other(QKeySequence(QStringLiteral("Ctrl+Alt+Shift+F11")), &shown.window());
    const QStringList found = clashes(shown.window());
    QCOMPARE(found.size(), 1);
    QVERIFY2(found[0].startsWith(QStringLiteral("Ctrl+Alt+Shift+F11: shortcut of ")), qPrintable(found[0]));
}

void TestShortcuts::initTestCase()
{
    QVERIFY(m_folder.isValid() && m_settings.begin());
}

bool TestShortcuts::open(ShownStudio& shown)
{
    shown.window().openModel(tinyFolder());
    return shown.window().isActiveWindow() && QTest::qWaitFor([&] { return shown.page().isVisible(); }, answerMs);
}

bool TestShortcuts::runSlowly(ShownStudio& shown)
{
    shown.prompt().setPrompt(QStringLiteral("the quick brown fox"));
    shown.prompt().setPace(1);
    shown.page().runActions()[Run]->trigger();
    return QTest::qWaitFor([&] { return shown.studio.run().tokens() > 1; }, answerMs);
}

void TestShortcuts::noTwoOfTheFirstPages()
{
    Settings().addRecent(QStringLiteral("/models/a"));
    ShownStudio shown;
    QCOMPARE(clashes(shown.window()).join(u'\n'), QString());
    shown.window().openModel(m_folder.filePath(QStringLiteral("nothing")));
    auto* const back = shown.part<QAbstractButton>("backFromError");
    QVERIFY(QTest::qWaitFor([&] { return back->isVisible(); }, answerMs));
    QCOMPARE(clashes(shown.window()).join(u'\n'), QString());
}

void TestShortcuts::noTwoInARun()
{
    ShownStudio shown({1400, 900});
    QVERIFY(open(shown));
    QCOMPARE(clashesOnPages(shown.window()).join(u'\n'), QString());
    QVERIFY(runSlowly(shown));
    auto& stop = *shown.page().runActions()[Stop];
    QVERIFY(stop.isEnabled());
    QCOMPARE(clashesOnPages(shown.window()).join(u'\n'), QString());
    stop.trigger();
    QVERIFY(shown.waitFor(RunStore::State::Paused));
    QCOMPARE(clashesOnPages(shown.window()).join(u'\n'), QString());
}

void TestShortcuts::noTwoOfARefusedModel()
{
    const QString path = m_folder.filePath(QStringLiteral("cut.gguf"));
    QFile whole(QStringLiteral(COLIBRI_TEST_DATA "/gguf/model.gguf"));
    QFile cut(path);
    QVERIFY(whole.open(QIODevice::ReadOnly) && cut.open(QIODevice::WriteOnly));
    const QByteArray bytes = whole.readAll();
    cut.write(bytes.left(bytes.size() - 64));
    cut.close();
    ShownStudio shown;
    shown.window().openModel(path);
    auto& page = *shown.window().findChild<ModelPage*>();
    QVERIFY(QTest::qWaitFor([&] { return page.isVisible(); }, answerMs));
    QCOMPARE(clashesOnPages(shown.window()).join(u'\n'), QString());
}

void TestShortcuts::tablesSortBesideOpening()
{
    ShownStudio shown({1400, 900});
    QVERIFY(open(shown));
    MainWindow& window = shown.window();
    window.showPage(QStringLiteral("model"));
    auto& panel = window.findChild<ModelPage*>()->tensors();
    for (QWidget* child = &panel; child != &window; child = child->parentWidget()) {
        if (auto* const tabs = qobject_cast<QTabWidget*>(child->parentWidget()->parentWidget()))
            tabs->setCurrentWidget(child);
    }
    auto& table = *panel.findChild<QTableView*>();
    QVERIFY(table.isVisible());
    table.setFocus();
    table.setCurrentIndex(table.model()->index(3, 0));
    QTest::keyClick(&table, Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(table.horizontalHeader()->sortIndicatorSection(), 0);
    QCOMPARE(table.horizontalHeader()->sortIndicatorOrder(), Qt::AscendingOrder);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&table));
    QTest::keyClick(&table, Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    auto* const dialog = window.findChild<QDialog*>(QStringLiteral("modelDialog"));
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QCOMPARE(table.horizontalHeader()->sortIndicatorOrder(), Qt::AscendingOrder);
}

void TestShortcuts::escapeClearsThenStops()
{
    ShownStudio shown({1400, 900});
    QVERIFY(open(shown));
    QVERIFY(runSlowly(shown));
    QLineEdit& filter = shown.window().findChild<ModelTree*>()->filter();
    shown.window().docks().raise(QStringLiteral("model"));
    QVERIFY(filter.isVisible());
    filter.setFocus();
    QTest::keyClicks(&filter, QStringLiteral("router"));
    QTest::keyClick(&filter, Qt::Key_Escape);
    QCOMPARE(filter.text(), QString());
    QVERIFY(shown.page().runActions()[Stop]->isEnabled()); // it still runs
    QTest::keyClick(&filter, Qt::Key_Escape);
    QVERIFY(shown.waitFor(RunStore::State::Paused));
}

void TestShortcuts::theListHasAllThatAKeyDoes()
{
    Studio studio;
    studio.window().show();
    studio.window().findChild<QAction*>(QStringLiteral("shortcuts"))->trigger();
    auto* const table = studio.window().findChild<QTableWidget*>(QStringLiteral("shortcutTable"));
    QVERIFY(table != nullptr);
    QMultiMap<QString, QString> lines;
    for (int row = 0; row < table->rowCount(); ++row)
        lines.insert(table->item(row, 0)->text(), table->item(row, 1)->text());
    QCOMPARE(lines.values(QStringLiteral("Del")).size(), 2); // of a task and of a model in the list
    QCOMPARE(lines.values(QStringLiteral("Ctrl+Shift+T")), QStringList(QStringLiteral("Sort by this column")));
    QCOMPARE(lines.values(QStringLiteral("Ctrl+Shift+O")), QStringList(QStringLiteral("Open in a new window...")));
    QCOMPARE(lines.values(QStringLiteral("Ctrl+C")).size(), 1); // many tables, one line
}

QTEST_MAIN(TestShortcuts)
#include "tst_shortcuts.moc"
