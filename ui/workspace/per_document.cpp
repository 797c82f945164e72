// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/per_document.h"

namespace strata::ui {

PerDocument::PerDocument(Workspace& workspace, Make make, QWidget* parent)
    : QStackedWidget(parent), m_workspace(workspace), m_make(std::move(make)) {
  // This empty widget is shown while there is no document.
  addWidget(new QWidget(this));
  connect(&workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (isVisible() || !document || m_views.contains(document)) setCurrentWidget(of(document));
  });
  connect(&workspace, &Workspace::aboutToClose, this,
          [this](Document* document) { delete m_views.take(document); });
}

QWidget* PerDocument::of(Document* document) {
  if (!document) return widget(0);
  QWidget*& view = m_views[document];
  if (!view) {
    view = m_make(*document, this);
    addWidget(view);
  }
  return view;
}

void PerDocument::showEvent(QShowEvent* event) {
  setCurrentWidget(of(m_workspace.current()));
  QStackedWidget::showEvent(event);
}

}  // namespace strata::ui
