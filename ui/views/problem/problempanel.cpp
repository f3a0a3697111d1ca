// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/problem/problempanel.h"

#include "views/theme/theme.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QLocale>
#include <QPushButton>

namespace colibri {
namespace {

constexpr int leastText = 12 * grid::unit;

QLabel* selectableLabel(const QString& objectName, const QString& accessibleName)
{
    auto* const label = new QLabel;
    label->setObjectName(objectName);
    label->setAccessibleName(accessibleName);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setMinimumWidth(leastText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace

ProblemPanel::ProblemPanel(const QString& name, QWidget* parent, Retry retry)
    : QFrame(parent)
    , m_heading(new QLabel(this))
    , m_form(new QFormLayout)
    , m_buttons(new QHBoxLayout)
{
    setObjectName(name);
    m_heading->setObjectName(name + QStringLiteral("Title"));
    m_heading->setWordWrap(true);
    m_heading->setMinimumWidth(leastText);
    QFont font = m_heading->font();
    font.setBold(true);
    m_heading->setFont(font);
    m_heading->hide();
    makeParts();
    makeButtons(retry);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(grid::unit);
    column->addWidget(m_heading);
    column->addLayout(m_form);
    column->addLayout(m_buttons);
    column->addStretch();
}

void ProblemPanel::makeParts()
{
    const std::pair<QString, QString> parts[]{{QStringLiteral("What"), tr("What")},
        {QStringLiteral("Where"), tr("Where")}, {QStringLiteral("Why"), tr("Why")}};
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        m_parts[part] = selectableLabel(objectName() + parts[part].first, parts[part].second);
        auto* const caption = new QLabel(parts[part].second, this);
        caption->setAlignment(Qt::AlignLeft | Qt::AlignTop); // or it sinks beside a text of two lines
        m_form->addRow(caption, m_parts[part]);
    }
}

void ProblemPanel::makeButtons(Retry retry)
{
    const QString part = objectName().left(1).toUpper() + objectName().mid(1);
    if (retry == Retry::Offered) {
        auto* const again = shortcutButton(
            QStringLiteral("retry") + part, tr("Try again"), tr("Open it again"), QKeySequence(Qt::CTRL | Qt::Key_R));
        connect(again, &QPushButton::clicked, this, &ProblemPanel::retryRequested);
        m_buttons->addWidget(again);
    }
    m_copy = shortcutButton(QStringLiteral("copy") + part, tr("Copy"), tr("Copy the error text"),
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
    m_copy->setAutoDefault(false);
    connect(m_copy, &QPushButton::clicked, this, &ProblemPanel::copy);
    m_buttons->addWidget(m_copy);
    m_buttons->addStretch();
}

void ProblemPanel::setHeading(const QString& text)
{
    m_heading->setText(text);
    m_heading->setVisible(!text.isEmpty());
}

void ProblemPanel::setError(const Error& error)
{
    m_error = error;
    const std::array texts{QString::fromStdString(error.what), whereText(error), QString::fromStdString(error.why)};
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        m_parts[part]->setText(texts[part]);
        m_parts[part]->setVisible(!texts[part].isEmpty());
        m_form->labelForField(m_parts[part])->setVisible(!texts[part].isEmpty());
    }
}

void ProblemPanel::addButton(QPushButton* button)
{
    m_buttons->insertWidget(0, button);
    setTabOrder(button, findChild<QPushButton*>());
}

void ProblemPanel::copy() const
{
    QGuiApplication::clipboard()->setText(QString::fromStdString(m_error.message()));
}

QString whereText(const Error& error)
{
    if (error.file.empty())
        return {};
    const QString file = QDir::toNativeSeparators(QFileInfo(QString::fromStdString(error.file)).absoluteFilePath());
    if (!error.offset)
        return file;
    return ProblemPanel::tr("%1 at offset %2 bytes (0x%3)")
        .arg(file, QLocale().toString(static_cast<qulonglong>(*error.offset)), QString::number(*error.offset, 16));
}

QPushButton* shortcutButton(
    const QString& objectName, const QString& text, const QString& toolTip, const QKeySequence& shortcut)
{
    auto* const made = new QPushButton(text);
    made->setObjectName(objectName);
    made->setAccessibleName(toolTip);
    made->setToolTip(QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
    made->setShortcut(shortcut);
    return made;
}

} // namespace colibri
