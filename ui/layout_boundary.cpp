// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout_boundary.h"

#include <QEvent>

namespace strata::ui {

LayoutBoundary::LayoutBoundary(QWidget* content, QWidget* parent)
    : QWidget(parent), m_content(content), m_smallest(content->minimumSizeHint()) {
  content->setParent(this);
  QSizePolicy policy = content->sizePolicy();
  policy.setHeightForWidth(false);
  setSizePolicy(policy);
  setFocusProxy(content);
}

QSize LayoutBoundary::sizeHint() const { return m_content->sizeHint(); }
QSize LayoutBoundary::minimumSizeHint() const {
  return m_content->minimumSizeHint().expandedTo(m_content->minimumSize());
}

bool LayoutBoundary::event(QEvent* event) {
  // Without a layout, this widget receives the request of its content, and it goes no further. A
  // hidden widget receives none.
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show) tellOthers();
  return QWidget::event(event);
}

/// Invalidates the layouts around if the smallest size has changed.
void LayoutBoundary::tellOthers() {
  const QSize smallest = minimumSizeHint();
  if (smallest == m_smallest) return;
  m_smallest = smallest;
  updateGeometry();
}

void LayoutBoundary::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_content->setGeometry(rect());
}

}  // namespace strata::ui
