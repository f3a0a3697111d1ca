// SPDX-License-Identifier: GPL-3.0-or-later
// What the run page shows can be seen whole, told apart and read in both schemes.
#include "ui/support/testrun.h"
#include "views/run/accentbutton.h"
#include "views/run/decisioncolor.h"
#include "views/run/expertgridview.h"
#include "views/run/promptpanel.h"
#include "views/run/routerbars.h"
#include "views/run/runfigures.h"
#include "views/run/runpage.h"
#include "views/run/tokendetails.h"
#include "views/run/tokenglyphs.h"
#include "views/run/tokenreport.h"
#include "views/run/tokentextview.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QHelpEvent>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <cmath>

using namespace colibri;
using namespace colibri::test;
using State = RunStore::State;

namespace {

/// A widget's picture without the scale of the screen.
QImage seen(QWidget& widget)
{
    return widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

QString toolTipAt(QWidget& viewport, QPoint at)
{
    QHelpEvent event(QEvent::ToolTip, at, viewport.mapToGlobal(at));
    QApplication::sendEvent(&viewport, &event);
    return QToolTip::text();
}

QLabel* labelOf(QWidget& widget, const QString& accessibleName)
{
    for (QLabel* const label : widget.findChildren<QLabel*>()) {
        if (label->accessibleName() == accessibleName)
            return label;
    }
    return nullptr;
}

/// Two runs that part at token `at`.
struct Pair {
    RunStore store;
    RunStore otherStore;
    TestRun run{{}, store};
    TestRun other{{}, otherStore};
    int at = 0;

    Pair()
    {
        std::vector<TokenId> ids = run.ids("The hummingbird is small, fast and never still.");
        at = static_cast<int>(ids.size()) - 3;
        run.setPrompt(ids);
        run.append(ids.front());
        run.show();
        ids[static_cast<std::size_t>(at)] = ids[0];
        other.setPrompt(ids);
        other.append(ids.front());
        other.show();
    }
};

} // namespace

class TestLook : public QObject {
    Q_OBJECT

private slots:
    void figuresFollowTheScheme()
    {
        Theme theme;
        theme.setChoice(ThemeChoice::Light);
        RunStore store;
        RunFigures figures(store);
        TestRun run({}, store);
        run.fillWithStory();
        for (std::size_t i = 0; i < run.ring().capacity() + 3; ++i)
            run.ring().tryPush({});
        for (const bool failed : {false, true}) {
            if (failed)
                store.fail({Errc::Lost, "run", "model.bin", 7, "the file shrank"});
            else
                store.finish(StopReason::EndOfText);
            figures.show();
            for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
                theme.setChoice(choice);
                QCoreApplication::processEvents();
                int shown = 0;
                for (const QLabel* const label : figures.findChildren<QLabel*>()) {
                    if (label->isHidden())
                        continue;
                    ++shown;
                    const double contrast = contrastRatio(label->palette().color(label->foregroundRole()).rgb(),
                        QApplication::palette().color(QPalette::Window).rgb());
                    QVERIFY2(contrast >= 4.5, qPrintable(QStringLiteral("%1: %2").arg(label->text()).arg(contrast)));
                }
                QVERIFY(shown >= 11);
                QCOMPARE(labelOf(figures, QStringLiteral("Gap"))->palette().color(QPalette::WindowText).rgb(),
                    themeColors(schemeOf(figures.palette())).warningText);
                const QLabel& state = *labelOf(figures, QStringLiteral("State of the run"));
                QCOMPARE(state.palette().color(state.foregroundRole()).rgb()
                        == themeColors(schemeOf(figures.palette())).errorText,
                    failed);
            }
        }
    }

