// SPDX-License-Identifier: GPL-3.0-or-later
// A rounded button with an optional coloured dot and a label. The label is rich text, so that
// predicted values can be in italics. Thread: GUI thread.
#pragma once

#include <QColor>
#include <QPushButton>

class QLabel;

namespace strata::ui {

class Chip : public QPushButton {
  Q_OBJECT
 public:
  /// The label elides a plain text, or shows a rich text.
  enum class Words { Plain, Rich };
  explicit Chip(Words words, QWidget* parent = nullptr);
  QLabel* label() { return m_label; }
  /// Shows a dot. An invalid colour removes it. The place of the dot stays.
  void setDot(const QColor& color);
  /// Fixes the width to that of a label of `words` pixels, so that a new text moves no neighbour.
  void setRoom(int words);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* m_label;
  QColor m_dot;
};

}  // namespace strata::ui
