// SPDX-License-Identifier: GPL-3.0-or-later
// The mistakes of a network on its evaluated samples: a confusion matrix, and the samples of the
// selected cell, most confident mistakes first. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <memory>

#include "ui/pages/sample_pictures.h"

class QLabel;
class QListView;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

struct EvaluatedRun;

class MistakesCard : public QWidget {
  Q_OBJECT
 public:
  explicit MistakesCard(QWidget* parent = nullptr);
  /// null: no result yet; `sentence` gives the reason.
  void setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence = {});
  void focusList();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fillMatrix();
  /// Shows all mistakes, or those of one cell.
  void fillList(int trueClass, int predictedClass);
  std::shared_ptr<const EvaluatedRun> m_run;
  QLabel* m_sentence;
  QLabel* m_chosen;
  QStandardItemModel* m_matrix;
  QTableView* m_matrixView;
  QWidget* m_matrixFrame;
  QPushButton* m_all;
  QStandardItemModel* m_list;
  QListView* m_listView;
  std::unique_ptr<SamplePictures> m_pictures;
};

}  // namespace strata::ui
