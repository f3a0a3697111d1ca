// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/opening/openingpage.h"

#include "stores/units.h"
#include "views/opening/expertmapview.h"
#include "views/problem/problempanel.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace colibri {
namespace {

constexpr int barSteps = 1000;

QLabel* selectableLabel(const QString& objectName)
{
    auto* const label = new QLabel;
    label->setObjectName(objectName);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace

OpeningPage::OpeningPage(const OpenStore& store, QWidget* parent)
    : QWidget(parent)
    , m_store(store)
{
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(grid::page, grid::page, grid::page, grid::page);
    layout->setSpacing(grid::wide);
    m_map = new ExpertMapView(store);
    m_legendPanel = makeLegend();
    layout->addWidget(makeHeader());
    layout->addWidget(makeProblemPanel());
    layout->addWidget(m_map, 1);
    layout->addWidget(m_legendPanel);
    layout->addWidget(makeProgress());
    layout->addStretch();
    connect(&store, &OpenStore::stateChanged, this, &OpeningPage::showState);
    connect(&store, &OpenStore::progressed, this, &OpeningPage::showProgress);
    showState();
    showProgress();
}

QWidget* OpeningPage::makeHeader()
{
    auto* const header = new QWidget;
    auto* const layout = new QVBoxLayout(header);
    layout->setContentsMargins({});
    m_title = new QLabel;
    m_title->setObjectName(QStringLiteral("openingTitle"));
    QFont font = m_title->font();
    font.setPointSizeF(font.pointSizeF() * 1.5);
    m_title->setFont(font);
    m_path = selectableLabel(QStringLiteral("openingPath"));
    layout->addWidget(m_title);
    layout->addWidget(m_path);
    return header;
}

QWidget* OpeningPage::makeLegend()
{
    auto* const legend = new QWidget;
    auto* const layout = new QHBoxLayout(legend);
    layout->setContentsMargins({});
    layout->setSpacing(grid::wide);
    for (QLabel*& label : m_legend) {
        label = new QLabel;
        label->setTextFormat(Qt::RichText);
        layout->addWidget(label);
    }
    layout->addStretch();
    return legend;
}

QWidget* OpeningPage::makeProgress()
{
    m_progressPanel = new QWidget;
    auto* const layout = new QHBoxLayout(m_progressPanel);
    layout->setContentsMargins({});
    layout->setSpacing(grid::unit);
    m_bar = new QProgressBar;
    m_bar->setObjectName(QStringLiteral("openingBar"));
    m_bar->setAccessibleName(tr("Progress of the opening"));
    m_bar->setTextVisible(false);
    m_numbers = new QLabel;
    m_numbers->setObjectName(QStringLiteral("openingNumbers"));
    m_numbers->setFont(monospaceFont());
    m_cancel = shortcutButton(QStringLiteral("cancelOpening"), tr("Cancel"), tr("Cancel the opening"), Qt::Key_Escape);
    setFocusProxy(m_cancel);
    connect(m_cancel, &QPushButton::clicked, this, &OpeningPage::cancelRequested);
    layout->addWidget(m_bar, 1);
    layout->addWidget(m_numbers);
    layout->addWidget(m_cancel);
    return m_progressPanel;
}

QWidget* OpeningPage::makeProblemPanel()
{
    m_problem = new ProblemPanel(QStringLiteral("error"));
    m_back = shortcutButton(QStringLiteral("backFromError"), tr("Back"), tr("Back to where you came from"),
        QKeySequence(Qt::ALT | Qt::Key_Left));
    connect(m_back, &QPushButton::clicked, this, &OpeningPage::backRequested);
    connect(m_problem, &ProblemPanel::retryRequested, this, &OpeningPage::retryRequested);
    m_problem->addButton(m_back);
    return m_problem;
}

void OpeningPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showProgress();
}

void OpeningPage::showState()
{
    const bool failed = m_store.state() == OpenStore::State::Failed;
    m_title->setText(failed ? tr("This could not be opened") : tr("Opening"));
    m_path->setText(m_store.path());
    m_progressPanel->setVisible(!failed);
    m_problem->setVisible(failed);
    m_map->setVisible(!failed || m_store.layers() > 0);
    m_legendPanel->setVisible(!failed || m_store.layers() > 0);
    m_cancel->setEnabled(m_store.state() == OpenStore::State::Opening);
    if (failed)
        showError(*m_store.error());
}

void OpeningPage::showProgress()
{
    const std::uint64_t total = m_store.bytesTotal();
    m_bar->setRange(0, total > 0 ? barSteps : 0);
    m_bar->setValue(total > 0 ? static_cast<int>(double(m_store.bytesDone()) / double(total) * barSteps) : 0);
    const QLocale locale;
    m_numbers->setText(tr("%1 of %2   %3/s   %4 s")
                           .arg(bytesText(m_store.bytesDone()), total > 0 ? bytesText(total) : tr("unknown"),
                               bytesText(static_cast<std::uint64_t>(m_store.bytesPerSecond())),
                               locale.toString(m_store.elapsedSeconds(), 'f', 1)));
    const auto counts = countStates(m_store.expertStates());
    const ExpertStateColors colors = expertStateColors(schemeOf(palette()));
    for (std::size_t state = 0; state < m_legend.size(); ++state)
        m_legend[state]->setText(QStringLiteral("<span style='color:%1'>\u25A0</span> %2 %3")
                                     .arg(QColor::fromRgb(colors[state]).name(), expertStateName(ExpertState(state)))
                                     .arg(counts[state]));
}

void OpeningPage::showError(const Error& error)
{
    m_problem->setError(error);
    m_back->setFocus();
}

} // namespace colibri
