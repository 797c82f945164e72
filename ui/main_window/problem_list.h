// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the problems of the current document, with their fixes as buttons. Thread: GUI thread.
#pragma once

#include <QLabel>
#include <QPointer>
#include <QScrollArea>

#include "ui/workspace/page_context.h"

class QPushButton;

namespace strata::ui {

class Document;

/// Whether a run of the document could start, and what prevents it.
enum class Readiness { Ready, Checking, HasProblems, RefusedValue, DoesNotFit };
Readiness readinessOf(const Document& document);

class ProblemList : public QScrollArea {
  Q_OBJECT
 public:
  explicit ProblemList(const PageContext& context, QWidget* parent = nullptr);
  /// Shows the layer of the next problem. After the last problem, starts again at the first.
  void goToNext();
  void focusFirstError();

 Q_SIGNALS:
  void rebuilt();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();
  void refreshReadiness();
  QString readinessText() const;
  void go(int index);

  PageContext m_context;
  QPointer<Document> m_document;
  QWidget* m_rows = nullptr;
  // What the list says instead of problems; null if there are problems
  QPointer<QLabel> m_readiness;
  QList<QPushButton*> m_places;
  int m_current = -1;
};

}  // namespace strata::ui
