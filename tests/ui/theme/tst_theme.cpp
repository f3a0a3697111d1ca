// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/colourmaps.h"
#include "views/theme/flatstyle.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFontMetricsF>
#include <QLineEdit>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

using namespace colibri;

using Control = std::function<QWidget*()>;
Q_DECLARE_METATYPE(Control)

namespace {

constexpr std::array schemes{ColorScheme::Light, ColorScheme::Dark};
using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// Machado, Oliveira, Fernandes (2009), severity 1, on linear light; the first row of matrices is normal vision.
constexpr std::array<Matrix, 4> visions{{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

Vector linear(QRgb color)
{
    const auto decode = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return {decode(qRed(color)), decode(qGreen(color)), decode(qBlue(color))};
}

Vector seenBy(const Matrix& vision, const Vector& rgb)
{
    Vector seen{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            seen[row] += vision[row][column] * rgb[column];
        seen[row] = std::clamp(seen[row], 0.0, 1.0);
    }
    return seen;
}

Vector oklab(const Vector& rgb)
{
    const double l = std::cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    const double m = std::cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    const double s = std::cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(QRgb a, QRgb b, const Matrix& vision)
{
    const Vector x = oklab(seenBy(vision, linear(a)));
    const Vector y = oklab(seenBy(vision, linear(b)));
    return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double lightness(QRgb color)
{
    return oklab(linear(color))[0];
}

double smallestDistance(std::uint32_t count, ColorScheme scheme, const Matrix& vision)
{
    double smallest = std::numeric_limits<double>::infinity();
    for (std::uint32_t a = 0; a < count; ++a)
        for (std::uint32_t b = 0; b < a; ++b)
            smallest =
                std::min(smallest, distance(expertColor(a, count, scheme), expertColor(b, count, scheme), vision));
    return smallest;
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void textIsReadable()
    {
        struct Pair {
            QPalette::ColorRole text;
            QPalette::ColorRole ground;
        };
        constexpr std::array pairs{Pair{QPalette::WindowText, QPalette::Window}, Pair{QPalette::Text, QPalette::Base},
            Pair{QPalette::Text, QPalette::AlternateBase}, Pair{QPalette::ButtonText, QPalette::Button},
            Pair{QPalette::HighlightedText, QPalette::Highlight}, Pair{QPalette::PlaceholderText, QPalette::Base},
            Pair{QPalette::ToolTipText, QPalette::ToolTipBase}, Pair{QPalette::Link, QPalette::Base},
            Pair{QPalette::Link, QPalette::Window}, Pair{QPalette::LinkVisited, QPalette::Base},
            Pair{QPalette::BrightText, QPalette::Base}};
        for (const ColorScheme scheme : schemes) {
            const QPalette palette = themePalette(scheme);
            for (const auto group : {QPalette::Active, QPalette::Inactive}) {
                for (const Pair& pair : pairs) {
                    const double ratio =
                        contrastRatio(palette.color(group, pair.text).rgb(), palette.color(group, pair.ground).rgb());
                    QVERIFY2(ratio >= 4.5,
                        qPrintable(QStringLiteral("%1 on %2: %3").arg(pair.text).arg(pair.ground).arg(ratio)));
                }
            }
            const double disabled = contrastRatio(palette.color(QPalette::Disabled, QPalette::WindowText).rgb(),
                palette.color(QPalette::Disabled, QPalette::Window).rgb());
            QVERIFY2(disabled >= 3, qPrintable(QString::number(disabled)));
        }
    }

    void themeTextColoursAreReadable()
    {
        for (const ColorScheme scheme : schemes) {
            const QPalette palette = themePalette(scheme);
            const ThemeColors& colors = themeColors(scheme);
            for (const QRgb text :
                {colors.accent, colors.mutedText, colors.goodText, colors.warningText, colors.errorText})
                for (const QRgb ground :
                    {palette.color(QPalette::Base).rgb(), palette.color(QPalette::Window).rgb(), colors.promptBand})
                    QVERIFY2(contrastRatio(text, ground) >= 4.5, qPrintable(QString::number(text, 16)));
            QVERIFY(contrastRatio(palette.color(QPalette::Text).rgb(), colors.promptBand) >= 4.5);
            QVERIFY(contrastRatio(palette.color(QPalette::Text).rgb(), colors.pending) >= 4.5);
        }
    }

    void controlsHaveAnEdge_data()
    {
        QTest::addColumn<Control>("make");
        QTest::newRow("check box") << Control([] { return new QCheckBox; });
        QTest::newRow("radio button") << Control([] { return new QRadioButton; });
        QTest::newRow("line edit") << Control([] { return new QLineEdit; });
        QTest::newRow("spin box") << Control([] {
            auto* const box = new QSpinBox;
            box->clear(); // a figure would stand out as well
            return box;
        });
        QTest::newRow("combo box") << Control([] { return new QComboBox; });
        QTest::newRow("editable combo box") << Control([] {
            auto* const box = new QComboBox;
            box->setEditable(true);
            return box;
        });
    }
    void controlsHaveAnEdge()
    {
        QFETCH(const Control, make);
        Theme theme;
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            theme.setChoice(choice);
            const std::unique_ptr<QWidget> control(make());
            control->setFocusPolicy(Qt::NoFocus);
            control->resize(control->sizeHint());
            QImage image(control->size(), QImage::Format_RGB32);
            image.fill(QApplication::palette().color(QPalette::Window));
            control->render(&image);
            // Along the middle of its height, from the left into the control, something stands out.
            const QRgb ground = QApplication::palette().color(QPalette::Window).rgb();
            double most = 1;
            for (int x = 0; x < 8; ++x)
                most = std::max(most, contrastRatio(image.pixel(x, image.height() / 2), ground));
            QVERIFY2(most >= 3, qPrintable(QString::number(most)));
        }
    }

    void schemeIsReadFromAPalette()
    {
        QCOMPARE(schemeOf(themePalette(ColorScheme::Light)), ColorScheme::Light);
        QCOMPARE(schemeOf(themePalette(ColorScheme::Dark)), ColorScheme::Dark);
    }

    void choiceChangesTheApplication()
    {
        Theme theme;
        QSignalSpy changes(&theme, &Theme::schemeChanged);
        QLineEdit widget;
        widget.show();
        theme.setChoice(ThemeChoice::Light);
        theme.setSystemScheme(ColorScheme::Light);
        changes.clear();
        theme.setChoice(ThemeChoice::Dark);
        QCOMPARE(changes.count(), 1);
        QTRY_COMPARE(schemeOf(widget.palette()), ColorScheme::Dark);
        QCOMPARE(QApplication::palette().color(QPalette::Base), themePalette(ColorScheme::Dark).color(QPalette::Base));
        theme.setChoice(ThemeChoice::System);
        QCOMPARE(theme.scheme(), ColorScheme::Light);
        QTRY_COMPARE(schemeOf(widget.palette()), ColorScheme::Light);
        theme.setSystemScheme(ColorScheme::Dark);
        QCOMPARE(changes.count(), 3);
        QTRY_COMPARE(schemeOf(widget.palette()), ColorScheme::Dark);
        theme.setChoice(ThemeChoice::Light);
        QTRY_COMPARE(schemeOf(widget.palette()), ColorScheme::Light);
        theme.setChoice(ThemeChoice::Light); // no change, no signal
        QCOMPARE(changes.count(), 4);
    }

    void systemIsWhatTheApplicationHadBefore()
    {
        QApplication::setPalette(themePalette(ColorScheme::Dark));
        QCOMPARE(Theme().scheme(), ColorScheme::Dark);
        QApplication::setPalette(themePalette(ColorScheme::Light));
        QCOMPARE(Theme().scheme(), ColorScheme::Light);
    }

    void figuresAreTabular()
    {
        const QFontMetricsF metrics(monospaceFont());
        for (const QChar figure : QStringLiteral("0123456789.abcdef "))
            QCOMPARE(metrics.horizontalAdvance(figure), metrics.horizontalAdvance(QLatin1Char('0')));
    }

    void amountsRiseEvenly()
    {
        constexpr int steps = 64;
        double smallest = 1;
        double largest = 0;
        for (int i = 0; i < steps; ++i) {
            const double rise = lightness(amountColor((i + 1.0) / steps, ColorScheme::Light))
                - lightness(amountColor(double(i) / steps, ColorScheme::Light));
            smallest = std::min(smallest, rise);
            largest = std::max(largest, rise);
        }
        const double even =
            (lightness(amountColor(1, ColorScheme::Light)) - lightness(amountColor(0, ColorScheme::Light))) / steps;
        QVERIFY2(smallest > 0.5 * even && largest < 1.5 * even,
            qPrintable(QStringLiteral("%1 %2 %3").arg(smallest).arg(even).arg(largest)));
        QCOMPARE(amountColor(-3, ColorScheme::Light), amountColor(0, ColorScheme::Light));
        QCOMPARE(amountColor(7, ColorScheme::Dark), amountColor(1, ColorScheme::Dark));
        QCOMPARE(amountColor(std::nan(""), ColorScheme::Dark), noDataColor(ColorScheme::Dark));
    }

    void divergingIsSymmetricAndTellsTheSign()
    {
        for (const ColorScheme scheme : schemes) {
            const double toGround = scheme == ColorScheme::Light ? -1 : 1;
            for (int i = 1; i <= 10; ++i) {
                const QRgb plus = divergingColor(i / 10.0, scheme);
                const QRgb minus = divergingColor(-i / 10.0, scheme);
                QVERIFY(std::abs(lightness(plus) - lightness(minus)) < 0.02);
                QVERIFY(toGround * (lightness(plus) - lightness(divergingColor((i - 1) / 10.0, scheme))) > 0);
            }
            for (const Matrix& vision : visions)
                QVERIFY(distance(divergingColor(1, scheme), divergingColor(-1, scheme), vision) > 0.1);
            QCOMPARE(divergingColor(std::nan(""), scheme), noDataColor(scheme));
        }
    }

    void expertsAreDistinct_data()
    {
        QTest::addColumn<std::uint32_t>("count");
        QTest::addColumn<double>("least");
        QTest::newRow("fixed set") << 8u << 0.10;
        QTest::newRow("16 experts") << 16u << 0.04;
        QTest::newRow("32 experts") << 32u << 0.015;
    }
    void expertsAreDistinct()
    {
        QFETCH(std::uint32_t, count);
        QFETCH(double, least);
        for (const ColorScheme scheme : schemes) {
            const double normal = smallestDistance(count, scheme, visions[0]);
            QVERIFY2(normal >= least, qPrintable(QString::number(normal)));
            if (count > categoricalColors)
                continue;
            for (const Matrix& vision : visions) {
                const double seen = smallestDistance(count, scheme, vision);
                QVERIFY2(seen >= least, qPrintable(QString::number(seen)));
            }
        }
    }

    void neighboursDifferForEveryEye()
    {
        for (const ColorScheme scheme : schemes) {
            for (const std::uint32_t count : {9u, 16u, 60u, 64u, 128u, 256u}) {
                for (std::uint32_t expert = 1; expert < count; ++expert) {
                    for (const Matrix& vision : visions) {
                        const double seen = distance(
                            expertColor(expert, count, scheme), expertColor(expert - 1, count, scheme), vision);
                        QVERIFY2(
                            seen > 0.05, qPrintable(QStringLiteral("%1 of %2: %3").arg(expert).arg(count).arg(seen)));
                    }
                }
            }
        }
    }

    /// A control that was disabled first looks like one that never was.
    void enabledLooksEnabled()
    {
        for (const ColorScheme scheme : schemes) {
            QApplication::setPalette(themePalette(scheme));
            const auto looks = [](bool disabledFirst) {
                FlatStyle style;
                QComboBox box;
                box.setStyle(&style);
                box.addItem(QStringLiteral("text"));
                box.resize(120, 28);
                box.setEnabled(!disabledFirst);
                (void)box.grab();
                box.setEnabled(true);
                return box.grab().toImage();
            };
            const QImage after = looks(true);
            QCOMPARE(after, looks(false));
        }
    }

    void everyGroundTakesText()
    {
        for (const ColorScheme scheme : schemes) {
            for (const std::uint32_t count : {1u, 8u, 16u, 256u})
                for (std::uint32_t expert = 0; expert < count; ++expert) {
                    const QRgb ground = expertColor(expert, count, scheme);
                    QVERIFY(contrastRatio(ground, readableOn(ground)) >= 4.5);
                }
            for (int i = 0; i <= 100; ++i) {
                const QRgb amount = amountColor(i / 100.0, scheme);
                QVERIFY(contrastRatio(amount, readableOn(amount)) >= 4.5);
                const QRgb diverging = divergingColor(i / 50.0 - 1, scheme);
                QVERIFY(contrastRatio(diverging, readableOn(diverging)) >= 4.5);
            }
        }
        QCOMPARE(expertColor(16, 16, ColorScheme::Light), noDataColor(ColorScheme::Light));
        QCOMPARE(expertColor(0xFFFF, 8, ColorScheme::Dark), noDataColor(ColorScheme::Dark));
    }

    void contrastIsTheStandardOne()
    {
        QCOMPARE(contrastRatio(qRgb(255, 255, 255), qRgb(0, 0, 0)), 21.0);
        QVERIFY(std::abs(contrastRatio(qRgb(0x77, 0x77, 0x77), qRgb(255, 255, 255)) - 4.478) < 0.005);
        QCOMPARE(mixed(qRgb(0, 100, 200), qRgb(100, 0, 0), 0.5), qRgb(50, 50, 100));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
