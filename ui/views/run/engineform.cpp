// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/engineform.h"

#include <QComboBox>
#include <QSpinBox>
#include <QStringList>

#include <algorithm>

namespace colibri {
namespace {

QString named(std::string_view name)
{
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

} // namespace

EngineForm::EngineForm(QWidget* parent)
    : FoldingForm(tr("Engine"),
        tr("Shows or hides how the engine computes: what may change speed, memory or the last bits"), parent)
{
    addChoices();
    addNumbers();
    addReset(
        tr("Puts all of these back to their defaults"), tr("Reset the engine options"), [this] { resetToDefaults(); });
    refresh();
}

void EngineForm::addChoices()
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
        auto* box = new QComboBox(this);
        for (const std::string& value : lines[choice].values)
            box->addItem(QString::fromStdString(value));
        connect(box, &QComboBox::currentIndexChanged, this, &EngineForm::refresh);
        addField(tr(lines[choice].name), tr(lines[choice].tip), box);
        m_choices[choice] = box;
    }
}

void EngineForm::addNumbers()
{
    struct Line {
        const char* name;
        const char* tip;
        const char* zero; ///< what 0 means; empty: 0 is not allowed
        const char* unit;
        int most;
    };
    static constexpr std::array<Line, NumberCount> lines{{
        {QT_TR_NOOP("Threads"), QT_TR_NOOP("Threads that compute; by default one core is left to the window"),
            QT_TR_NOOP("all but one"), "", 1024},
        {QT_TR_NOOP("Batch"), QT_TR_NOOP("Tokens of the prompt that go through the layers together"), "",
            QT_TR_NOOP(" tokens"), 65536},
        {QT_TR_NOOP("Context"),
            QT_TR_NOOP("Tokens that the KV cache has room for, of prompt and answer; by default as many as the model "
                       "was made for, at most %1"),
            QT_TR_NOOP("model's"), QT_TR_NOOP(" tokens"), 10'000'000},
    }};
    for (std::size_t number = 0; number < NumberCount; ++number) {
        auto* box = new QSpinBox(this);
        const bool zero = *lines[number].zero != 0;
        box->setRange(zero ? 0 : 1, lines[number].most);
        if (zero)
            box->setSpecialValueText(tr(lines[number].zero));
        if (*lines[number].unit != 0)
            box->setSuffix(tr(lines[number].unit));
        box->setValue(number == Batch ? int(EngineOptions{}.batch) : 0);
        connect(box, &QSpinBox::valueChanged, this, &EngineForm::refresh);
        addField(tr(lines[number].name),
            tr(lines[number].tip).replace(QLatin1String("%1"), QString::number(usualContextLimit)), box);
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

void EngineForm::setModelContext(std::uint32_t tokens)
{
    m_modelContext = tokens;
    m_numbers[Context]->setSpecialValueText(
        tokens > 0 ? tr("model's, %1").arg(std::min(tokens, usualContextLimit)) : tr("model's"));
    refresh();
}

std::uint32_t EngineForm::context() const
{
    const auto asked = static_cast<std::uint32_t>(m_numbers[Context]->value());
    return asked > 0 ? asked : std::min(m_modelContext, usualContextLimit);
}

void EngineForm::resetToDefaults()
{
    setOptions({});
}

QStringList EngineForm::parts(const EngineOptions& options)
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
    return parts;
}

void EngineForm::refresh()
{
    showSummary(summary(options()), parts(options()));
}

} // namespace colibri
