// SPDX-License-Identifier: GPL-3.0-or-later
// How a card of Results begins: its title and, at the other end of the line, a sentence. Thread:
// the window's.
#pragma once

class QLabel;
class QString;
class QVBoxLayout;
class QWidget;

namespace strata::ui {

struct CardHead {
  // The card's, for what stands below
  QVBoxLayout* column;
  QLabel* sentence;
};
/// Requires: a card without a layout.
CardHead makeCardHead(QWidget* card, const QString& title);

}  // namespace strata::ui
