// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the cost column, one menu wherever layers are listed. Thread: the window's.
#pragma once

#include <QString>
#include <functional>

class QPushButton;

namespace strata::ui {

class LayerItemModel;

/// `label`: the button's words for the title of the chosen cost.
void attachCostMenu(QPushButton* button, LayerItemModel* model,
                    std::function<QString(const QString&)> label);

}  // namespace strata::ui
