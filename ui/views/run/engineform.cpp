// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/engineform.h"

#include "views/theme/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QSpinBox>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

namespace colibri {
namespace {

QString named(std::string_view name)
{
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

} // namespace

EngineForm::EngineForm(QWidget* parent)
    : QWidget(parent)
    , m_fold(new QToolButton(this))
{
    m_fields = makeFields();
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_fold->setToolTip(tr("Shows or hides how the engine computes: what may change speed, memory or the last bits"));
    connect(m_fold, &QToolButton::toggled, this, [this](bool open) { setFolded(!open); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::half);
    column->addWidget(m_fold);
    column->addWidget(m_fields);
    setFolded(true);
}

QWidget* EngineForm::makeFields()
{
    auto* fields = new QWidget(this);
    auto* form = new QFormLayout(fields);
    form->setContentsMargins(grid::unit, 0, 0, 0);
    form->setVerticalSpacing(grid::half);
    addChoices(form);
    addNumbers(form);
    auto* reset = new QToolButton(fields);
    reset->setText(tr("Reset"));
    reset->setToolTip(tr("Puts all of these back to their defaults"));
    reset->setAccessibleName(tr("Reset the engine options"));
    connect(reset, &QToolButton::clicked, this, &EngineForm::resetToDefaults);
    form->addRow(QString(), reset);
    return fields;
}

void EngineForm::addChoices(QFormLayout* form)
{
    struct Line {
        const char* name;
        const char* tip;
        std::vector<std::string> values;
    };
    const std::array<Line, ChoiceCount> lines{{
        {QT_TR_NOOP("Numerics"),
            QT_TR_NOOP(
                "reproducible: one order of operations on every instruction set; scalar: the same in plain code"),
            optionNames<Numerics>()},
        {QT_TR_NOOP("Instructions"), QT_TR_NOOP("Which kernels run; auto takes the best this CPU has"),
            optionNames<Isa>()},
        {QT_TR_NOOP("Activations"),
            QT_TR_NOOP("For int8 weights: q8 rounds activations to 8 bits in blocks, f32 never"),
            optionNames<Activations>()},
        {QT_TR_NOOP("KV cache"), QT_TR_NOOP("How keys and values are kept; f16 halves the memory"),
            optionNames<KvType>()},
        {QT_TR_NOOP("Not finite"),
            QT_TR_NOOP("What a NaN or infinity of an expert does: count as zero, or end the run"),
            optionNames<Breaker>()},
    }};
    for (std::size_t choice = 0; choice < ChoiceCount; ++choice) {
        auto* box = new QComboBox(form->parentWidget());
        for (const std::string& value : lines[choice].values)
            box->addItem(QString::fromStdString(value));
        box->setToolTip(tr(lines[choice].tip));
        box->setAccessibleName(tr(lines[choice].name));
        connect(box, &QComboBox::currentIndexChanged, this, &EngineForm::update);
        form->addRow(tr(lines[choice].name), box);
        m_choices[choice] = box;
    }
}

void EngineForm::addNumbers(QFormLayout* form)
{
    struct Line {
        const char* name;
        const char* tip;
        const char* zero; ///< what 0 means; empty: 0 is not allowed
        int most;
    };
    static constexpr std::array<Line, NumberCount> lines{{
        {QT_TR_NOOP("Threads"), QT_TR_NOOP("Threads that compute; by default one core is left to the window"),
            QT_TR_NOOP("all cores but one"), 1024},
        {QT_TR_NOOP("Batch"), QT_TR_NOOP("Tokens of the prompt that go through the layers together"), "", 65536},
        {QT_TR_NOOP("Context"), QT_TR_NOOP("Positions of the KV cache"), QT_TR_NOOP("the model's, at most 4096"),
            10'000'000},
    }};
    for (std::size_t number = 0; number < NumberCount; ++number) {
        auto* box = new QSpinBox(form->parentWidget());
        const bool zero = *lines[number].zero != 0;
        box->setRange(zero ? 0 : 1, lines[number].most);
        if (zero)
            box->setSpecialValueText(tr(lines[number].zero));
        box->setToolTip(tr(lines[number].tip));
        box->setAccessibleName(tr(lines[number].name));
        box->setValue(number == Batch ? int(EngineOptions{}.batch) : 0);
        connect(box, &QSpinBox::valueChanged, this, &EngineForm::update);
        form->addRow(tr(lines[number].name), box);
        m_numbers[number] = box;
    }
}

EngineOptions EngineForm::options() const
{
    const auto at = [this](Choice choice) { return m_choices[choice]->currentIndex(); };
    const auto number = [this](Number which) { return static_cast<std::uint32_t>(m_numbers[which]->value()); };
    EngineOptions options;
    options.numerics = Numerics(at(NumericsChoice));
    options.isa = Isa(at(IsaChoice));
    options.activations = Activations(at(ActivationsChoice));
    options.kv = KvType(at(KvChoice));
    options.breaker = Breaker(at(BreakerChoice));
    options.threads = number(Threads);
    options.batch = number(Batch);
    options.context = number(Context);
    return options;
}

void EngineForm::setOptions(const EngineOptions& options)
{
    const std::array<int, ChoiceCount> choices{
        int(options.numerics), int(options.isa), int(options.activations), int(options.kv), int(options.breaker)};
    for (std::size_t choice = 0; choice < ChoiceCount; ++choice)
        m_choices[choice]->setCurrentIndex(choices[choice]);
    const std::array<std::uint32_t, NumberCount> numbers{options.threads, options.batch, options.context};
    for (std::size_t number = 0; number < NumberCount; ++number)
        m_numbers[number]->setValue(static_cast<int>(numbers[number]));
}

void EngineForm::resetToDefaults()
{
    setOptions({});
}

bool EngineForm::isFolded() const
{
    return !m_fold->isChecked();
}

void EngineForm::setFolded(bool folded)
{
    m_fold->setChecked(!folded);
    m_fold->setArrowType(folded ? Qt::RightArrow : Qt::DownArrow);
    m_fields->setVisible(!folded);
    update();
}

QString EngineForm::summary(const EngineOptions& options)
{
    const EngineOptions usual;
    QStringList parts{named(name(options.numerics))};
    if (options.isa != usual.isa)
        parts << named(name(options.isa));
    if (options.activations != usual.activations)
        parts << tr("%1 activations").arg(named(name(options.activations)));
    if (options.kv != usual.kv)
        parts << tr("%1 cache").arg(named(name(options.kv)));
    if (options.breaker != usual.breaker)
        parts << tr("not finite: %1").arg(named(name(options.breaker)));
    if (options.threads != usual.threads)
        parts << tr("threads %1").arg(options.threads);
    if (options.batch != usual.batch)
        parts << tr("batch %1").arg(options.batch);
    if (options.context != usual.context)
        parts << tr("context %1").arg(options.context);
    return parts.join(QStringLiteral(", "));
}

void EngineForm::update()
{
    const QString text = tr("Engine: %1").arg(summary(options()));
    m_fold->setText(isFolded() ? text : tr("Engine"));
    m_fold->setAccessibleName(text);
    emit changed();
}

} // namespace colibri
