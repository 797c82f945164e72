// SPDX-License-Identifier: GPL-3.0-or-later
// The menu that selects the cost column, shared by all lists of layers. Thread: GUI thread.
#pragma once

#include <QString>
#include <functional>

class QPushButton;

namespace strata::ui {

class LayerItemModel;

/// `label` turns the title of the selected cost into the button's text.
void attachCostMenu(QPushButton* button, LayerItemModel* model,
                    std::function<QString(const QString&)> label);

}  // namespace strata::ui
