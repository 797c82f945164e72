// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out one widget, and keeps changes within it from the layouts around it. Without it, a new
// text of a label lays out the whole window again, with all hidden pages (a word-wrapped label
// measures its text each time). Thread: GUI thread.
#pragma once

#include <QWidget>

namespace strata::ui {

class LayoutBoundary : public QWidget {
  Q_OBJECT
 public:
  /// Takes ownership of `content`, which fills the boundary.
  explicit LayoutBoundary(QWidget* content, QWidget* parent = nullptr);
  QWidget* content() const { return m_content; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void tellOthers();
  QWidget* m_content;
  // The smallest size that the layouts around know
  QSize m_smallest;
};

}  // namespace strata::ui
