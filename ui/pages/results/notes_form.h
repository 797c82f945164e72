// SPDX-License-Identifier: GPL-3.0-or-later
// The form with the notes of one run: title, tags, text, archived, kept. Changes are stored when
// the user leaves a field. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <optional>

#include "core/run_list/run_table.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace strata::ui {

class NotesForm : public QWidget {
  Q_OBJECT
 public:
  explicit NotesForm(QWidget* parent);
  /// Shows the notes of a run; null disables the form. Stores changes of the run before. A field
  /// that the user edits keeps its text if the run is the same.
  void setRun(const RunRow* row);

 Q_SIGNALS:
  void edited(const RunRow& row, const RunNotes& notes);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  RunNotes shownNotes() const;
  void store();
  void fill();

  std::optional<RunRow> m_row;
  QLineEdit* m_title;
  QLineEdit* m_tags;
  QPlainTextEdit* m_text;
  QCheckBox* m_archived;
  QCheckBox* m_kept;
  QLabel* m_problem;
  bool m_isFilling = false;
};

}  // namespace strata::ui
