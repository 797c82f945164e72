// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the menu that selects the cost for the Cost column. All lists of layers share this menu.
// Thread: GUI thread.
#pragma once

#include <QString>
#include <functional>

class QPushButton;

namespace strata::ui {

class LayerItemModel;

/// Adds the menu to `button`. `label` returns the text of the button for the title of the selected
/// cost.
void attachCostMenu(QPushButton* button, LayerItemModel* model,
                    std::function<QString(const QString&)> label);

}  // namespace strata::ui
