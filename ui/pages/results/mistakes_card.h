// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the mistakes of a network on its evaluated samples. It has a confusion matrix, and lists
// the samples of the selected cell, most confident mistakes first. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <vector>

#include "ui/pages/sample_pictures.h"
#include "ui/plots/plot_files.h"

class QLabel;
class QListView;
class QPushButton;
class QStandardItemModel;

namespace strata::ui {

struct EvaluatedRun;
class MatrixView;

class MistakesCard : public QWidget {
  Q_OBJECT
 public:
  explicit MistakesCard(QWidget* parent = nullptr);
  /// Shows the results of `run`. If `run` is null, there are no results yet, and `sentence` gives
  /// the reason.
  void setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence = {});
  void focusList();

 Q_SIGNALS:
  /// Emitted on a double click or Enter on a sample.
  void sampleOpened(int64_t sample);

 private:
  PlotTable matrixTable() const;
  void fillMatrix();
  /// Shows the samples of one cell, or all mistakes if the classes are -1.
  void fillList(int trueClass, int predictedClass);
  std::shared_ptr<const EvaluatedRun> m_run;
  QLabel* m_sentence;
  QLabel* m_chosen;
  MatrixView* m_matrixView;
  QWidget* m_zoom;
  QWidget* m_matrixFrame;
  QPushButton* m_all;
  QStandardItemModel* m_list;
  QListView* m_listView;
  // The samples of the list, by row
  std::vector<int64_t> m_listed;
  std::unique_ptr<SamplePictures> m_pictures;
};

}  // namespace strata::ui
