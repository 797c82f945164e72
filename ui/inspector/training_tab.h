// SPDX-License-Identifier: GPL-3.0-or-later
// How the network is trained: what every run needs comes first, the rest is in sections. Edits are
// for the next run; live fields also count for the one that trains. Thread: the window's.
#pragma once

#include <QPointer>
#include <QWidget>

#include <vector>

#include "ui/inspector/field_form.h"
#include "ui/workspace/page_context.h"

class QLabel;
class QVBoxLayout;

namespace strata::ui {

class Document;
class EarlyStoppingForm;
class FoldSection;
class OutputsForm;

class TrainingTab : public QWidget {
  Q_OBJECT
 public:
  explicit TrainingTab(const PageContext& context, QWidget* parent = nullptr);
  /// Gives the keyboard to a field, by its JSON pointer. False where there is none.
  bool focusField(const QString& field);

 private:
  FieldForm::Access makeAccess();
  void makeForms(QVBoxLayout* column);
  FieldForm* addForm(const FieldForm::Access& access);
  FoldSection* addSection(QVBoxLayout* column, const QString& title, const QString& key);
  void refresh();
  void refreshNote();
  bool isTraining() const;

  PageContext m_context;
  QPointer<Document> m_document;
  QLabel* m_note;
  QWidget* m_body;
  OutputsForm* m_outputs;
  EarlyStoppingForm* m_stopping;
  std::vector<FieldForm*> m_forms;
  std::vector<FoldSection*> m_sections;
  bool m_showsRun = false;
};

}  // namespace strata::ui
