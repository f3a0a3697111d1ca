// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/samplingform.h"

#include "views/theme/theme.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStringList>
#include <QToolButton>

namespace colibri {
namespace {

constexpr int mostTokens = 1'000'000;

} // namespace

SamplingForm::SamplingForm(QWidget* parent)
    : FoldingForm(tr("Sampling"), tr("Shows or hides how the next token is drawn and when the run ends"), parent)
    , m_topK(new QSpinBox(this))
    , m_seed(new QLineEdit(this))
    , m_newSeed(new QToolButton(m_seed))
    , m_maxTokens(new QSpinBox(this))
    , m_ignoreEnd(new QCheckBox(tr("Past the end of text"), this))
{
    addShares();
    addSeed();
    addEnd();
    addReset(
        tr("Puts all of these back to greedy and 128 tokens"), tr("Reset sampling"), [this] { resetToDefaults(); });
    resetToDefaults();
}

void SamplingForm::addShares()
{
    struct Line {
        const char* name;
        const char* tip;
        const char* off; ///< shown at the value that has no effect; empty: none
        double low, high, step;
    };
    static constexpr std::array<Line, ShareCount> lines{{
        {QT_TR_NOOP("Temperature"), QT_TR_NOOP("Divides the logits; 0 always takes the likeliest token"),
            QT_TR_NOOP("0 (greedy)"), 0, 5, 0.05},
        {QT_TR_NOOP("Top-p"), QT_TR_NOOP("Keeps the likeliest tokens whose probabilities reach this sum; 1 keeps all"),
            "", 0, 1, 0.01},
        {QT_TR_NOOP("Min-p"), QT_TR_NOOP("Keeps tokens at least this likely compared with the likeliest; 0 keeps all"),
            QT_TR_NOOP("0 (off)"), 0, 1, 0.01},
        {QT_TR_NOOP("Repeat penalty"), QT_TR_NOOP("Makes tokens of the last 64 less likely; 1 does nothing"), "", 0.5,
            2, 0.05},
    }};
    for (std::size_t share = 0; share < ShareCount; ++share) {
        const Line& line = lines[share];
        auto* box = new QDoubleSpinBox(this);
        box->setDecimals(2);
        box->setRange(line.low, line.high);
        box->setSingleStep(line.step);
        if (*line.off)
            box->setSpecialValueText(tr(line.off));
        m_shares[share] = box;
        addField(tr(line.name), tr(line.tip), box);
        connect(box, &QDoubleSpinBox::valueChanged, this, &SamplingForm::refresh);
    }
    m_topK->setRange(0, 1'000'000);
    m_topK->setSpecialValueText(tr("0 (off)"));
    connect(m_topK, &QSpinBox::valueChanged, this, &SamplingForm::refresh);
    addField(tr("Top-k"), tr("Keeps this many of the likeliest tokens; 0 keeps all"), m_topK, 1);
}

void SamplingForm::addSeed()
{
    m_seed->setFont(monospaceFont());
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,19}")), m_seed));
    m_seed->setToolTip(tr("The same seed draws the same tokens"));
    m_seed->setAccessibleName(tr("Seed"));
    connect(m_seed, &QLineEdit::textChanged, this, &SamplingForm::refresh);
    m_newSeed->setText(tr("New"));
    m_newSeed->setToolTip(tr("Takes another random seed"));
    m_newSeed->setAccessibleName(tr("New seed"));
    connect(m_newSeed, &QToolButton::clicked, this, &SamplingForm::drawSeed);
    auto* row = new QHBoxLayout;
    row->setSpacing(grid::half);
    row->addWidget(m_seed);
    row->addWidget(m_newSeed);
    fields()->addRow(tr("Seed"), row);
}

