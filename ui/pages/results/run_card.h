// SPDX-License-Identifier: GPL-3.0-or-later
// The card of one run: its result, its values, and the buttons that use it. Not here: what the
// buttons do (results_page.h). Thread: GUI thread.
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "core/project/project.h"
#include "core/runs/run_directory.h"

class QBoxLayout;
class QGridLayout;
class QLabel;
class QPushButton;

namespace strata::ui {

class ElidedLabel;

class RunCard : public QWidget {
  Q_OBJECT
 public:
  explicit RunCard(QWidget* parent);
  /// Shows a run. `project` is the project that it trained, or null.
  void setRun(const RunInfo& run, const Project* project);
  /// Shows the step of a run that trains. Requires: setRun() has shown the run.
  void setStep(int64_t step);
  /// Shows what Continue would do. `hasCheckpoint` is false if the run cannot continue at all.
  void setContinue(bool isEnabled, const QString& words, bool hasCheckpoint);
  /// Shows a sentence about the data of the results; "" hides it.
  void setMeasuredOn(const QString& sentence);
  /// Arranges the values for a page of this width.
  void layOut(int pageWidth, bool isNarrow);

 Q_SIGNALS:
  void continueRequested();
  void exportRequested();
  void cloneRequested();
  void trainAgainRequested();
  void reportRequested(const QString& suffix);
  void deleteRequested();

 private:
  QString headlineOf(const RunInfo& run) const;
  void makeMenu();

  QBoxLayout* m_head;
  ElidedLabel* m_title;
  QLabel* m_headline;
  // This label tells the user that there is no test set.
  QLabel* m_measuredOn;
  QGridLayout* m_figures;
  // The labels in m_figures, as pairs of name and value.
  std::vector<std::pair<QLabel*, QLabel*>> m_cells;
  // The value in m_cells that shows the steps, and how many the run has in all
  QLabel* m_steps = nullptr;
  int64_t m_totalSteps = 0;
  QPushButton* m_continue;
  QPushButton* m_export;
  QPushButton* m_more;
  QAction* m_html;
  QAction* m_pdf;
  int m_width = 0;
  bool m_isNarrow = false;
};

}  // namespace strata::ui
