// SPDX-License-Identifier: GPL-3.0-or-later
// Shows what matters in a sample for the prediction of a network. For an image, these are places:
// saliency, Grad-CAM or occlusion, drawn over the image. For a row of a table, it is the
// contribution of each column. Not here: computing the maps (sample_explainer.h). Thread: GUI
// thread.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <string>

#include "ui/pages/results/sample_explainer.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace strata::ui {

struct EvaluatedRun;
class HeatView;

class ExplanationCard : public QWidget {
  Q_OBJECT
 public:
  explicit ExplanationCard(QWidget* parent);
  /// Explains a sample of an evaluated run.
  void explain(std::shared_ptr<const EvaluatedRun> run, const std::string& projectFile,
               int64_t sample);
  /// Forgets the sample and stops the work.
  void clear();
  /// Returns the picture with the map, or a null image.
  const QImage& picture() const;

 Q_SIGNALS:
  void closed();

 private:
  void makeBars();
  QLayout* makeControls();
  bool isTable() const;
  void ask();
  void showAnswer(const ExplainAnswer& answer);
  void showColumns(const ExplainAnswer& answer);
  void setBusy(bool isBusy);
  QString className(int64_t index) const;

  std::shared_ptr<const EvaluatedRun> m_run;
  std::string m_projectFile;
  int64_t m_sample = 0;
  std::shared_ptr<const ExplainAnswer> m_answer;
  SampleExplainer* m_explainer;
  QComboBox* m_method;
  QComboBox* m_class;
  QComboBox* m_layer;
  QPushButton* m_cancel;
  HeatView* m_image;
  HeatView* m_heat;
  QStandardItemModel* m_columns;
  QTableView* m_bars;
  QLabel* m_sentence;
  // Whether the fields change without the user
  bool m_isFilling = false;
};

}  // namespace strata::ui