void SamplingForm::addEnd()
{
    m_maxTokens->setRange(1, mostTokens);
    m_maxTokens->setSuffix(tr(" tokens"));
    connect(m_maxTokens, &QSpinBox::valueChanged, this, [this](int tokens) {
        m_askedTokens = tokens;
        refresh();
    });
    addField(tr("At most"),
        tr("The answer ends after this many tokens, if not before; prompt and answer have room in the context"),
        m_maxTokens);
    m_ignoreEnd->setToolTip(tr("Goes on when the model has ended its text"));
    connect(m_ignoreEnd, &QCheckBox::toggled, this, &SamplingForm::refresh);
    fields()->addRow(QString(), m_ignoreEnd);
}

SamplingChoice SamplingForm::choice() const
{
    const auto share = [this](Share which) { return static_cast<float>(m_shares[which]->value()); };
    return {{share(Temperature), static_cast<std::uint32_t>(m_topK->value()), share(TopP), share(MinP),
                share(RepeatPenalty), m_seed->text().toULongLong()},
        static_cast<std::uint32_t>(m_maxTokens->value()), m_ignoreEnd->isChecked()};
}

void SamplingForm::setChoice(const SamplingChoice& choice)
{
    const SamplingOptions& sampling = choice.sampling;
    const std::array<float, ShareCount> values{
        sampling.temperature, sampling.topP, sampling.minP, sampling.repeatPenalty};
    for (std::size_t share = 0; share < ShareCount; ++share)
        m_shares[share]->setValue(static_cast<double>(values[share]));
    m_topK->setValue(static_cast<int>(sampling.topK));
    m_seed->setText(QString::number(sampling.seed));
    m_maxTokens->setValue(static_cast<int>(choice.maxTokens));
    m_askedTokens = static_cast<int>(choice.maxTokens);
    m_ignoreEnd->setChecked(choice.ignoreEndOfText);
    refresh();
}

void SamplingForm::setContext(std::uint32_t tokens)
{
    const int longest = tokens > 0 && tokens < mostTokens ? static_cast<int>(tokens) : mostTokens;
    if (longest == m_maxTokens->maximum())
        return;
    const QSignalBlocker quiet(m_maxTokens);
    m_maxTokens->setMaximum(longest);
    m_maxTokens->setValue(m_askedTokens);
    refresh();
}

void SamplingForm::resetToDefaults()
{
    setChoice({});
}

void SamplingForm::drawSeed()
{
    m_seed->setText(QString::number(QRandomGenerator::global()->generate()));
}

QString SamplingForm::summary(const SamplingChoice& choice)
{
    return parts(choice, false).join(QStringLiteral(", "));
}

QStringList SamplingForm::parts(const SamplingChoice& choice, bool brief)
{
    const SamplingOptions& sampling = choice.sampling;
    const auto number = [](float value) { return QString::number(static_cast<double>(value), 'f', 2); };
    QStringList parts;
    if (sampling.temperature == 0) {
        parts += tr("greedy");
    } else {
        parts += (brief ? tr("temp. %1") : tr("temperature %1")).arg(number(sampling.temperature));
        if (sampling.topK > 0)
            parts += tr("top-k %1").arg(sampling.topK);
        if (sampling.topP < 1)
            parts += tr("top-p %1").arg(number(sampling.topP));
        if (sampling.minP > 0)
            parts += tr("min-p %1").arg(number(sampling.minP));
        parts += tr("seed %1").arg(sampling.seed);
    }
    if (sampling.repeatPenalty != 1)
        parts += (brief ? tr("repeat %1") : tr("repeat penalty %1")).arg(number(sampling.repeatPenalty));
    if (choice.ignoreEndOfText && brief)
        parts += tr("past the end");
    parts += (brief ? tr("max. %1") : tr("at most %1")).arg(choice.maxTokens);
    if (choice.ignoreEndOfText && !brief)
        parts += tr("past the end of text");
    return parts;
}

void SamplingForm::refresh()
{
    const SamplingChoice now = choice();
    const bool draws = now.sampling.temperature > 0;
    for (QWidget* field : std::initializer_list<QWidget*>{m_topK, m_shares[TopP], m_shares[MinP], m_seed, m_newSeed})
        field->setEnabled(draws); // greedy takes the likeliest token whatever these say
    showSummary(summary(now), parts(now, true));
}

} // namespace colibri
