// SPDX-License-Identifier: GPL-3.0-or-later
// A page that looks at one document: one widget a document, made when it is first shown, gone with
// the document. Thread: the window's.
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
  /// Makes it where it is not there yet.
  QWidget* of(Document* document);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  Workspace& m_workspace;
  Make m_make;
  QHash<Document*, QWidget*> m_views;
};

}  // namespace strata::ui
