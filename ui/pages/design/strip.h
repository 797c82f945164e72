// SPDX-License-Identifier: GPL-3.0-or-later
// The strip above the network. It shows what the network does and needs, and has three buttons for
// the next step. Thread: GUI thread.
#pragma once

#include <QFrame>
#include <QPointer>

#include "ui/workspace/page_context.h"

class QBoxLayout;
class QLabel;
class QPushButton;

namespace strata::ui {

class Document;

class Strip : public QFrame {
  Q_OBJECT
 public:
  explicit Strip(const PageContext& context, QWidget* parent = nullptr);
  void setDocument(Document* document);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  QString figures() const;

  PageContext m_context;
  QPointer<Document> m_document;
  QBoxLayout* m_row;
  QLabel* m_title;
  QLabel* m_figures;
};

}  // namespace strata::ui
