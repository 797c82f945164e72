// SPDX-License-Identifier: GPL-3.0-or-later
// Loads icons from resources/icons. The SVG files use `currentColor`, which is replaced by a colour
// of the palette on each paint. Icons stay sharp at any scale. Thread: GUI thread.
#pragma once

#include <QColor>
#include <QIcon>

namespace strata::ui {

/// Returns the icon in resources/icons/<name>.svg, or a null icon if there is no such file. If
/// `color` is invalid, the icon has the colour of button texts.
QIcon icon(const QString& name, const QColor& color = {});

}  // namespace strata::ui
