// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/exportprogress.h"

#include "models/exportreport.h"
#include "models/parttext.h"
#include "views/export/exportpage.h"
#include "views/model/fittedtable.h"
#include "views/theme/theme.h"

#include <QDir>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace colibri {
namespace {

constexpr int barSteps = 1000;

QString amountText(const Task& task)
{
    const bool bytes = task.unit == QLatin1String("B");
    const auto amount = [bytes](double value) {
        const auto whole = static_cast<std::uint64_t>(value);
        return bytes ? bytesText(whole) : groupedText(whole);
    };
    const QString text =
        task.total > 0 ? ExportProgress::tr("%1 of %2").arg(amount(task.done), amount(task.total)) : amount(task.done);
    return bytes ? text : QStringLiteral("%1 %2").arg(text, task.unit);
}

/// What stands under the bar: amounts, rate, time left.
QString numbersText(const Task& task)
{
    QStringList parts{amountText(task)};
    if (task.rate() > 0 && task.done > 0)
        parts << (task.unit == QLatin1String("B")
                ? ExportProgress::tr("%1/s").arg(bytesText(static_cast<std::uint64_t>(task.rate())))
                : ExportProgress::tr("%1 %2/s").arg(task.rate(), 0, 'f', 1).arg(task.unit));
    parts << durationText(task.seconds);
    if (const QString left = durationText(task.secondsLeft()); !left.isEmpty())
        parts << ExportProgress::tr("%1 left").arg(left);
    return parts.join(QStringLiteral("   "));
}

QString profileText(const ExportSpec& spec)
{
    if (!spec.table)
        return ExportProgress::tr("none");
    const std::array<QString, 3> texts{ExportProgress::tr("over the built-in text"),
        ExportProgress::tr("over a text of your own"),
        ExportProgress::tr("over %1").arg(QDir::toNativeSeparators(spec.textFile))};
    return texts[std::size_t(spec.profile)];
}

/// What has not begun, is under way and is done.
constexpr std::array<const char*, 3> stepSigns{"\u00b7", "\u25b8", "\u2713"};

} // namespace

ExportProgress::ExportProgress(const ExportStore& store, TaskStore& tasks, QWidget* parent)
    : QWidget(parent)
    , m_store(store)
    , m_tasks(tasks)
    , m_title(pageTitle(tr("Exporting"), this))
    , m_facts(new CellTable({tr("Property"), tr("Value")}, CellTable::Form::Properties, this))
    , m_factsView(new FittedTable(tr("Export under way"), this))
    , m_bar(new QProgressBar(this))
    , m_numbers(new QLabel(this))
{
    m_factsView->setModel(m_facts);
    m_factsView->setStretchColumn(1);
    m_factsView->setShowsAllRows();
    m_factsView->horizontalHeader()->hide();
    m_bar->setObjectName(QStringLiteral("exportBar"));
    m_bar->setAccessibleName(tr("Progress of the export"));
    m_bar->setTextVisible(false);
    m_numbers->setObjectName(QStringLiteral("exportNumbers"));
    m_numbers->setFont(monospaceFont());
    auto* const column = pageColumn(this);
    column->addWidget(m_title);
    column->addWidget(m_factsView);
    column->addSpacing(grid::unit);
    column->addWidget(makeSteps());
    column->addSpacing(grid::unit);
    column->addWidget(m_bar);
    column->addWidget(m_numbers);
    column->addStretch();
    column->addWidget(makeButtons());
    connect(&store, &ExportStore::stateChanged, this, &ExportProgress::showState);
    connect(&tasks, &TaskStore::changed, this, &ExportProgress::showTask);
    showState();
}

