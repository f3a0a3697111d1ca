// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/exportreport.h"

#include "models/parttext.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>

#include <cmath>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ExportReport)
};

using Row = std::vector<Cell>;

Cell bytesCell(std::uint64_t bytes)
{
    return Cell::number(bytesText(bytes), bytes, exactBytes(bytes));
}

Cell countCell(std::uint64_t count)
{
    return Cell::number(groupedText(count), count);
}

/// A share in percent that says 100 % of all and 0 % of none only.
QString percentText(std::uint64_t part, std::uint64_t whole)
{
    if (whole == 0)
        return {};
    const double percent = 100 * double(part) / double(whole);
    if (part > 0 && percent < 0.05)
        return Words::tr("< 0.1 %");
    if (part < whole && percent > 99.95)
        return Words::tr("> 99.9 %");
    return Words::tr("%1 %").arg(QLocale().toString(percent, 'f', 1));
}

QString shareText(std::uint64_t part, std::uint64_t whole)
{
    if (whole == 0)
        return Words::tr("none");
    return Words::tr("%1 of %2, %3").arg(groupedText(part), groupedText(whole), percentText(part, whole));
}

/// A value of any size with three figures.
QString smallText(double value)
{
    if (std::isnan(value))
        return Words::tr("not a number");
    if (value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e4))
        return QLocale().toString(value, 'e', 2);
    return value == 0 ? QStringLiteral("0") : QLocale().toString(value, 'g', 3);
}

Cell smallCell(double value)
{
    return {smallText(value), QVariant(value)};
}

QString timesText(std::uint64_t bytes, std::uint64_t source)
{
    return source > 0 ? Words::tr("%1 \u00d7").arg(QLocale().toString(double(bytes) / double(source), 'f', 2))
                      : QString();
}

Row sizeRow(std::optional<DType> dtype, const ExportSizeFacts& size, std::uint64_t sourceBytes)
{
    const QString name = exportChoiceText(dtype);
    if (size.refusal) {
        const QString why = QString::fromStdString(size.refusal->why);
        Row row(6, Cell{QStringLiteral("\u2013"), QVariant(std::nan("")), why});
        row[0] = {name, {}, why};
        return row;
    }
    const double times = sourceBytes > 0 ? double(size.total) / double(sourceBytes) : 0;
    return {{name}, bytesCell(size.dense), bytesCell(size.experts), countCell(size.files), bytesCell(size.total),
        {timesText(size.total, sourceBytes), QVariant(times)}};
}

std::vector<Row> writtenRows(const ExportReportFacts& report)
{
    const auto rate = report.seconds > 0 ? static_cast<std::uint64_t>(double(report.bytesWritten) / report.seconds) : 0;
    const QString times = timesText(report.bytesWritten, report.sourceBytes);
    return {
        {{Words::tr("Folder")}, {QDir::toNativeSeparators(report.out)}},
        {{Words::tr("Source")}, {QDir::toNativeSeparators(report.source)}},
        {{Words::tr("Matrices")}, {exportChoiceText(report.dtype)}},
        {{Words::tr("Size")},
            {times.isEmpty() ? bytesText(report.bytesWritten)
                             : Words::tr("%1, %2 the source").arg(bytesText(report.bytesWritten), times),
                QVariant::fromValue<qulonglong>(report.bytesWritten), exactBytes(report.bytesWritten)}},
        {{Words::tr("Contents")},
            {Words::tr("tensors %1, expert files %2").arg(groupedText(report.tensors), groupedText(report.experts))}},
        {{Words::tr("Time")},
            {Words::tr("%1, %2/s").arg(durationText(report.seconds), bytesText(rate)), QVariant(report.seconds)}},
    };
}

std::vector<Row> tableRows(const ExportTableFacts& table)
{
    return {
        {{Words::tr("Kind")},
            {table.exact ? Words::tr("exact: the routing depends on the token alone")
                         : Words::tr("profiled: the most frequent experts of each token")}},
        {{Words::tr("Token ids seen")}, {shareText(table.rowsSeen, table.rows)}},
        {{Words::tr("Decisions reproduced")},
            {shareText(table.reproduced, table.decisions), {},
                Words::tr("Decisions of the live router over the text, one for each token and layer, that the table "
                          "makes alike")}},
        {{Words::tr("Near ties")},
            {Words::tr("%1, margin below %2").arg(groupedText(table.nearTies), smallText(table.nearTie)),
                QVariant::fromValue<qulonglong>(table.nearTies)}},
    };
}

