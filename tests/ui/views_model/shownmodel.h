// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/model/modelpage.h"
#include "views/model/modeltree.h"
#include "views/model/partdetails.h"

#include <QSplitter>

#include <initializer_list>

namespace colibri::test {

/// The three widgets of a model side by side, as in the window.
struct ShownModel {
    OpenStore open;
    SelectionStore selection;
    QSplitter window;
    ModelTree tree{open, selection};
    ModelPage page{open, selection};
    PartDetails details{open, selection};

    explicit ShownModel(QSize size = {1000, 650})
    {
        for (QWidget* widget : std::initializer_list<QWidget*>{&tree, &page, &details})
            window.addWidget(widget);
        window.resize(size);
        window.setSizes({size.width() / 5, size.width() * 55 / 100, size.width() / 4});
    }
    ~ShownModel()
    {
        for (QWidget* widget : std::initializer_list<QWidget*>{&tree, &page, &details})
            widget->setParent(nullptr);
    }
};

} // namespace colibri::test
