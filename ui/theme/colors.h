// SPDX-License-Identifier: GPL-3.0-or-later
// Defines the light and dark colours of the window. Each colour has one meaning, and style_sheet.h
// applies them. Thread: any (constants).
#pragma once

#include <QColor>
#include <QString>

class QPalette;
class QWidget;

namespace strata::ui {

struct Colors {
  bool isDark = false;
  // The background of a page, between its cards.
  QColor page;
  // The background of panes, cards and fields.
  QColor card;
  // The border of cards and fields.
  QColor border;
  // The line between two rows.
  QColor hairline;
  // The background of an item under the mouse pointer.
  QColor hover;
  QColor pressed;
  QColor text;
  // The text colour of labels.
  QColor muted;
  // The text colour of default values.
  QColor faint;
  // The colour of the selection, the current page and links.
  QColor accent;
  // The text colour on a background in the accent colour.
  QColor accentText;
  // The background of selected rows.
  QColor accentSoft;
  // The background of the strip above the network.
  QColor strip;
  QColor stripBorder;
  // The background of the Train button.
  QColor train;
  QColor trainHover;
  QColor trainText;
  // The colour of the bars for the selected cost.
  QColor cost;
  // The colour of errors, which is used for nothing else.
  QColor problem;
  QColor warning;
  QColor good;
  // The background of a layer row with an error, and of a banner about a failure.
  QColor problemSoft;
};

const Colors& lightColors();
const Colors& darkColors();
/// Selects the colours by the lightness of the palette, so that a widget follows a theme change.
const Colors& colorsOf(const QPalette& palette);
const Colors& colorsOf(const QWidget* widget);

/// Returns the contrast between two opaque colours, from 1 to 21. Source: WCAG 2.1, contrast ratio.
double contrast(const QColor& a, const QColor& b);
/// Returns the text colour with the most contrast on `fill`, a colour that may be transparent,
/// above `background`.
QColor textColorOn(const QColor& fill, const QColor& background);

/// Returns the colour at the edge of a layer for the group of its schema ("Convolution", "Pooling",
/// ...).
QColor kindColor(const QString& group, bool isDark);

/// Returns one of kNumEventColors colours for the categories of a timeline.
constexpr int kNumEventColors = 8;
QColor eventColor(int number, bool isDark);

}  // namespace strata::ui
