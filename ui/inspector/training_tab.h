// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the training settings. The most common ones are first, and the others are in sections.
// Edits apply to the next run. Live fields also apply to the active run. Thread: GUI thread.
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
class BatchShare;
class CurveView;
class EarlyStoppingForm;
class FinderSection;
class FoldSection;
class OutputsForm;

class TrainingTab : public QWidget {
  Q_OBJECT
 public:
  explicit TrainingTab(const PageContext& context, QWidget* parent = nullptr);
  /// Moves the focus to the field with this JSON pointer. Returns false if there is no such field.
  bool focusField(const QString& field);

 private:
  FieldForm::Access makeAccess();
  void makeForms(QVBoxLayout* column);
  FieldForm* addForm(const FieldForm::Access& access);
  FoldSection* addSection(QVBoxLayout* column, const QString& title, const QString& key);
  void refresh();
  void refreshNote();
  void refreshSchedule();
  bool isTraining() const;

  PageContext m_context;
  QPointer<Document> m_document;
  QLabel* m_note;
  QWidget* m_body;
  OutputsForm* m_outputs;
  EarlyStoppingForm* m_stopping;
  BatchShare* m_share;
  QLabel* m_scheduleNote;
  CurveView* m_schedule;
  FinderSection* m_finders;
  std::vector<FieldForm*> m_forms;
  std::vector<FoldSection*> m_sections;
  bool m_showsRun = false;
};

}  // namespace strata::ui
