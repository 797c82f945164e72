// SPDX-License-Identifier: GPL-3.0-or-later
// The right pane of the window, with the tabs Layer and Training. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/workspace/page_context.h"

class QPushButton;
class QStackedWidget;

namespace strata::ui {

class Document;

class Inspector : public QWidget {
  Q_OBJECT
 public:
  enum class Tab { Layer, Training };
  explicit Inspector(const PageContext& context, QWidget* parent = nullptr);
  void showTab(Tab tab);

 private:
  QStackedWidget* m_stack;
  QPointer<Document> m_document;
  QList<QPushButton*> m_tabs;
};

}  // namespace strata::ui
