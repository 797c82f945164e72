// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the menu that selects the cost column. All lists of layers share it. Thread: GUI thread.
#pragma once

#include <QString>
#include <functional>

class QPushButton;

namespace strata::ui {

class LayerItemModel;

/// `label` makes the button's text from the title of the selected cost.
void attachCostMenu(QPushButton* button, LayerItemModel* model,
                    std::function<QString(const QString&)> label);

}  // namespace strata::ui
