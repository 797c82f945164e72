// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with a chart for every recorded series of a run. All charts zoom together. Charts are
// pinned and reordered, and other runs are laid over them. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/lenses/curve_charts.h"
#include "ui/lenses/lens.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QFrame;
class QGridLayout;
class QLabel;
class QScrollArea;
class QSlider;

namespace strata::ui {

class ClassesCard;
class LinkedPlots;
class RunPicker;

class CurvesLens : public QWidget {
  Q_OBJECT
 public:
  CurvesLens(const LensContext& context, QWidget* parent);
  RunPicker& otherRuns() { return *m_others; }
  ClassesCard& classes() { return *m_classes; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Card {
    CurveChart chart;
    QFrame* frame;
    MetricPlot* plot;
  };
  QLayout* makeControls();
  void showRun();
  void showEnd();
  void addCard(CurveChart chart);
  void extendMenu(QMenu* menu, const std::string& series);
  void arrange();
  void refresh();
  void refreshClasses();
  void useSmoothing(Smoothing smoothing);
  void showSmoothing(Smoothing smoothing);
  void useAxis();
  void useOthers();
  void dropAt(const std::string& series, const QPoint& place);
  int columns() const;

  const LensContext m_context;
  ChartOrder m_order;
  QBoxLayout* m_controls;
  QSlider* m_smoothing;
  QLabel* m_smoothingText;
  QComboBox* m_axis;
  QCheckBox* m_logX;
  QCheckBox* m_logY;
  QCheckBox* m_band;
  RunPicker* m_others;
  QLabel* m_empty;
  QScrollArea* m_scroll;
  QWidget* m_content;
  QGridLayout* m_grid;
  ClassesCard* m_classes;
  // The frame around m_classes
  QFrame* m_classFrame;
  // Whether the shown run may have classes
  bool m_mayHaveClasses = false;
  LinkedPlots* m_linked = nullptr;
  std::vector<Card> m_cards;
  // The number of columns in m_grid
  int m_columns = 0;
  // The series whose title is being dragged, or "", and where the drag began
  std::string m_dragged;
  QPoint m_dragStart;
};

QWidget* makeCurvesLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
