// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot/plotexport.h"

#include "views/saving/savefile.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <qcustomplot.h>

namespace colibri {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("PlotExport", text);
}

void paintOn(QCustomPlot& plot, QPaintDevice& device, double scale)
{
    QCPPainter painter;
    painter.begin(&device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.scale(scale, scale);
    painter.fillRect(QRect(0, 0, plot.width(), plot.height()), plot.palette().base());
    plot.toPainter(&painter, plot.width(), plot.height());
    painter.end();
}

QByteArray svg(QCustomPlot& plot)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(plot.size());
    generator.setViewBox(QRect(QPoint(0, 0), plot.size()));
    generator.setTitle(plot.accessibleName());
    paintOn(plot, generator, 1);
    return bytes;
}

QByteArray pdf(QCustomPlot& plot)
{
    constexpr int dotsPerInch = 96; // one device-independent pixel a dot
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(dotsPerInch);
    writer.setTitle(plot.accessibleName());
    writer.setPageSize(QPageSize(QSizeF(plot.size()) / dotsPerInch, QPageSize::Inch));
    writer.setPageMargins({});
    paintOn(plot, writer, 1);
    return bytes;
}

QByteArray png(QCustomPlot& plot)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    plot.toPixmap(plot.width(), plot.height(), 2).save(&buffer, "PNG");
    return bytes;
}

} // namespace

QString exportPlot(QCustomPlot& plot, const QString& path)
{
    struct Kind {
        const char* suffix;
        QByteArray (*make)(QCustomPlot&);
    };
    static constexpr Kind kinds[]{{"png", png}, {"svg", svg}, {"pdf", pdf}};
    const QString suffix = QFileInfo(path).suffix().toLower();
    for (const Kind& kind : kinds) {
        if (suffix == QLatin1String(kind.suffix))
            return writeWhole(path, kind.make(plot));
    }
    return translated("write %1: the name has to end in .png, .svg or .pdf").arg(QDir::toNativeSeparators(path));
}

void savePlotAs(QCustomPlot& plot, const QString& name)
{
    saveAs(&plot, name, translated("Pictures (*.png *.svg *.pdf)"),
        [&plot](const QString& path) { return exportPlot(plot, path); });
}

} // namespace colibri
