// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with the time of a run: where the time of a step goes, live and over the run, a table by
// layer, op and kernel, advice, a timeline, and the limits of the device. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <optional>

#include "core/runs/step_advice.h"
#include "gpu/base/clock.h"
#include "ui/lenses/lens.h"
#include "ui/run/redraw_pace.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace strata::ui {

class ElidedLabel;
class RooflinePlot;
class StepTimePlot;
class TimelineCard;
class TimeTable;

class TimeLens : public QWidget {
  Q_OBJECT
 public:
  TimeLens(const LensContext& context, QWidget* parent);
  StepTimePlot& stepTimes() { return *m_stepTimes; }
  TimeTable& table() { return *m_table; }
  TimelineCard& timeline() { return *m_timeline; }
  RooflinePlot& roofline() { return *m_roofline; }
  const std::vector<StepAdvice>& advice() const { return m_advice; }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeStepCard();
  QWidget* makeAdviceCard();
  QWidget* makeRooflineCard();
  void refresh();
  void refreshAll();
  void refreshStep();
  void refreshAdvice();
  void refreshRoofline();
  void refreshProfiling();
  void measureDrawing();
  void refreshWatching();
  QString whyEmpty() const;

  const LensContext m_context;
  ElidedLabel* m_total;
  QLabel *m_overhead, *m_watching;
  QPushButton* m_profiling;
  StepTimePlot* m_stepTimes;
  QWidget* m_adviceCard;
  QVBoxLayout* m_adviceLines;
  std::vector<StepAdvice> m_advice;
  bool m_isAdviceKnown = false;
  // The processor time of this thread when the live run began, and since then which part of the
  // machine it took; both empty for other runs
  struct Drawing {
    Clock::time_point began;
    std::chrono::nanoseconds before{0};
  };
  std::optional<Drawing> m_drawing;
  std::optional<double> m_drawingShare;
  RedrawPace m_pace;
  TimeTable* m_table;
  TimelineCard* m_timeline;
  RooflinePlot* m_roofline;
};

QWidget* makeTimeLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
