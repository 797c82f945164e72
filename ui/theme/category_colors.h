// SPDX-License-Identifier: GPL-3.0-or-later
// The colour and name of each memory category, which all views of memory share. Thread: any.
#pragma once

#include <QColor>
#include <QString>

#include "gpu/graph/graph.h"

namespace strata::ui {

QColor categoryColor(Category category, bool isDark);
QString categoryTitle(Category category);

}  // namespace strata::ui
