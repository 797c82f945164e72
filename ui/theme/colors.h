// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of the window, light and dark, each with one meaning. Not a style: style_sheet.h
// applies them. Thread: any (constants).
#pragma once

#include <QColor>
#include <QString>

class QPalette;
class QWidget;

namespace strata::ui {

struct Colors {
  bool isDark = false;
  // Behind the cards
  QColor page;
  // Panes, cards, fields
  QColor card;
  // Around cards and fields
  QColor border;
  // Between rows
  QColor hairline;
  // Under the mouse
  QColor hover;
  QColor pressed;
  QColor text;
  // Labels
  QColor muted;
  // Values that are defaults
  QColor faint;
  // Selection, current page, links
  QColor accent;
  // On accent
  QColor accentText;
  // Selected rows
  QColor accentSoft;
  // The strip over the network
  QColor strip;
  QColor stripBorder;
  // The Train button
  QColor train;
  QColor trainHover;
  QColor trainText;
  // Bars of the chosen cost
  QColor cost;
  // Errors only
  QColor problem;
  QColor warning;
  QColor good;
  // Behind a row with a problem
  QColor problemSoft;
};

const Colors& lightColors();
const Colors& darkColors();
/// Selected by the lightness of the palette, so that a widget updates on PaletteChange.
const Colors& colorsOf(const QPalette& palette);
const Colors& colorsOf(const QWidget* widget);

/// The colour on the edge of a layer, by the group of its schema ("Convolution", "Pooling", ...).
QColor kindColor(const QString& group, bool isDark);

}  // namespace strata::ui
