// SPDX-License-Identifier: GPL-3.0-or-later
// Icons from resources/icons: SVGs drawn in `currentColor`, coloured by the palette at each
// painting, sharp at any scale. Thread: the window's.
#pragma once

#include <QColor>
#include <QIcon>

namespace strata::ui {

/// Requires: resources/icons/<name>.svg. An invalid colour: the palette's button text.
QIcon icon(const QString& name, const QColor& color = {});

}  // namespace strata::ui
