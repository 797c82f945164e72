// SPDX-License-Identifier: GPL-3.0-or-later
// A page with one widget per document. A widget is created when it is first shown, and destroyed
// with its document. Thread: GUI thread.
#pragma once

#include <QHash>
#include <QStackedWidget>
#include <functional>

#include "ui/workspace/workspace.h"

namespace strata::ui {

class PerDocument : public QStackedWidget {
  Q_OBJECT
 public:
  using Make = std::function<QWidget*(Document& document, QWidget* parent)>;
  PerDocument(Workspace& workspace, Make make, QWidget* parent = nullptr);
  /// Returns the widget of the document. Creates it if it does not exist yet.
  QWidget* of(Document* document);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  Workspace& m_workspace;
  Make m_make;
  QHash<Document*, QWidget*> m_views;
};

}  // namespace strata::ui
