// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export/exportform.h"

#include "models/parttext.h"
#include "views/export/exportpage.h"
#include "views/export/exportsizes.h"
#include "views/export/notelabel.h"
#include "views/export/profilefields.h"
#include "views/model/fittedtable.h"
#include "views/problem/problempanel.h"
#include "views/theme/scrolled.h"
#include "views/theme/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

namespace colibri {
namespace {

constexpr int placeMs = 1000; ///< between two looks at the disk
constexpr int mostCheckTokens = 100'000;

enum Row { FolderRow, NameRow, PlaceRow, SizesRow, SizeNoteRow, TableRow, TableNoteRow, CheckRow };

/// The name of a row: beside a field of one line, else at its top.
void caption(QGridLayout& grid, int row, const QString& text, QWidget* buddy, Qt::Alignment vertical)
{
    auto* const label = new QLabel(text);
    label->setBuddy(buddy);
    if (vertical == Qt::AlignTop)
        label->setContentsMargins(0, grid::half, 0, 0);
    grid.addWidget(label, row, 0, vertical | Qt::AlignLeft);
}

} // namespace

ExportForm::ExportForm(const ExportStore& store, QWidget* parent)
    : QWidget(parent)
    , m_store(store)
    , m_folder(new QLineEdit(this))
    , m_name(new QLineEdit(this))
    , m_placeNote(new NoteLabel(QStringLiteral("exportPlaceNote"), this))
    , m_sizes(new ExportSizes(this))
    , m_sizeNote(new NoteLabel(QStringLiteral("exportSizeNote"), this))
    , m_profile(new ProfileFields(this))
    , m_profileNote(new NoteLabel(QStringLiteral("exportProfileNote"), this))
    , m_check(new QSpinBox(this))
    , m_error(new ProblemPanel(QStringLiteral("exportError"), this, ProblemPanel::Retry::None))
    , m_end(new NoteLabel(QStringLiteral("exportEnd"), this))
{
    m_error->setHeading(tr("\u26a0 The export failed, nothing was written"));
    m_error->hide();
    auto* const grid = new QGridLayout;
    grid->setHorizontalSpacing(grid::wide);
    grid->setVerticalSpacing(grid::half);
    grid->setColumnStretch(1, 1);
    for (const int lastOfGroup : {PlaceRow, SizeNoteRow, TableNoteRow})
        grid->setRowMinimumHeight(lastOfGroup, fontMetrics().lineSpacing() + grid::wide);
    makePlaceRows(*grid);
    makeSizeRows(*grid);
    caption(*grid, TableRow, tr("Routing table"), m_profile->controls().front(), Qt::AlignTop);
    grid->addWidget(m_profile, TableRow, 1, 1, 2);
    grid->addWidget(m_profileNote, TableNoteRow, 1, 1, 2);
    makeCheckRow(*grid);
    auto* const content = new QWidget;
    auto* const inner = new QVBoxLayout(content);
    inner->setContentsMargins({});
    inner->setSpacing(grid::unit);
    inner->addLayout(grid);
    inner->addStretch();
    arrange(content);
    m_placeTimer.setInterval(placeMs);
    connect(&m_placeTimer, &QTimer::timeout, this, [this] {
        if (isVisible())
            showPlace();
    });
    m_placeTimer.start();
    connect(m_profile, &ProfileFields::changed, this, [this] {
        m_sizes->setWithTable(m_profile->wantsTable());
        showReady();
    });
    connect(m_sizes, &ExportSizes::changed, this, &ExportForm::showSize);
    connect(&store, &ExportStore::planChanged, this, &ExportForm::showPlan);
    connect(&store, &ExportStore::stateChanged, this, &ExportForm::showEnd);
    orderTabs();
    showPlan();
    showEnd();
}

void ExportForm::arrange(QWidget* content)
{
    auto* const area = scrolled(content, tr("What to export and where"));
    auto* const column = pageColumn(this);
    column->addWidget(area, 1);
    column->addWidget(m_error); // not in the area, where it might be out of sight
    column->addWidget(m_end);
    column->addWidget(makeButtons());
}

void ExportForm::makePlaceRows(QGridLayout& grid)
{
    m_folder->setObjectName(QStringLiteral("exportFolder"));
    m_folder->setAccessibleName(tr("Folder that the export is put into"));
    m_folder->setToolTip(tr("The export becomes a new folder in this one"));
    m_name->setObjectName(QStringLiteral("exportName"));
    m_name->setAccessibleName(tr("Name of the export"));
    m_name->setToolTip(tr("Name of the new folder"));
    m_browse = new QPushButton(tr("&Browse..."), this);
    m_browse->setObjectName(QStringLiteral("browseExportFolder"));
    m_browse->setAccessibleName(tr("Browse for the folder"));
    m_browse->setAutoDefault(false);
    m_browse->setToolTip(tr("Choose the folder that the export is put into"));
    caption(grid, FolderRow, tr("&Folder"), m_folder, Qt::AlignVCenter);
    grid.addWidget(m_folder, FolderRow, 1);
    grid.addWidget(m_browse, FolderRow, 2);
    caption(grid, NameRow, tr("&Name"), m_name, Qt::AlignVCenter);
    grid.addWidget(m_name, NameRow, 1);
    grid.addWidget(m_placeNote, PlaceRow, 1, 1, 2);
    connect(m_browse, &QPushButton::clicked, this, &ExportForm::chooseFolder);
    for (QLineEdit* const line : {m_folder, m_name}) {
        connect(line, &QLineEdit::textChanged, this, &ExportForm::showPlace);
        connect(line, &QLineEdit::returnPressed, this, [this] { m_export->click(); });
    }
}

void ExportForm::makeSizeRows(QGridLayout& grid)
{
    caption(grid, SizesRow, tr("&Matrices"), &m_sizes->table(), Qt::AlignTop);
    grid.addWidget(m_sizes, SizesRow, 1, 1, 2);
    grid.addWidget(m_sizeNote, SizeNoteRow, 1, 1, 2);
}

void ExportForm::makeCheckRow(QGridLayout& grid)
{
    m_check->setObjectName(QStringLiteral("exportCheckTokens"));
    m_check->setAccessibleName(tr("Tokens to compare over"));
    m_check->setRange(0, mostCheckTokens);
    m_check->setValue(defaultCheckTokens);
    m_check->setSingleStep(64);
    m_check->setSuffix(tr(" tokens"));
    m_check->setSpecialValueText(tr("do not compare"));
    m_check->setToolTip(tr("Opens the export when it is written and reads so many tokens of the built-in text with it "
                           "and with its source; 0 does not compare"));
    auto* const text = new QLabel(tr("of the built-in text at most: experts, logits and loss"), this);
    auto* const line = new QHBoxLayout;
    line->setSpacing(grid::unit);
    line->addWidget(m_check);
    line->addWidget(text, 1);
    caption(grid, CheckRow, tr("&Compare over"), m_check, Qt::AlignVCenter);
    grid.addLayout(line, CheckRow, 1, 1, 2);
}

QWidget* ExportForm::makeButtons()
{
    auto* const buttons = new QWidget(this);
    auto* const row = new QHBoxLayout(buttons);
    row->setContentsMargins({});
    row->setSpacing(grid::unit);
    m_export = new QPushButton(tr("&Export"), buttons);
    m_export->setObjectName(QStringLiteral("startExport"));
    m_export->setAccessibleName(tr("Export"));
    m_export->setToolTip(tr("Write the export; the window can be used meanwhile"));
    m_export->setDefault(true);
    m_close = new QPushButton(tr("Close"), buttons);
    m_close->setObjectName(QStringLiteral("closeExport"));
    m_close->setAccessibleName(tr("Close"));
    m_close->setToolTip(tr("Close without an export (Escape)"));
    m_close->setAutoDefault(false);
    row->addStretch();
    row->addWidget(m_export);
    row->addWidget(m_close);
    connect(m_export, &QPushButton::clicked, this, [this] {
        showPlace();
        if (ready())
            emit exportRequested(spec());
    });
    connect(m_close, &QPushButton::clicked, this, &ExportForm::closeRequested);
    return buttons;
}

void ExportForm::orderTabs()
{
    setFocusProxy(m_folder);
    QList<QWidget*> order{m_folder, m_browse, m_name, &m_sizes->table()};
    order << m_profile->controls() << m_check << m_error->copyButton() << m_export << m_close;
    for (qsizetype i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
}

void ExportForm::setPlace(const QString& folder, const QString& name)
{
    m_folder->setText(QDir::toNativeSeparators(folder));
    m_name->setText(name);
}

void ExportForm::chooseFolder()
{
    auto* const dialog = new QFileDialog(this, tr("Folder for the export"), m_folder->text());
    dialog->setObjectName(QStringLiteral("exportFolderDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this,
        [this](const QString& folder) { m_folder->setText(QDir::toNativeSeparators(folder)); });
    dialog->open();
}

ExportSpec ExportForm::spec() const
{
    ExportSpec spec;
    spec.out = m_place.path;
    spec.dtype = m_sizes->dtype();
    spec.checkTokens = m_check->value();
    m_profile->fill(spec);
    return spec;
}

bool ExportForm::ready() const
{
    const ExportSizeFacts* const size = m_sizes->chosen();
    return size && !size->refusal && m_place.why.isEmpty() && m_profile->why().isEmpty() && !m_store.busy();
}

void ExportForm::showPlan()
{
    m_sizes->setPlan(m_store.plan());
    m_profile->setPlan(m_store.plan());
}

void ExportForm::showEnd()
{
    const bool cancelled = m_store.state() == ExportStore::State::Cancelled;
    const bool failed = m_store.state() == ExportStore::State::Failed && m_store.error();
    m_error->setVisible(failed);
    if (failed)
        m_error->setError(*m_store.error());
    m_end->setNote(
        NoteLabel::Kind::Muted, cancelled ? tr("The export was cancelled, nothing was written.") : QString());
    showReady();
}

void ExportForm::showPlace()
{
    using Kind = NoteLabel::Kind;
    m_place = exportPlace(QDir::fromNativeSeparators(m_folder->text().trimmed()), m_name->text().trimmed());
    const ExportSizeFacts* const size = m_sizes->chosen();
    if (!m_place.why.isEmpty())
        m_placeNote->setNote(Kind::Error, m_place.why);
    else if (!m_place.freeBytes)
        m_placeNote->setNote(Kind::Muted, tr("How much room the disk has is not known."));
    else if (size && size->total > *m_place.freeBytes)
        m_placeNote->setNote(Kind::Warning,
            tr("The export needs %1, the disk has %2 free.")
                .arg(bytesText(size->total), bytesText(*m_place.freeBytes)));
    else
        m_placeNote->setNote(Kind::Muted, tr("The disk has %1 free.").arg(bytesText(*m_place.freeBytes)));
    m_name->setAccessibleDescription(m_place.why);
    showReady();
}

void ExportForm::showSize()
{
    using Kind = NoteLabel::Kind;
    const ExportSizeFacts* const size = m_sizes->chosen();
    if (m_store.planError())
        m_sizeNote->setNote(Kind::Error, QString::fromStdString(m_store.planError()->message()));
    else if (!size)
        m_sizeNote->setNote(Kind::Muted, tr("The sizes are not known yet."));
    else if (size->refusal)
        m_sizeNote->setNote(Kind::Error, QString::fromStdString(size->refusal->message()));
    else if (!size->changes.isEmpty())
        m_sizeNote->setNote(Kind::Warning, size->changes.join(u'\n'));
    else
        m_sizeNote->setNote(Kind::Muted,
            (m_profile->wantsTable() ? tr("%1 in all, give or take some bytes of config.json; the source has %2.")
                                     : tr("%1 in all; the source has %2. Routers and norms stay as they are."))
                .arg(exactBytes(size->total), bytesText(m_sizes->plan()->sourceBytes)));
    showPlace();
}

void ExportForm::showReady()
{
    m_profileNote->setNote(NoteLabel::Kind::Error, m_profile->why());
    if (m_export)
        m_export->setEnabled(ready());
}

} // namespace colibri
