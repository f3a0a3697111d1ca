// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/tokendetails.h"

#include "views/run/routerbars.h"
#include "views/run/tokenglyphs.h"
#include "views/theme/theme.h"
#include "views/theme/tips.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace colibri {

/// A value whose lines are elided where they have no room; all of it then stands above its tool tip.
class ValueLabel : public QLabel {
public:
    explicit ValueLabel(QWidget* parent)
        : QLabel(parent)
    {
        setFont(monospaceFont());
        setTextFormat(Qt::PlainText);
        setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // what is too long moves nothing
        setMinimumWidth(12 * grid::unit);
    }

    void setValue(const QString& value)
    {
        m_value = value;
        fit();
    }

protected:
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::ToolTip)
            return QLabel::event(event);
        showElidedTip(*static_cast<QHelpEvent*>(event), *this, m_value, text() != m_value);
        return true;
    }
    void resizeEvent(QResizeEvent* event) override
    {
        QLabel::resizeEvent(event);
        fit();
    }

private:
    void fit()
    {
        QStringList lines = m_value.split(u'\n');
        for (QString& line : lines)
            line = fontMetrics().elidedText(line, Qt::ElideRight, contentsRect().width());
        const QString fitted = lines.join(u'\n');
        if (fitted != text())
            setText(fitted);
    }

    QString m_value;
};

namespace {

enum Page { EmptyPage, ReportPage };

/// A line for each chosen expert, best first; two on a line from five on.
QString chosenLines(const TokenReport& report)
{
    if (report.chosen.empty())
        return TokenReportText::experts(report);
    const bool pairs = report.chosen.size() > 4;
    QString lines;
    for (std::size_t rank = 0; rank < report.chosen.size(); ++rank) {
        const TokenReport::Chosen& chosen = report.chosen[rank];
        if (rank > 0)
            lines += pairs && rank % 2 == 1 ? QStringLiteral("  ") : QStringLiteral("\n");
        lines += QStringLiteral("%1 %2%3")
                     .arg(chosen.expert, 3)
                     .arg(weightText(chosen.weight), chosen.zeroed ? QStringLiteral("\u2717") : QStringLiteral(" "));
    }
    return lines;
}

QString timeMeaning()
{
    return TokenDetails::tr("Computing time of the step in which the token went through the layers");
}

QString byteLines(const QByteArray& bytes)
{
    constexpr int perLine = 8;
    constexpr int mostLines = 3;
    if (bytes.isEmpty())
        return TokenDetails::tr("none");
    QStringList lines;
    for (qsizetype at = 0; at < bytes.size() && lines.size() < mostLines; at += perLine)
        lines += hexBytes(bytes.mid(at, perLine));
    if (bytes.size() > perLine * mostLines)
        lines.last() += QStringLiteral(" \u2026");
    return lines.join(u'\n');
}

} // namespace

TokenDetails::TokenDetails(const RunStore& run, SelectionStore& selection, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_selection(selection)
    , m_pages(new QStackedWidget(this))
{
    m_pages->addWidget(makeEmpty());
    auto* report = new QWidget(m_pages);
    auto* column = new QVBoxLayout(report);
    column->setContentsMargins(grid::unit, grid::unit, grid::unit, 0);
    column->setSpacing(grid::unit);
    column->addWidget(makeFacts());
    column->addWidget(makeBarHeader());
    m_logitState = new QLabel(report);
    m_logitState->setWordWrap(true);
    m_logitState->setAccessibleName(tr("State of the router logits"));
    column->addWidget(m_logitState);
    m_bars = new RouterBars(selection, report);
    column->addWidget(m_bars, 1);
    m_legend =
        new QLabel(tr("\u25cf chosen, \u25cb first rejected, \u2717 zeroed; dashed: the logits of the last chosen and "
                      "the first rejected. Bars begin at the least logit."),
            report);
    m_legend->setWordWrap(true);
    m_legend->setForegroundRole(QPalette::PlaceholderText);
    m_legend->setAccessibleName(tr("Legend of the router logits"));
    column->addWidget(m_legend);
    m_pages->addWidget(report);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_pages);

    connect(&selection, &SelectionStore::changed, this, &TokenDetails::refresh);
    connect(&run, &RunStore::reset, this, &TokenDetails::refresh);
    connect(&run, &RunStore::tokensAppended, this, &TokenDetails::refresh);
    connect(&run, &RunStore::routedAdvanced, this, &TokenDetails::refresh);
    connect(&run, &RunStore::timingsAdvanced, this, &TokenDetails::refresh);
    connect(m_layer, &QSpinBox::valueChanged, this, &TokenDetails::chooseLayer);
    connect(m_order, &QComboBox::currentIndexChanged, this, [this] { m_bars->setOrder(order()); });
    connect(m_newest, &QPushButton::clicked, this, [this] { m_selection.select({m_run.tokens() - 1, 0, -1, -1}); });
    setAccessibleName(tr("Details of the selected token"));
    m_bars->setOrder(order());
    refresh();
}

