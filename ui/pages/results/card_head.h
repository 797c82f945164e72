// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a card on Results: its title and, at the other end of the line, a sentence. Thread:
// GUI thread.
#pragma once

class QLabel;
class QString;
class QVBoxLayout;
class QWidget;

namespace strata::ui {

struct CardHead {
  // The layout of the card, for the contents below
  QVBoxLayout* column;
  QLabel* sentence;
};
/// Requires: a card without a layout.
CardHead makeCardHead(QWidget* card, const QString& title);

}  // namespace strata::ui
