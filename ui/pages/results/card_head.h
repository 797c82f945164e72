// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a card on the Results page. It has a title on the left and a sentence on the right.
// Thread: GUI thread.
#pragma once

class QLabel;
class QString;
class QVBoxLayout;
class QWidget;

namespace strata::ui {

struct CardHead {
  // The layout of the card, to which the caller adds the contents.
  QVBoxLayout* column;
  QLabel* sentence;
};
/// Creates the head. Requires a card without a layout.
CardHead makeCardHead(QWidget* card, const QString& title);

}  // namespace strata::ui
