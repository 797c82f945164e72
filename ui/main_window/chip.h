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
  explicit Chip(QWidget* parent = nullptr);
  QLabel* label() { return m_label; }
  /// Shows a dot. An invalid colour removes it.
  void setDot(const QColor& color);
  /// Adapts the size of the button. Call it after changing the label's text.
  void fit();
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* m_label;
  QColor m_dot;
};

}  // namespace strata::ui