QString differenceText(const ExportAgreementFacts::Difference& first)
{
    const QString token = first.token.isEmpty()
        ? QString()
        : Words::tr(" \u201c%1\u201d").arg(QString(first.token).replace(u'\n', u'\u21b5'));
    return Words::tr("token %1%2, layer %3, margin %4")
        .arg(QString::number(first.position), token, QString::number(first.layer), smallText(first.margin));
}

QString lossText(double loss)
{
    return std::isnan(loss) ? Words::tr("none") : Words::tr("%1 nats a token").arg(QLocale().toString(loss, 'f', 4));
}

/// The loss of an export with how much more it is than the source's.
QString lossText(double loss, double source)
{
    const double more = loss - source;
    if (std::isnan(more))
        return lossText(loss);
    if (more == 0)
        return Words::tr("%1, the same").arg(lossText(loss));
    const QString sign = more < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
    return Words::tr("%1, %2%3").arg(lossText(loss), sign, smallText(std::abs(more)));
}

std::vector<Row> agreementRows(const ExportAgreementFacts& agreement)
{
    return {
        {{Words::tr("Tokens")}, countCell(agreement.tokens)},
        {{Words::tr("Same experts")},
            {shareText(agreement.sameExperts, agreement.decisions), {},
                Words::tr("Decisions, one for each token and layer")}},
        {{Words::tr("First difference")},
            {agreement.firstDifference ? differenceText(*agreement.firstDifference) : Words::tr("none")}},
        {{Words::tr("Router logits differ by")}, smallCell(agreement.maxRouterLogitDifference)},
        {{Words::tr("Logits differ by")}, smallCell(agreement.maxLogitDifference)},
        {{Words::tr("NMSE of logits")}, smallCell(agreement.logitNmse)},
        {{Words::tr("Same greedy token")}, {shareText(agreement.sameGreedy, agreement.tokens)}},
        {{Words::tr("Loss of the source")}, {lossText(agreement.sourceLoss), QVariant(agreement.sourceLoss)}},
        {{Words::tr("Loss of the export")},
            {lossText(agreement.exportLoss, agreement.sourceLoss), QVariant(agreement.exportLoss)}},
    };
}

} // namespace

QString exportChoiceText(std::optional<DType> dtype)
{
    return dtype ? QString::fromLatin1(name(*dtype).data(), qsizetype(name(*dtype).size()))
                 : Words::tr("as in the source");
}

std::vector<std::vector<Cell>> exportSizeRows(const ExportPlanFacts& plan, bool withTable)
{
    std::vector<Row> rows;
    for (std::size_t choice = 0; choice < exportChoices.size(); ++choice) {
        const ExportPlanFacts::Row& row = plan.rows[choice];
        rows.push_back(sizeRow(exportChoices[choice], withTable ? row.withTable : row.plain, plan.sourceBytes));
    }
    return rows;
}

std::vector<ExportSection> exportSections(const ExportReportFacts& report)
{
    std::vector<ExportSection> sections{{Words::tr("Written"), writtenRows(report)}};
    if (report.table)
        sections.push_back({Words::tr("Routing table"), tableRows(*report.table)});
    if (report.agreement)
        sections.push_back({Words::tr("Agreement with the source"), agreementRows(*report.agreement)});
    return sections;
}

QString plainText(const ExportReportFacts& report)
{
    QStringList lines;
    for (const ExportSection& section : exportSections(report)) {
        lines << section.title;
        for (const Row& row : section.rows)
            lines << row[0].text + u'\t' + row[1].text;
    }
    if (!report.agreementNote.isEmpty())
        lines << report.agreementNote;
    lines << report.notes;
    return lines.join(u'\n');
}

QString shortText(const ExportAgreementFacts& agreement)
{
    return Words::tr("same experts %1").arg(shareText(agreement.sameExperts, agreement.decisions));
}

QString shortText(const ExportReportFacts& report)
{
    const QString bytes = bytesText(report.bytesWritten);
    return report.agreement ? Words::tr("%1; %2").arg(bytes, shortText(*report.agreement)) : bytes;
}

} // namespace colibri
