// SPDX-License-Identifier: GPL-3.0-or-later
#include "exportwork.h"

#include "models/parttext.h"

#include <QCoreApplication>
#include <QFile>
#include <QThread>

#include <algorithm>

namespace colibri {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ExportWork)
};

constexpr qint64 longestText = 16 << 20; ///< bytes of a text file

EngineOptions engineOptions()
{
    EngineOptions options;
    options.threads = static_cast<std::uint32_t>(std::max(1, QThread::idealThreadCount() - 1));
    return options;
}

Error textError(const QString& path, Errc code, const QString& why)
{
    return {code, "read the text for the routing table", path.toStdString(), {}, why.toStdString()};
}

Result<QByteArray> textOf(const ExportSpec& spec)
{
    if (spec.profile == ExportSpec::Text::Own)
        return spec.ownText.toUtf8();
    QFile file(spec.textFile);
    if (!file.open(QIODevice::ReadOnly))
        return textError(spec.textFile, file.exists() ? Errc::Io : Errc::NotFound, file.errorString());
    if (file.size() > longestText)
        return textError(spec.textFile, Errc::OutOfRange,
            QStringLiteral("it has %1 bytes, at most %2 are read").arg(file.size()).arg(longestText));
    QByteArray text = file.readAll();
    if (file.error() != QFileDevice::NoError)
        return textError(spec.textFile, Errc::Io, file.errorString());
    if (text.trimmed().isEmpty())
        return textError(spec.textFile, Errc::OutOfRange, QStringLiteral("there is no text in it"));
    return text;
}

Result<ExportOptions> optionsOf(const Model& model, const ExportSpec& spec)
{
    ExportOptions options;
    options.dtype = spec.dtype;
    if (!spec.table)
        return options;
    options.routerTable.emplace();
    options.routerTable->engine = engineOptions();
    if (spec.profile == ExportSpec::Text::BuiltIn)
        return options;
    const auto text = textOf(spec);
    if (!text)
        return text.error();
    auto tokens = model.tokenize({text->constData(), static_cast<std::size_t>(text->size())});
    if (!tokens)
        return tokens.error();
    options.routerTable->tokens = std::move(*tokens);
    return options;
}

QString typeText(DType dtype)
{
    const std::string_view text = name(dtype);
    return QString::fromLatin1(text.data(), qsizetype(text.size()));
}

QStringList changesOf(const std::vector<TypeChange>& changes)
{
    QStringList lines;
    for (const TypeChange& change : changes) {
        const QString text = change.exact ? Words::tr("%1 becomes %2, every value stays; tensors: %3")
                                          : Words::tr("%1 is rounded to %2; tensors: %3");
        lines << text.arg(typeText(change.from), typeText(change.to)).arg(change.tensors.size());
    }
    return lines;
}

ExportSizeFacts sizeOf(const Model& model, std::optional<DType> dtype, bool table)
{
    ExportOptions options;
    options.dtype = dtype;
    if (table)
        options.routerTable.emplace();
    const auto size = plannedExport(model, options);
    ExportSizeFacts facts;
    if (size)
        facts = {size->denseBytes, size->expertBytes, size->totalBytes, size->files, changesOf(size->changes), {}};
    else
        facts.refusal = size.error();
    return facts;
}

} // namespace

Result<ExportPlanPtr> workOutExport(const Model& model, const std::stop_token& stop)
{
    const auto plan = std::make_shared<ExportPlanFacts>();
    plan->source = QString::fromStdString(model.path());
    plan->sourceBytes = sourceBytes(model);
    plan->sourceFiles = static_cast<std::uint32_t>(model.files().size());
    plan->hasTokenizer = model.hasTokenizer();
    using Table = ExportPlanFacts::Table;
    plan->table = !model.hasRouter()                             ? Table::Kept
        : model.config().architecture == Architecture::LinearMoe ? Table::Exact
                                                                 : Table::Profiled;
    for (std::size_t choice = 0; choice < exportChoices.size(); ++choice) {
        if (stop.stop_requested())
            return Error{Errc::Cancelled, "work out an export", {}, {}, "stopped"};
        plan->rows[choice] = {sizeOf(model, exportChoices[choice], false), sizeOf(model, exportChoices[choice], true)};
    }
    return ExportPlanPtr(plan);
}

Result<ExportReport> writeExport(
    const Model& model, const ExportSpec& spec, OpenProgress* progress, const std::stop_token& stop)
{
    const auto options = optionsOf(model, spec);
    if (!options)
        return options.error();
    return exportModel(model, QFile::encodeName(spec.out).toStdString(), *options, progress, stop);
}

Result<Agreement> compareExport(const ModelPtr& source, const QString& out, std::span<const TokenId> tokens,
    OpenProgress* progress, const std::stop_token& stop)
{
    const auto copy = openModel(QFile::encodeName(out).toStdString(), {LoadMode::Lazy, {}}, nullptr, stop);
    if (!copy)
        return copy.error();
    return compareModels(source, *copy, tokens, engineOptions(), progress, stop);
}

std::uint64_t sourceBytes(const Model& model)
{
    std::uint64_t sum = 0;
    for (const FileInfo& file : model.files())
        sum += file.size;
    return sum;
}

QString tokenText(const Model& model, TokenId token)
{
    return model.hasTokenizer() ? displayName(model.tokenBytes(token)) : QString();
}

void addWritten(ExportReportFacts& facts, const ExportReport& report, double seconds)
{
    facts.bytesWritten = report.bytesWritten;
    facts.tensors = report.tensors;
    facts.experts = report.experts;
    facts.seconds = seconds;
    if (const auto& table = report.table)
        facts.table = ExportTableFacts{table->exact, table->rows, table->rowsSeen, table->decisions, table->reproduced,
            table->nearTies, double(table->nearTie)};
    facts.notes << changesOf(report.changes);
    for (const std::string& note : report.notes)
        facts.notes << QString::fromStdString(note);
}

ExportAgreementFacts agreementFacts(const Agreement& agreement, const QString& firstToken)
{
    ExportAgreementFacts facts;
    facts.tokens = agreement.tokens;
    facts.decisions = agreement.decisions;
    facts.sameExperts = agreement.sameExperts;
    if (const auto& first = agreement.firstDifference)
        facts.firstDifference =
            ExportAgreementFacts::Difference{first->position, first->layer, double(first->margin), firstToken};
    facts.maxRouterLogitDifference = double(agreement.maxRouterLogitDifference);
    facts.maxLogitDifference = double(agreement.maxLogitDifference);
    facts.logitNmse = agreement.logitNmse;
    facts.sameGreedy = agreement.sameGreedy;
    facts.sourceLoss = agreement.sourceLoss;
    facts.exportLoss = agreement.exportLoss;
    return facts;
}

} // namespace colibri
