// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/comparebar.h"

#include "views/run/engineform.h"
#include "views/run/samplingform.h"
#include "views/theme/elided.h"
#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace colibri {
namespace {

constexpr int shownCharacters = 16;

QString quoted(const RunStore& run, int position)
{
    const TokenPiece& piece = run.piece(position);
    QString text = piece.special ? QString::fromUtf8(piece.bytes) : piece.text;
    if (text.isEmpty() && !piece.bytes.isEmpty())
        return QStringLiteral("0x") + QString::fromLatin1(piece.bytes.toHex());
    text.replace(u'\n', QChar(0x21B5)).replace(u'\t', QChar(0x21E5));
    return CompareBar::tr("\u201C%1\u201D").arg(text.left(shownCharacters));
}

ElidedButton* makeLink(const QString& name, const QString& toolTip, QWidget* parent)
{
    auto* const button = new ElidedButton(parent);
    button->setObjectName(name);
    button->setToolTip(toolTip);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

CompareBar::CompareBar(
    const RunStore& run, const RunStore& kept, SelectionStore& selection, QAction* drop, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
    , m_kept(kept)
    , m_selection(selection)
    , m_what(new ElidedLabel(this))
    , m_token(makeLink(QStringLiteral("firstToken"), tr("Select the first token that differs"), this))
    , m_decision(
          makeLink(QStringLiteral("firstDecision"), tr("Select the first decision that chose other experts"), this))
{
    m_what->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_what->setToolTip(tr("The run that was kept, shown on the right"));
    auto* const button = new ElidedButton(this);
    button->setDefaultAction(drop);
    button->setFocusPolicy(Qt::StrongFocus);
    auto* const what = new QHBoxLayout;
    what->addWidget(m_what);
    what->addStretch(1);
    what->addWidget(button);
    auto* const lines = new QVBoxLayout(this); // each on its own, always: texts that grow during a run move nothing
    lines->setContentsMargins(grid::unit, grid::half, grid::unit, grid::half);
    lines->setSpacing(0);
    lines->addLayout(what);
    lines->addWidget(m_token, 0, Qt::AlignLeft);
    lines->addWidget(m_decision, 0, Qt::AlignLeft);
    connect(m_token, &QToolButton::clicked, this,
        [this] { m_selection.select({.token = m_difference.token().value_or(-1), .layer = 0}); });
    connect(m_decision, &QToolButton::clicked, this, [this] {
        if (const auto decision = m_difference.decision())
            m_selection.select({.token = decision->token, .layer = decision->layer});
    });
    for (const RunStore* const store : {&run, &kept}) {
        connect(store, &RunStore::reset, this, &CompareBar::restart);
        connect(store, &RunStore::tokensAppended, this, &CompareBar::extend);
        connect(store, &RunStore::routedAdvanced, this, &CompareBar::extend);
    }
    restart();
}

void CompareBar::restart()
{
    m_difference.restart(m_run, m_kept);
    show();
}

void CompareBar::extend()
{
    if (!m_kept.record())
        return;
    m_difference.extend(m_run, m_kept);
    show();
}

void CompareBar::show()
{
    setVisible(m_kept.record() != nullptr);
    if (!m_kept.record())
        return;
    const RunSpec& spec = m_kept.spec();
    m_what->setText(tr("Kept: %1").arg(SamplingForm::summary({spec.sampling, spec.maxTokens, spec.ignoreEndOfText})));
    m_token->setText(tokenText());
    m_token->setEnabled(m_difference.token().has_value());
    m_decision->setText(decisionText());
    m_decision->setEnabled(m_difference.decision().has_value());
}

QString CompareBar::tokenText() const
{
    if (const auto token = m_difference.token())
        return tr("First other token: %1, %2 here, %3 there")
            .arg(*token)
            .arg(quoted(m_run, *token), quoted(m_kept, *token));
    return tr("No token differs (of %1)").arg(m_difference.comparedTokens());
}

QString CompareBar::decisionText() const
{
    if (!m_difference.comparable())
        return m_run.record() ? tr("Other layers or experts: decisions cannot be compared") : QString();
    if (const auto decision = m_difference.decision())
        return tr("First other experts: token %1, layer %2").arg(decision->token).arg(decision->layer);
    return tr("The same experts everywhere");
}

} // namespace colibri
