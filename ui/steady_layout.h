// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a layout still: places that do not depend on the present text or visibility. Thread: GUI
// thread.
#pragma once

#include <QStringList>

class QAbstractButton;
class QAbstractScrollArea;
class QLabel;
class QWidget;

namespace strata::ui {

/// Fixes the width of a button to that of the widest of these texts. A longer text is cut.
void fixWidth(QAbstractButton* button, const QStringList& texts);
/// Returns the width of the widest of these rich texts in a label.
int widthOf(const QLabel* label, const QStringList& texts);
/// Gives a label room for this many lines in the language of `sample`, a text of the label. Lines
/// of some languages are higher than the font says, because another font has their letters.
void reserveLines(QLabel* label, int lines, const QString& sample);
/// Keeps the room of the vertical scroll bar, so that the width of the content does not depend on
/// its height. The bar is blank while there is nothing to scroll.
void keepScrollBarRoom(QAbstractScrollArea* area);
/// Makes a hidden widget keep its place.
void keepPlace(QWidget* widget);

}  // namespace strata::ui
