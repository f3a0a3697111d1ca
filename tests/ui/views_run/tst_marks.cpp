// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of margins, marks of differences, the chosen cell, and bytes that are no characters.
#include "ui/support/seen.h"
#include "ui/support/testrun.h"
#include "views/run/decisioncolor.h"
#include "views/run/expertgridview.h"
#include "views/run/runpage.h"
#include "views/run/tokenglyphs.h"
#include "views/run/tokenreport.h"
#include "views/run/tokentextview.h"

#include <QLabel>
#include <QTest>
#include <QToolButton>

#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace colibri;
using namespace colibri::test;

namespace {

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

class TestMarks : public QObject {
    Q_OBJECT

private slots:
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
            const Seen image(*view->viewport());
            const QRgb ink = view->palette().color(QPalette::Text).rgb();
            for (int token = 0; token < pair.store.tokens(); ++token) {
                const QRect rect = view->tokenRect(token);
                QCOMPARE(image.pixel(rect.center().x(), rect.top()) == ink, token == pair.at);
                QCOMPARE(toolTipAt(*view->viewport(), rect.center()).contains(QStringLiteral("other run")),
                    token == pair.at);
            }
        }
        const Seen image(*grid.viewport());
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
        int buttons = 0;
        for (const QToolButton* const button : page.findChildren<QToolButton*>()) {
            if (button->defaultAction() != page.keepActions()[1] && !button->objectName().startsWith(u"first"))
                continue;
            ++buttons;
            QVERIFY2(!button->autoRaise(), qPrintable(button->text()));
        }
        QCOMPARE(buttons, 3);
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
        const Seen image(*grid.viewport());
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

QTEST_MAIN(TestMarks)
#include "tst_marks.moc"
