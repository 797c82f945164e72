// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of several runs or classes in one plot. Thread: any.
#pragma once

#include <QColor>
#include <cstddef>

#include "ui/theme/colors.h"

namespace strata::ui {

/// Returns a colour that differs from those of other small indices and from the accent.
QColor seriesColor(size_t index, const Colors& colors);

/// Returns the colour of validation.
QColor validationColor(const Colors& colors);

}  // namespace strata::ui
