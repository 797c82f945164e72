// SPDX-License-Identifier: GPL-3.0-or-later
// Loads icons from resources/icons. The SVG files use `currentColor`, which the palette replaces on
// each paint. They stay sharp at any scale. Thread: GUI thread.
#pragma once

#include <QColor>
#include <QIcon>

namespace strata::ui {

/// Requires the file resources/icons/<name>.svg. An invalid colour selects the palette's button
/// text.
QIcon icon(const QString& name, const QColor& color = {});

}  // namespace strata::ui
