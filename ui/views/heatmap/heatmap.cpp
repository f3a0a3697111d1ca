// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/heatmap/heatmap.h"

#include "models/csv.h"
#include "views/saving/savefile.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QVBoxLayout>

namespace colibri {

HeatMap::HeatMap(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
    , m_view(new HeatView(this))
    , m_legend(new HeatLegend(*m_view, this))
{
    m_view->setAccessibleName(title);
    setFocusProxy(m_view);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_view, 1);
    column->addWidget(m_legend);
    connect(m_view, &HeatView::chosen, this, &HeatMap::chosen);
    makeActions();
}

void HeatMap::makeActions()
{
    const auto add = [this](const QString& name, const QString& text, auto act) {
        auto* const action = new QAction(text, this);
        action->setObjectName(name);
        connect(action, &QAction::triggered, this, act);
        m_actions << action;
    };
    const auto text = [this] { return csv(ValueTableModel(heatValues(m_view->matrix()))); };
    add(QStringLiteral("resetView"), tr("Show the &whole"), [this] { m_view->setZoom(1); });
    add(QStringLiteral("copyPicture"), tr("&Copy the picture"),
        [this] { QApplication::clipboard()->setPixmap(picture()); });
    add(QStringLiteral("savePicture"), tr("&Save the picture..."), [this] {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        picture().save(&buffer, "PNG");
        saveBytesAs(this, m_title + QStringLiteral(".png"), bytes);
    });
    add(QStringLiteral("copyValues"), tr("Copy the &values as CSV"),
        [text] { QApplication::clipboard()->setText(QString::fromUtf8(text())); });
    add(QStringLiteral("saveValues"), tr("Save the v&alues as CSV..."),
        [this, text] { saveBytesAs(this, m_title + QStringLiteral(".csv"), text()); });
    add(QStringLiteral("showTable"), tr("Show the values as a &table"),
        [this] { showValueTable(heatValues(m_view->matrix()), m_title, this); });
    m_view->setActions(m_actions);
}

QPixmap HeatMap::picture()
{
    constexpr double scale = 2;
    QPixmap pixmap(size() * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(palette().color(QPalette::Window));
    render(&pixmap);
    return pixmap;
}

} // namespace colibri
