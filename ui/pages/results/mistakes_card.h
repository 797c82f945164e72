// SPDX-License-Identifier: GPL-3.0-or-later
// What a network got wrong on the samples that a run was measured on: a confusion matrix, and the
// samples of the chosen cell, surest mistakes first. Thread: the window's.
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
  /// null: nothing is known yet; `sentence` then says why.
  void setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence = {});
  void focusList();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fillMatrix();
  /// All mistakes, or those of one cell.
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