QWidget* TokenDetails::makeEmpty()
{
    auto* page = new QWidget(m_pages);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(grid::wide, grid::wide, grid::wide, grid::wide);
    m_hint = new QLabel(page);
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignHCenter);
    m_newest = new QPushButton(tr("Show the &newest token"), page);
    m_newest->setToolTip(tr("Selects the last token in the text and in the grid"));
    column->addStretch();
    column->addWidget(m_hint);
    column->addSpacing(grid::unit);
    column->addWidget(m_newest, 0, Qt::AlignHCenter);
    column->addStretch();
    return page;
}

QWidget* TokenDetails::makeFacts()
{
    const std::array<QString, FieldCount> names{
        tr("Token"), tr("Id"), tr("Bytes"), tr("Position"), tr("Time"), tr("Experts"), tr("Margin")};
    const std::array<QString, FieldCount> tips{tr("What the token adds to the text"),
        tr("Number of the token in the vocabulary"), tr("Bytes of the token, hexadecimal"),
        tr("Place in the run, counted from 0"), timeMeaning(),
        tr("Chosen experts, best first, with the weights of their outputs"),
        tr("Last chosen minus first rejected selection score; a small one can flip on another machine")};
    auto* facts = new QWidget(this);
    auto* form = new QFormLayout(facts);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(grid::wide);
    form->setVerticalSpacing(grid::half);
    form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    for (std::size_t field = 0; field < FieldCount; ++field) {
        m_fields[field] = new ValueLabel(facts);
        m_fields[field]->setAccessibleName(names[field]);
        m_fields[field]->setToolTip(tips[field]);
        form->addRow(names[field], m_fields[field]);
    }
    m_layer = new QSpinBox(facts);
    m_layer->setAccessibleName(tr("Layer"));
    m_layer->setToolTip(tr("Layer whose decision is shown; the grid follows"));
    form->insertRow(Experts, tr("La&yer"), m_layer);
    return facts;
}

QWidget* TokenDetails::makeBarHeader()
{
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::half);
    m_order = new QComboBox(header);
    m_order->addItem(tr("by value"), QVariant::fromValue(static_cast<int>(BarOrder::ByValue)));
    m_order->addItem(tr("by expert"), QVariant::fromValue(static_cast<int>(BarOrder::ByExpert)));
    m_order->setAccessibleName(tr("Order of the router logits"));
    m_order->setToolTip(tr("How the rows below are sorted"));
    auto* title = new QLabel(tr("Ro&uter logits"), header);
    title->setBuddy(m_order);
    row->addWidget(title);
    row->addWidget(m_order);
    row->addStretch();
    const auto addButton = [&](const QString& text, const QString& tip, void (TokenDetails::*slot)() const) {
        auto* button = new QToolButton(header);
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        connect(button, &QToolButton::clicked, this, slot);
        row->addWidget(button);
    };
    addButton(tr("Copy"), tr("Copy all details as text"), &TokenDetails::copyText);
    addButton(tr("CSV"), tr("Copy the router logits as CSV"), &TokenDetails::copyCsv);
    return header;
}

BarOrder TokenDetails::order() const
{
    return static_cast<BarOrder>(m_order->currentData().toInt());
}

void TokenDetails::refresh()
{
    const Selection& at = m_selection.selection();
    const int layers = m_run.record() ? static_cast<int>(m_run.record()->shape().layers) : 0;
    if (at.token >= 0 && at.token < m_run.tokens() && at.layer < layers)
        m_report = makeTokenReport(m_run, at.token, std::max(0, at.layer));
    else
        m_report.reset();
    show();
}

void TokenDetails::show()
{
    m_pages->setCurrentIndex(m_report ? ReportPage : EmptyPage);
    m_newest->setVisible(m_run.tokens() > 0);
    m_hint->setText(m_run.tokens() > 0
            ? tr("Choose a token in the text or a cell of the grid to see how it was routed.")
            : tr("Once a run has made tokens, the one you choose is explained here: its experts, their weights, the "
                 "margin and all router logits."));
    m_bars->setReport(m_report, m_run.record() ? m_run.record()->shape().experts : 0);
    if (!m_report)
        return;
    const TokenReport& report = *m_report;
    const std::array<QString, FieldCount> texts{TokenReportText::token(report), QString::number(report.piece.id),
        byteLines(report.piece.bytes), TokenReportText::place(report), TokenReportText::time(report),
        chosenLines(report), TokenReportText::margin(report)};
    for (std::size_t field = 0; field < FieldCount; ++field)
        m_fields[field]->setValue(texts[field]);
    const QString stages = TokenReportText::stages(report);
    m_fields[Time]->setToolTip(stages.isEmpty() ? timeMeaning() : stages);
    const QSignalBlocker quiet(m_layer);
    m_layer->setRange(0, static_cast<int>(m_run.record()->shape().layers) - 1);
    m_layer->setValue(report.layer);
    m_logitState->setText(TokenReportText::logitState(report));
    m_logitState->setVisible(report.logitState != LogitState::Held);
    m_legend->setVisible(report.logitState == LogitState::Held);
}

void TokenDetails::chooseLayer(int layer)
{
    if (m_report)
        m_selection.select({m_report->position, layer, -1, -1});
}

void TokenDetails::copyText() const
{
    if (m_report)
        QApplication::clipboard()->setText(TokenReportText::plain(*m_report, order()));
}

void TokenDetails::copyCsv() const
{
    if (m_report)
        QApplication::clipboard()->setText(TokenReportText::csv(*m_report, order()));
}

} // namespace colibri
