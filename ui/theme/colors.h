// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of the window, light and dark, each with one meaning. Not a style: style_sheet.h applies them.
// Thread: constant values; any thread.
#pragma once

#include <QColor>
#include <QString>

class QPalette;
class QWidget;

namespace strata::ui {

struct Colors {
  bool isDark = false;
  QColor page;      // behind the cards
  QColor card;      // panes, cards, fields
  QColor border;    // around cards and fields
  QColor hairline;  // between rows
  QColor hover;     // under the mouse
  QColor pressed;
  QColor text;
  QColor muted;       // labels
  QColor faint;       // values that are defaults
  QColor accent;      // selection, current page, links
  QColor accentText;  // on accent
  QColor accentSoft;  // selected rows
  QColor strip;       // the strip over the network
  QColor stripBorder;
  QColor train;  // the Train button
  QColor trainHover;
  QColor trainText;
  QColor cost;     // bars of the chosen cost
  QColor problem;  // errors only
  QColor warning;
  QColor good;
  QColor problemSoft;  // behind a row with a problem
};

const Colors& lightColors();
const Colors& darkColors();
/// By the lightness of the palette, so that a widget re-reads them on PaletteChange.
const Colors& colorsOf(const QPalette& palette);
const Colors& colorsOf(const QWidget* widget);

/// The colour on the edge of a layer, by the group of its schema ("Convolution", "Pooling", ...).
QColor kindColor(const QString& group, bool isDark);

}  // namespace strata::ui