    /// Styles cache by palette: a run must not make new ones.
    void figuresKeepTheirPalettes()
    {
        RunStore store;
        RunFigures figures(store);
        figures.show();
        const auto keys = [&figures] {
            QList<qint64> all;
            for (const QLabel* const label : figures.findChildren<QLabel*>())
                all << label->palette().cacheKey();
            return all;
        };
        TestRun run({}, store);
        run.setPrompt(run.ids("The"));
        run.show();
        const QList<qint64> before = keys();
        for (int i = 0; i < 20; ++i) {
            store.setState(i % 2 ? State::Running : State::Waiting);
            run.append(run.ids("a")[0]);
            run.show();
        }
        QCOMPARE(keys(), before);
    }

    void detailsShowTheirValues_data()
    {
        QTest::addColumn<int>("width");
        QTest::newRow("narrow") << 300;
        QTest::newRow("usual") << 360;
        QTest::newRow("wide") << 700;
    }
    void detailsShowTheirValues()
    {
        QFETCH(const int, width);
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store);
        run.fillWithStory();
        TokenDetails details(store, selection);
        details.resize(width, 700);
        details.setVisible(true);
        const int end = store.tokens() - 1;
        for (int token = 0; token <= end; ++token) {
            selection.select({token, 2, -1, -1});
            QCoreApplication::processEvents();
            for (const char* const name : {"Token", "Id", "Bytes", "Position", "Time", "Experts", "Margin"}) {
                const QLabel& label = *labelOf(details, QString::fromLatin1(name));
                // Whole, or elided with the whole in the tool tip.
                QCOMPARE(label.text().contains(QChar(0x2026)), label.toolTip().contains(QStringLiteral("\n\n")));
                if (width >= 700 || qstrcmp(name, "Token") != 0)
                    QVERIFY2(!label.text().contains(QChar(0x2026)), qPrintable(label.text()));
                for (const QString& line : label.text().split(u'\n'))
                    QVERIFY2(label.fontMetrics().horizontalAdvance(line) <= label.contentsRect().width(),
                        qPrintable(QStringLiteral("%1: %2 in %3")
                                       .arg(QString::fromLatin1(name), line)
                                       .arg(label.contentsRect().width())));
            }
        }
    }

    void stepDoesNotThrowAwayARunThatEnded()
    {
        RunStore store;
        PromptPanel panel(store);
        TestRun run({}, store);
        panel.setModel(run.model());
        panel.setPrompt(QStringLiteral("Once"));
        panel.show();
        QAction& step = *panel.runActions()[2];
        QSignalSpy steps(&panel, &PromptPanel::stepRequested);
        const auto press = [&] {
            for (QToolButton* const button : panel.findChildren<QToolButton*>()) {
                if (button->defaultAction() == &step)
                    QTest::mouseClick(button, Qt::LeftButton);
            }
            QTest::keyClick(&panel, Qt::Key_F10);
            return steps.count();
        };
        RunStart start;
        start.model = run.model();
        start.record = std::make_shared<RunRecord>(RunRecord::Shape{64, 6, 16, 2, 0});
        start.timings = std::make_shared<TimingRing>(timingRingCapacity);
        start.spec = panel.spec();
        start.spec.engine.threads = 7; // what "all cores but one" came to
        start.spec.pace = 3;
        store.begin(start);
        store.finish(StopReason::MaxTokens);
        QVERIFY(!step.isEnabled());
        QVERIFY(step.toolTip().contains(QStringLiteral("ended")));
        QVERIFY(panel.runActions()[0]->isEnabled());
        QCOMPARE(press(), 0);
        panel.setPrompt(QStringLiteral("Twice"));
        QVERIFY(step.isEnabled());
        QVERIFY(step.toolTip().contains(QStringLiteral("new run")));
        panel.setPrompt(QStringLiteral("Once"));
        QVERIFY(!step.isEnabled());
        SamplingChoice warmer = panel.sampling().choice();
        warmer.sampling.temperature = 0.5f;
        panel.sampling().setChoice(warmer);
        QVERIFY(step.isEnabled());
        QTest::mouseClick(panel.findChildren<QToolButton*>().last(), Qt::LeftButton); // Stop is disabled
        QCOMPARE(steps.count(), 0);
        step.trigger();
        QCOMPARE(steps.count(), 1);
        store.setState(State::Paused);
        QVERIFY(step.isEnabled());
        QVERIFY(!step.toolTip().contains(QStringLiteral("new run")));
    }

    void theAccentIsThereAfterTheSchemeChanged()
    {
        Theme theme;
        theme.setChoice(ThemeChoice::Light);
        AccentButton always;
        AccentButton later;
        for (AccentButton* const button : {&always, &later}) {
            button->setText(QStringLiteral("Run"));
            button->resize(120, 32);
        }
        later.setEnabled(false);
        theme.setChoice(ThemeChoice::Dark);
        QCoreApplication::processEvents();
        later.setEnabled(true);
        const QImage plain = seen(always);
        QCOMPARE(seen(later), plain);
        always.setAccent(true);
        later.setAccent(true);
        QVERIFY(seen(always) != plain);
        QCOMPARE(seen(later), seen(always));
    }

    void aLargerLogitHasALongerBar()
    {
        const std::vector<float> logits{-7.5f, -3.25f, -3.f, -9.f, -1.5f};
        const BarScale scale = barScale(logits);
        for (const float a : logits) {
            for (const float b : logits)
                QCOMPARE(scale.share(double(a)) > scale.share(double(b)), a > b);
        }
        QCOMPARE(scale.share(-9), 0.);
        QCOMPARE(scale.share(-1.5), 1.);
    }

    void theAxisOfTheBarsIsExplained()
    {
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store);
        run.fillWithStory();
        TokenDetails details(store, selection);
        details.resize(360, 700);
        details.setVisible(true);
        selection.select({20, 2, -1, -1});
        QCoreApplication::processEvents();
        auto& bars = *details.findChild<RouterBars*>();
        const BarScale scale = barScale(details.report()->logits);
        const QString tip = toolTipAt(*bars.viewport(), {20, 2});
        QVERIFY2(tip.contains(QString::number(scale.low, 'g', 3)) && tip.contains(QString::number(scale.high, 'g', 3)),
            qPrintable(tip));
        QVERIFY(bars.rowRect(0).top() > 0);
        const QLabel* const legend = labelOf(details, QStringLiteral("Legend of the router logits"));
        QVERIFY(legend && legend->isVisible());
        // Painted, a row's bar is as long as its place on the scale says.
        const QImage image = seen(*bars.viewport());
        int before = image.width();
        for (const int row : {0, 5, 10, 15}) { // by value: each shorter than the one before
            const QRect rect = bars.rowRect(row);
            if (rect.bottom() >= image.height())
                break;
            const QRgb ground = image.pixel(2, rect.center().y());
            int length = 0;
            for (int x = 5 * bars.fontMetrics().horizontalAdvance(u'0') + 8; x < image.width(); ++x, ++length) {
                if (image.pixel(x, rect.top() + 5) == ground)
                    break;
            }
            QVERIFY2(length < before, qPrintable(QStringLiteral("%1: %2, %3").arg(row).arg(length).arg(before)));
            before = length;
        }
    }

    void marginsAreSpreadOverTheColours_data()
    {
        QTest::addColumn<double>("unit");
        for (const double unit : {1e-4, 0.02, 1., 30.})
            QTest::addRow("%g", unit) << unit;
    }
    void marginsAreSpreadOverTheColours()
    {
        QFETCH(const double, unit);
        constexpr int count = 200;
        RunRecord record({count, 3, 16, 2, 0});
        const std::vector<TokenId> prompt(count, 1);
        record.setPrompt(prompt);
        std::mt19937 random(3);
        std::exponential_distribution<double> drawn(1 / unit);
        for (std::uint32_t position = 0; position < count; ++position) {
            for (std::uint32_t layer = 0; layer < 3; ++layer)
                record.writeMargin(position, layer,
                    layer == 2 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(drawn(random)));
        }
        record.publishRouted(count);
        const double middle = marginMiddle(record, count);
        std::array<int, 4> quarters{};
        for (std::uint32_t position = 0; position < count; ++position) {
            for (std::uint32_t layer = 0; layer < 2; ++layer) {
                const double share = marginShare(record.margin(position, layer), middle);
                QVERIFY(share >= 0 && share <= 1);
                ++quarters[std::min<std::size_t>(3, static_cast<std::size_t>(share * 4))];
            }
        }
        for (const int each : quarters)
            QVERIFY2(each >= 2 * count / 20, qPrintable(QString::number(each)));
        QCOMPARE(marginMiddle(record, 0), 1.);
        QCOMPARE(marginShare(0.f, middle), 0.);
        QCOMPARE(marginShare(std::numeric_limits<float>::infinity(), middle), 1.);
        // The legend's numbers have one digit.
        const double digit = middle / std::pow(10, std::floor(std::log10(middle) + 1e-9));
        QVERIFY2(std::abs(digit - std::round(digit)) < 1e-6, qPrintable(QString::number(middle)));
    }

    void differencesAreMarked()
    {
        Pair pair;
        SelectionStore selection;
        TokenTextView text(pair.store, selection);
        TokenTextView other(pair.otherStore, selection);
        ExpertGridView grid(pair.store, selection);
        text.compareWith(pair.otherStore);
        other.compareWith(pair.store);
        grid.compareWith(pair.otherStore);
        grid.setZoom(5);
        grid.resize(2000, 300);
        for (TokenTextView* const view : {&text, &other}) {
            view->resize(500, 300);
            view->show();
        }
        grid.show();
        QCoreApplication::processEvents();
        for (TokenTextView* const view : {&text, &other}) {
            const QImage image = seen(*view->viewport());
            const QRgb ink = view->palette().color(QPalette::Text).rgb();
            for (int token = 0; token < pair.store.tokens(); ++token) {
                const QRect rect = view->tokenRect(token);
                QCOMPARE(image.pixel(rect.center().x(), rect.top()) == ink, token == pair.at);
                QCOMPARE(toolTipAt(*view->viewport(), rect.center()).contains(QStringLiteral("other run")),
                    token == pair.at);
            }
        }
        const QImage image = seen(*grid.viewport());
        const int line = grid.geometry().header.height() - 2;
        for (int token = 0; token < pair.store.tokens(); ++token) {
            const QRect cell = grid.geometry().cellRect(token, 0);
            QVERIFY(cell.right() < image.width());
            QCOMPARE(
                image.pixel(cell.center().x(), line) == grid.palette().color(QPalette::Text).rgb(), token == pair.at);
        }
        selection.select({pair.at, 0, -1, -1});
        QVERIFY(text.currentText().contains(QStringLiteral("other run")));
        QVERIFY(grid.currentText().contains(QStringLiteral("other run")));
        pair.otherStore.clear();
        QVERIFY(!text.currentText().contains(QStringLiteral("other run")));
    }

    void theTwoTextsHaveTitles()
    {
        OpenStore open;
        SelectionStore selection;
        Pair pair;
        RunStore kept;
        RunPage page(open, pair.store, kept, selection);
        page.resize(1100, 700);
        page.show();
        const auto titles = [&page] {
            QStringList found;
            for (const QLabel* const label : page.findChildren<QLabel*>()) {
                if (label->isVisible() && label->text().contains(QStringLiteral("<b>")))
                    found << label->text();
            }
            return found.join(u'\n');
        };
        QVERIFY(titles().isEmpty());
        kept.keep(pair.otherStore);
        QVERIFY(titles().contains(QStringLiteral("This run")) && titles().contains(QStringLiteral("Kept run")));
        QVERIFY(page.keptView().isVisible());
        for (const QToolButton* const button : page.findChildren<QToolButton*>()) {
            if (button->defaultAction() == page.keepActions()[1] || button->objectName().startsWith(u"first"))
                QVERIFY2(!button->autoRaise(), qPrintable(button->text()));
        }
        kept.clear();
        QVERIFY(titles().isEmpty());
        QVERIFY(!page.keptView().isVisible());
    }

    void theChosenCellIsSeenWhole()
    {
        RunStore store;
        SelectionStore selection;
        TestRun run({}, store);
        run.fillWithStory();
        ExpertGridView grid(store, selection);
        grid.setZoom(5);
        grid.resize(600, 300);
        grid.show();
        selection.select({0, 0, -1, -1});
        QCoreApplication::processEvents();
        const QRgb ink = grid.palette().color(QPalette::Text).rgb();
        const QRect first = grid.geometry().cellRect(0, 0);
        const QImage image = seen(*grid.viewport());
        for (const QPoint& edge :
            {QPoint(first.left() - 1, first.center().y()), QPoint(first.center().x(), first.top() - 1),
                QPoint(first.right(), first.center().y()), QPoint(first.center().x(), first.bottom())})
            QCOMPARE(image.pixel(edge), ink);
        // From elsewhere, with its neighbours.
        const int page = grid.geometry().visibleTokens().size();
        const int far = store.tokens() - page - 4;
        for (const int token : {store.tokens() - 6, far, far - page}) {
            selection.select({token, 0, -1, -1});
            const QRect area = grid.geometry().cellArea();
            for (const int beside : {token - 2, token, token + 2})
                QVERIFY2(area.contains(grid.geometry().cellRect(beside, 0)), qPrintable(QString::number(beside)));
        }
        // A cell that is seen stays where it is.
        const int scroll = grid.geometry().scroll.x();
        const int seenFirst = grid.geometry().tokenAt(grid.geometry().cellArea().left()) + 1;
        selection.select({seenFirst, 0, -1, -1});
        QCOMPARE(grid.geometry().scroll.x(), scroll);
    }

    void bytesAreToldApart()
    {
        const ModelFactsPtr model = testModel(true);
        const auto shownOf = [&model](std::initializer_list<TokenId> ids) {
            TokenText text(model);
            for (const TokenId id : ids)
                text.append(id);
            QStringList shown;
            for (int position = 0; position < text.size(); ++position) {
                const TokenPiece piece = text.piece(position);
                shown << shownOrBytes(piece) + (lookOf(piece) == TokenLook::Hex ? QStringLiteral(" hex") : QString());
            }
            return shown.join(u'|');
        };
        QCOMPARE(shownOf({0xFF, 0xFE}), QStringLiteral("ff hex|fe hex"));
        QCOMPARE(shownOf({0xE4, 0xB8}), QStringLiteral("e4 hex|b8 hex")); // waits
        QCOMPARE(shownOf({0xE4, 0xB8, 'A'}), QStringLiteral("e4 hex|b8 hex|A")); // was no character
        QCOMPARE(shownOf({'A', 0xE4, 0xB8, 0xAD, 'B'}), QStringLiteral("A|\u4E2D|b8|ad|B"));
        QCOMPARE(shownOf({0xC2, 0x85, 'A'}), QStringLiteral("c2 hex|85|A")); // a control without a picture
        QCOMPARE(shownOf({0x01, 0x02}), QStringLiteral("\u2401|\u2402"));
        QCOMPARE(shownOf({0xEF, 0xBF, 0xBD, 'A'}).section(u'|', 3), QStringLiteral("A"));
        TokenText text(model);
        text.append(0xFF);
        TokenReport report;
        report.piece = text.piece(0);
        QCOMPARE(TokenReportText::token(report), QStringLiteral("ff (no UTF-8)"));
    }
};

QTEST_MAIN(TestLook)
#include "tst_look.moc"
