// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/modelcells.h"

#include "models/parttext.h"

#include <QCoreApplication>
#include <QLocale>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ModelReport)
};

/// As a number only where all of it is known.
Cell partial(const QString& text, std::uint64_t amount, std::uint64_t silent, const QString& toolTip)
{
    return {text, silent == 0 ? QVariant::fromValue<qulonglong>(amount) : QVariant(toolTip), toolTip, -1, true};
}

} // namespace

Cell textCell(std::string_view value)
{
    return {displayName(value)};
}

Cell countCell(std::uint64_t value)
{
    return Cell::number(groupedText(value), value);
}

Cell shortCountCell(std::uint64_t value)
{
    return Cell::number(countText(value), value, groupedText(value));
}

Cell bytesCell(std::uint64_t value)
{
    return Cell::number(bytesText(value), value, exactBytes(value));
}

Cell sizeCell(const PartSum& sum)
{
    return partial(sizeText(sum), sum.bytes, sum.sizeless, exactSize(sum));
}

Cell parametersCell(const PartSum& sum, QString (*amount)(std::uint64_t))
{
    return partial(parametersText(sum, amount), sum.parameters, sum.shapeless, exactParameters(sum));
}

Cell shareCell(const PartSum& sum, std::uint64_t whole)
{
    if (sum.sizeless > 0 && sum.sizeless == sum.tensors)
        return {sizeText(sum), {}, {}, -1, true};
    const std::uint64_t part = sum.bytes;
    const double value = whole > 0 ? double(part) / double(whole) : 0;
    const QString text = value > 0 && value < 0.0005 ? Words::tr("< 0.1 %")
                                                     : Words::tr("%1 %").arg(QLocale().toString(100 * value, 'f', 1));
    return {text, QVariant(value), {}, value};
}

PartSum sumOfAll(const ModelFacts& model)
{
    PartSum sum;
    for (const TensorInfo& tensor : model.tensors)
        sum += sumOf(tensor);
    return sum;
}

} // namespace colibri
