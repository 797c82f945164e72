// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts files that the user chooses or drops, as a table that can be saved, and measures the
// time of a prediction. Not here: predicting (file_predictor.h). Thread: GUI thread.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/pages/results/file_predictor.h"

class QLabel;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

class FilesCard : public QWidget {
  Q_OBJECT
 public:
  explicit FilesCard(QWidget* parent);
  /// Selects the run, and removes the predictions of an earlier one. "" selects none.
  void setRun(const std::string& directory, const std::string& projectFile);
  /// Predicts files and folders.
  void predict(const QStringList& paths);
  /// Writes the table as CSV. Returns "", or why it was not written.
  QString save(const QString& target) const;

 Q_SIGNALS:
  void saved(const QString& line, bool isFailure);

 private:
  QLayout* makeButtons();
  void choose(bool isFolder);
  void chooseTarget();
  void addRows(const std::vector<FilePrediction>& rows);
  void showCount();
  void setBusy(bool isBusy);
  void showTimes(const std::vector<InferenceTime>& times, int threads);

  FilePredictor* m_predictor;
  QLabel* m_sentence;
  QPushButton* m_cancel;
  QPushButton* m_save;
  QPushButton* m_measure;
  QStandardItemModel* m_rows;
  QTableView* m_table;
  QLabel* m_times;
  std::vector<FilePrediction> m_predictions;
  int m_problems = 0, m_left = 0;
  bool m_isBusy = false;
};

}  // namespace strata::ui
