// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/samplingform.h"

#include "views/theme/theme.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

namespace colibri {

SamplingForm::SamplingForm(QWidget* parent)
    : QWidget(parent)
    , m_fold(new QToolButton(this))
{
    m_fields = makeFields();
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_fold->setToolTip(tr("Shows or hides how the next token is drawn and when the run ends"));
    connect(m_fold, &QToolButton::toggled, this, [this](bool open) { setFolded(!open); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    column->addWidget(m_fold);
    column->addWidget(m_fields);
    resetToDefaults();
    setFolded(true);
}

QWidget* SamplingForm::makeFields()
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
    auto* fields = new QWidget(this);
    auto* form = new QFormLayout(fields);
    form->setContentsMargins(grid::unit, 0, 0, 0);
    form->setVerticalSpacing(grid::half);
    const auto addRow = [&](const QString& name, const QString& tip, QWidget* field) {
        field->setToolTip(tip);
        field->setAccessibleName(name);
        form->addRow(name, field);
    };
    for (std::size_t share = 0; share < ShareCount; ++share) {
        const Line& line = lines[share];
        auto* box = new QDoubleSpinBox(fields);
        box->setDecimals(2);
        box->setRange(line.low, line.high);
        box->setSingleStep(line.step);
        if (*line.off)
            box->setSpecialValueText(tr(line.off));
        m_shares[share] = box;
        addRow(tr(line.name), tr(line.tip), box);
        connect(box, &QDoubleSpinBox::valueChanged, this, &SamplingForm::update);
    }
    m_topK = new QSpinBox(fields);
    m_topK->setRange(0, 1'000'000);
    m_topK->setSpecialValueText(tr("0 (off)"));
    connect(m_topK, &QSpinBox::valueChanged, this, &SamplingForm::update);
    m_topK->setToolTip(tr("Keeps this many of the likeliest tokens; 0 keeps all"));
    m_topK->setAccessibleName(tr("Top-k"));
    form->insertRow(1, tr("Top-k"), m_topK);
    m_seed = new QLineEdit(fields);
    m_seed->setFont(monospaceFont());
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,19}")), m_seed));
    connect(m_seed, &QLineEdit::textChanged, this, &SamplingForm::update);
    m_newSeed = new QToolButton(m_seed);
    m_newSeed->setText(tr("New"));
    m_newSeed->setToolTip(tr("Takes another random seed"));
    m_newSeed->setAccessibleName(tr("New seed"));
    connect(m_newSeed, &QToolButton::clicked, this, &SamplingForm::drawSeed);
    auto* seedRow = new QHBoxLayout;
    seedRow->setSpacing(grid::half);
    seedRow->addWidget(m_seed);
    seedRow->addWidget(m_newSeed);
    m_seed->setToolTip(tr("The same seed draws the same tokens"));
    m_seed->setAccessibleName(tr("Seed"));
    form->addRow(tr("Seed"), seedRow);
    m_maxTokens = new QSpinBox(fields);
    m_maxTokens->setRange(1, 1'000'000);
    m_maxTokens->setSuffix(tr(" tokens"));
    connect(m_maxTokens, &QSpinBox::valueChanged, this, &SamplingForm::update);
    addRow(tr("At most"), tr("The answer ends after this many tokens, if not before"), m_maxTokens);
    auto* reset = new QToolButton(fields);
    reset->setText(tr("Reset"));
    reset->setToolTip(tr("Puts all of these back to greedy and 128 tokens"));
    connect(reset, &QToolButton::clicked, this, &SamplingForm::resetToDefaults);
    form->addRow(QString(), reset);
    return fields;
}

SamplingChoice SamplingForm::choice() const
{
    const auto share = [this](Share which) { return static_cast<float>(m_shares[which]->value()); };
    return {{share(Temperature), static_cast<std::uint32_t>(m_topK->value()), share(TopP), share(MinP),
                share(RepeatPenalty), m_seed->text().toULongLong()},
        static_cast<std::uint32_t>(m_maxTokens->value())};
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
    update();
}

void SamplingForm::resetToDefaults()
{
    setChoice({});
}

void SamplingForm::drawSeed()
{
    m_seed->setText(QString::number(QRandomGenerator::global()->generate()));
}

bool SamplingForm::isFolded() const
{
    return !m_fold->isChecked();
}

void SamplingForm::setFolded(bool folded)
{
    m_fold->setChecked(!folded);
    m_fold->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    m_fields->setVisible(!folded);
    update();
}

QString SamplingForm::summary(const SamplingChoice& choice)
{
    const SamplingOptions& sampling = choice.sampling;
    const auto number = [](float value) { return QString::number(static_cast<double>(value), 'f', 2); };
    QStringList parts;
    if (sampling.temperature == 0) {
        parts += tr("greedy");
    } else {
        parts += tr("temperature %1").arg(number(sampling.temperature));
        if (sampling.topK > 0)
            parts += tr("top-k %1").arg(sampling.topK);
        if (sampling.topP < 1)
            parts += tr("top-p %1").arg(number(sampling.topP));
        if (sampling.minP > 0)
            parts += tr("min-p %1").arg(number(sampling.minP));
        parts += tr("seed %1").arg(sampling.seed);
    }
    if (sampling.repeatPenalty != 1)
        parts += tr("repeat penalty %1").arg(number(sampling.repeatPenalty));
    parts += tr("at most %1").arg(choice.maxTokens);
    return parts.join(QStringLiteral(", "));
}

void SamplingForm::update()
{
    const SamplingChoice now = choice();
    const bool draws = now.sampling.temperature > 0;
    for (QWidget* field : std::initializer_list<QWidget*>{m_topK, m_shares[TopP], m_shares[MinP], m_seed, m_newSeed})
        field->setEnabled(draws); // greedy takes the likeliest token whatever these say
    m_fold->setText(isFolded() ? tr("Sampling: %1").arg(summary(now)) : tr("Sampling"));
    m_fold->setAccessibleName(tr("Sampling: %1").arg(summary(now)));
    emit changed();
}

} // namespace colibri
