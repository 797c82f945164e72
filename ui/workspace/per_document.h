// SPDX-License-Identifier: GPL-3.0-or-later
// A page that shows one document: one widget per document, created when first shown and destroyed
// with the document. Thread: GUI thread.
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
  /// Creates the widget if it does not exist yet.
  QWidget* of(Document* document);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  Workspace& m_workspace;
  Make m_make;
  QHash<Document*, QWidget*> m_views;
};

}  // namespace strata::ui
