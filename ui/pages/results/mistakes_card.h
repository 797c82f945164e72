// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the mistakes of a network on its evaluated samples. It has a confusion matrix, and lists
// the samples of the selected cell, or the most or least confident right or wrong predictions of a
// class. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/plots/plot_files.h"

class QComboBox;
class QLabel;
class QModelIndex;
class QPushButton;

namespace strata::ui {

struct EvaluatedRun;
class MatrixView;
class SampleList;

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
  QWidget* makeFields();
  void fillMatrix();
  void fillClasses();
  std::vector<size_t> chosenSamples() const;
  QString sentenceFor(size_t count) const;
  void showAllMistakes();
  void showCell(const QModelIndex& index);
  void fillList();

  std::shared_ptr<const EvaluatedRun> m_run;
  QLabel* m_sentence;
  QLabel* m_chosen;
  MatrixView* m_matrixView;
  QWidget* m_zoom;
  QWidget* m_matrixFrame;
  QPushButton* m_all;
  QWidget* m_fields;
  QComboBox* m_kind;
  QComboBox* m_class;
  QComboBox* m_order;
  SampleList* m_list;
  // The true and the predicted class of the selected cell
  std::optional<std::pair<int, int>> m_cell;
};

}  // namespace strata::ui
