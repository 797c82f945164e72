// SPDX-License-Identifier: GPL-3.0-or-later
// A label in a place of fixed size. A text that is too long ends with an ellipsis, and the tooltip
// shows all of it. The layout never depends on the text. Thread: GUI thread.
#pragma once

#include <QLabel>

namespace strata::ui {

class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr, int lines = 1);
  /// Sets where a text of one line is cut. The default is its end.
  void setElideMode(Qt::TextElideMode mode);
  /// Adds a context menu that copies the whole text.
  void offerCopy();
  /// Returns whether the label shows only a part of the text.
  bool isElided() const { return shownLines() != wholeLines(); }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList shownLines() const;
  QStringList wholeLines() const;

  const int m_lines;
  Qt::TextElideMode m_mode = Qt::ElideRight;
};

}  // namespace strata::ui