QWidget* ExportProgress::makeSteps()
{
    auto* const steps = new QWidget(this);
    auto* const rows = new QGridLayout(steps);
    rows->setContentsMargins({});
    rows->setSpacing(grid::half);
    rows->setColumnMinimumWidth(0, grid::wide);
    rows->setColumnStretch(1, 1);
    int row = 0;
    for (Step* const step : {&m_write, &m_compare}) {
        step->sign = new QLabel(steps);
        step->text = new QLabel(steps);
        rows->addWidget(step->sign, row, 0, Qt::AlignHCenter);
        rows->addWidget(step->text, row++, 1);
    }
    return steps;
}

QWidget* ExportProgress::makeButtons()
{
    auto* const buttons = new QWidget(this);
    auto* const row = new QHBoxLayout(buttons);
    row->setContentsMargins({});
    row->setSpacing(grid::unit);
    auto* const note = new QLabel(tr("It goes on when this is closed; the list of tasks has it, too."), buttons);
    note->setWordWrap(true);
    m_cancel = new QPushButton(buttons);
    m_cancel->setObjectName(QStringLiteral("cancelExport"));
    m_cancel->setAutoDefault(false);
    auto* const close = new QPushButton(tr("Close"), buttons);
    close->setObjectName(QStringLiteral("hideExport"));
    close->setAccessibleName(tr("Close"));
    close->setToolTip(tr("Close; the export goes on (Escape)"));
    close->setAutoDefault(false);
    row->addWidget(note, 1);
    row->addWidget(m_cancel);
    row->addWidget(close);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_cancel->setEnabled(false);
        m_tasks.cancel(m_store.task());
    });
    connect(close, &QPushButton::clicked, this, &ExportProgress::closeRequested);
    setFocusProxy(close);
    return buttons;
}

void ExportProgress::showState()
{
    if (!m_store.busy())
        return;
    const bool writing = m_store.state() == ExportStore::State::Writing;
    const ExportSpec& spec = m_store.spec();
    showFacts();
    m_write.sign->setText(QString::fromUtf8(stepSigns[writing ? 1 : 2]));
    m_write.text->setText(spec.table ? tr("Make the routing table and write") : tr("Write"));
    m_compare.sign->setText(QString::fromUtf8(stepSigns[writing ? 0 : 1]));
    m_compare.text->setText(tr("Compare with the source"));
    for (QLabel* const label : {m_compare.sign, m_compare.text})
        label->setVisible(spec.checkTokens > 0);
    m_cancel->setText(writing ? tr("Ca&ncel the export") : tr("&Leave out the comparison"));
    m_cancel->setAccessibleName(writing ? tr("Cancel the export") : tr("Leave out the comparison"));
    m_cancel->setToolTip(writing ? tr("Stop; nothing is left of it") : tr("The export is written and stays"));
    m_cancel->setEnabled(true);
    const auto& tasks = m_tasks.tasks();
    const auto at = std::ranges::find(tasks, m_store.task(), &Task::id);
    if (at != tasks.end())
        showTask(static_cast<int>(at - tasks.begin()));
}

void ExportProgress::showFacts()
{
    const ExportSpec& spec = m_store.spec();
    const auto row = [](const QString& name, const QString& value) { return std::vector<Cell>{{name}, {value}}; };
    m_facts->setRows({row(tr("Source"), QDir::toNativeSeparators(m_store.source())),
        row(tr("Folder"), QDir::toNativeSeparators(spec.out)), row(tr("Matrices"), exportChoiceText(spec.dtype)),
        row(tr("Routing table"), profileText(spec)),
        row(tr("Compare over"),
            spec.checkTokens > 0 ? tr("up to %1 tokens").arg(groupedText(std::uint64_t(spec.checkTokens)))
                                 : tr("nothing"))});
    m_factsView->fitColumns();
}

void ExportProgress::showTask(int row)
{
    const Task& task = m_tasks.tasks()[std::size_t(row)];
    if (task.id != m_store.task() || task.ended())
        return;
    m_bar->setRange(0, task.total > 0 ? barSteps : 0);
    m_bar->setValue(task.total > 0 ? static_cast<int>(std::min(1., task.done / task.total) * barSteps) : 0);
    m_numbers->setText(numbersText(task));
}

} // namespace colibri
