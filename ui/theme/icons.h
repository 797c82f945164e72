// SPDX-License-Identifier: GPL-3.0-or-later
// Icons from resources/icons: SVGs drawn in `currentColor`, coloured by the palette on each paint
// and sharp at any scale. Thread: GUI thread.
#pragma once

#include <QColor>
#include <QIcon>

namespace strata::ui {

/// Requires: resources/icons/<name>.svg. An invalid colour selects the button text of the palette.
QIcon icon(const QString& name, const QColor& color = {});

}  // namespace strata::ui
