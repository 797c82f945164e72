// SPDX-License-Identifier: GPL-3.0-or-later
// How the network is trained: loss, optimizer, batches, device. Edits are for the next run; live fields also count for the one that trains.
// Thread: the window's.
#pragma once

#include <QPointer>
#include <QWidget>

#include "core/layers/schema.h"
#include "ui/workspace/page_context.h"

class QLabel;

namespace strata::ui {

class Document;
class FieldForm;
class OutputsForm;

class TrainingTab : public QWidget {
  Q_OBJECT
 public:
  explicit TrainingTab(const PageContext& context, QWidget* parent = nullptr);
  /// Gives the keyboard to a field, by its JSON pointer. False where there is none.
  bool focusField(const QString& field);

 private:
  void makeForm();
  void refresh();
  void refreshNote();
  bool isTraining() const;

  PageContext m_context;
  QPointer<Document> m_document;
  QLabel* m_note;
  OutputsForm* m_outputs;
  FieldForm* m_form;
  bool m_showsRun = false;
};

}  // namespace strata::ui
