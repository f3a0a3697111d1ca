// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/profilefields.h"

#include "views/export/notelabel.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace colibri {
namespace {

using Way = ExportPlanFacts::Table;
using Text = ExportSpec::Text;

constexpr int textLines = 3;

} // namespace

ProfileFields::ProfileFields(QWidget* parent)
    : QWidget(parent)
    , m_table(new QCheckBox(tr("&Make one over"), this))
    , m_kind(new QComboBox(this))
    , m_texts(new QStackedWidget(this))
    , m_hint(new NoteLabel(QStringLiteral("exportTableHint"), m_texts))
    , m_own(new QPlainTextEdit(m_texts))
    , m_file(new QLineEdit(m_texts))
{
    m_table->setObjectName(QStringLiteral("exportTable"));
    m_table->setAccessibleName(tr("Make a routing table"));
    m_kind->setObjectName(QStringLiteral("exportTextKind"));
    m_kind->setAccessibleName(tr("Text of the routing table"));
    m_kind->addItems({tr("the built-in text"), tr("a text of your own"), tr("a text file")});
    m_kind->setToolTip(tr("What the experts of each token are counted over"));
    makeTexts();
    auto* const line = new QHBoxLayout;
    line->setSpacing(grid::unit);
    line->addWidget(m_table);
    line->addWidget(m_kind);
    line->addStretch();
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(grid::half);
    column->addLayout(line);
    column->addWidget(m_texts);
    connect(m_table, &QCheckBox::toggled, this, &ProfileFields::showState);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ProfileFields::showState);
    connect(m_own, &QPlainTextEdit::textChanged, this, &ProfileFields::changed);
    connect(m_file, &QLineEdit::textChanged, this, &ProfileFields::changed);
    showState();
}

void ProfileFields::makeTexts()
{
    m_own->setObjectName(QStringLiteral("exportOwnText"));
    m_own->setAccessibleName(tr("Text to make the routing table over"));
    m_own->setPlaceholderText(tr("A text like those that the export will read"));
    m_own->setTabChangesFocus(true);
    auto* const file = new QWidget(m_texts);
    m_file->setObjectName(QStringLiteral("exportTextFile"));
    m_file->setAccessibleName(tr("Text file to make the routing table over"));
    m_file->setPlaceholderText(tr("A file of text in UTF-8"));
    auto* const browse = new QPushButton(tr("Choose..."), file);
    browse->setAutoDefault(false);
    browse->setObjectName(QStringLiteral("chooseTextFile"));
    browse->setAccessibleName(tr("Choose the text file"));
    browse->setToolTip(tr("Choose a file of text"));
    connect(browse, &QPushButton::clicked, this, &ProfileFields::chooseFile);
    m_browse = browse;
    auto* const row = new QHBoxLayout(file);
    row->setContentsMargins({});
    row->setSpacing(grid::unit);
    row->addWidget(m_file, 1, Qt::AlignTop);
    row->addWidget(browse, 0, Qt::AlignTop);
    m_texts->addWidget(m_hint);
    m_texts->addWidget(m_own);
    m_texts->addWidget(file);
    m_texts->setFixedHeight(textLines * m_own->fontMetrics().lineSpacing() + 2 * grid::unit);
}

void ProfileFields::setPlan(const ExportPlanPtr& plan)
{
    m_plan = plan;
    const bool possible = plan && (plan->table == Way::Exact || (plan->table == Way::Profiled && plan->hasTokenizer));
    m_table->setEnabled(possible);
    m_table->setToolTip(tr("Adds the experts of each token id, so that the export can run without its router"));
    if (!possible)
        m_table->setChecked(false);
    showState();
}

bool ProfileFields::wantsTable() const
{
    return m_table->isEnabled() && m_table->isChecked();
}

void ProfileFields::showState()
{
    const bool exact = m_plan && m_plan->table == Way::Exact;
    const bool texts = wantsTable() && !exact;
    m_table->setText(exact || (m_plan && m_plan->table == Way::Kept) ? tr("&Make one") : tr("&Make one over"));
    m_kind->setVisible(!m_plan || m_plan->table == Way::Profiled);
    m_kind->setEnabled(texts);
    m_texts->setCurrentIndex(texts ? m_kind->currentIndex() : 0);
    const auto hint = [this](const QString& text) { m_hint->setNote(NoteLabel::Kind::Muted, text); };
    if (exact)
        hint(tr("It will be exact: the routing of this model depends on the token alone."));
    else if (m_plan && m_plan->table == Way::Kept)
        hint(tr("This model has no router; the routing table that it has goes along as it is."));
    else if (m_plan && !m_plan->hasTokenizer)
        hint(tr("This model has no tokenizer, so there is no text that a table could be counted over."));
    else
        hint(tr("For each token id the experts that its router chose most often. Without a text of yours: some "
                "hundred tokens of plain English."));
    emit changed();
}

void ProfileFields::fill(ExportSpec& spec) const
{
    spec.table = wantsTable();
    spec.profile = spec.table && m_kind->isEnabled() ? Text(m_kind->currentIndex()) : Text::BuiltIn;
    spec.ownText = spec.profile == Text::Own ? m_own->toPlainText() : QString();
    spec.textFile = spec.profile == Text::File ? m_file->text() : QString();
}

QString ProfileFields::why() const
{
    ExportSpec spec;
    fill(spec);
    if (spec.profile == Text::Own && spec.ownText.trimmed().isEmpty())
        return tr("The routing table needs a text to be made over.");
    if (spec.profile == Text::File && spec.textFile.isEmpty())
        return tr("Choose the file with the text to make the routing table over.");
    return {};
}

void ProfileFields::chooseFile()
{
    auto* const dialog = new QFileDialog(this, tr("Text to make the routing table over"));
    dialog->setObjectName(QStringLiteral("textFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    dialog->open();
}

QList<QWidget*> ProfileFields::controls() const
{
    return {m_table, m_kind, m_own, m_file, m_browse};
}

} // namespace colibri
