// SPDX-License-Identifier: GPL-3.0-or-later
// The look of axes in small plots without zoom: few labels, no ticks, the colours of the theme.
// Thread: GUI thread.
#pragma once

class QCustomPlot;

namespace strata::ui {

/// Sets up the axes of a plot once. The wheel scrolls the page.
void makePlainAxes(QCustomPlot& plot);
/// Gives axes and background the present colours and font. Call it again on PaletteChange.
void colorPlainAxes(QCustomPlot& plot);
/// Removes the ticks of a plot over the time of a run, and its vertical grid lines.
void tidyRunAxes(QCustomPlot& plot);
/// The same as colorPlainAxes() for plots over the time of a run, whose vertical axis has no line.
void colorRunAxes(QCustomPlot& plot);

}  // namespace strata::ui
