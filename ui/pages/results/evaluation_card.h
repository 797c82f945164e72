// SPDX-License-Identifier: GPL-3.0-or-later
// ROC curves, precision-recall curves and the reliability diagram of a classifier, for one class or
// for all. Not here: computing them (core/evaluation), their table (scores_card.h). Thread: GUI
// thread.
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <memory>

#include "ui/plots/plot_files.h"

class QBoxLayout;
class QComboBox;
class QCustomPlot;
class QLabel;

namespace strata {
struct ClassFigures;
}

namespace strata::ui {

struct EvaluatedRun;
struct OutputFigures;

class EvaluationCard : public QWidget {
  Q_OBJECT
 public:
  explicit EvaluationCard(QWidget* parent);
  /// Shows the curves of an output of `run`. Requires: the output has classes or labels.
  void setFigures(std::shared_ptr<const EvaluatedRun> run, size_t output);
  QCustomPlot* rocPlot() const { return m_roc; }
  QCustomPlot* recallPlot() const { return m_recall; }
  QCustomPlot* reliabilityPlot() const { return m_reliability; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Curve {
    QString name;
    QVector<double> x, y;
  };
  QCustomPlot* makePlot(const QString& name, const QString& x, const QString& y);
  const OutputFigures& figures() const;
  QString className(int64_t index) const;
  const ClassFigures* chosenClass() const;
  /// Returns the curves of the chosen class, or of all classes together and of each class.
  std::vector<Curve> curves(bool isRoc) const;
  void show();
  void showCurves(QCustomPlot* plot, const std::vector<Curve>& curves, bool hasDiagonal);
  void showReliability();
  PlotTable curveTable(bool isRoc) const;
  PlotTable reliabilityTable() const;

  std::shared_ptr<const EvaluatedRun> m_run;
  size_t m_output = 0;
  QComboBox* m_class;
  QBoxLayout* m_body;
  QCustomPlot* m_roc;
  QCustomPlot* m_recall;
  QCustomPlot* m_reliability;
  QLabel* m_sentence;
};

}  // namespace strata::ui
