// SPDX-License-Identifier: GPL-3.0-or-later
// A button whose menu chooses earlier runs, and reads their histories. Thread: GUI thread; files
// are read on a worker.
#pragma once

#include <QPushButton>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ui/document/latest_worker.h"
#include "ui/plots/metric_plot.h"

class QMenu;

namespace strata::ui {

class Document;
class RunView;

class RunPicker : public QPushButton {
  Q_OBJECT
 public:
  RunPicker(const Document& document, const RunView& view, QWidget* parent);
  /// Returns the chosen runs whose histories are read, without the run that the lenses show.
  std::vector<MetricPlot::OtherRun> runs() const;
  /// Chooses a run, or no longer.
  void setChosen(const std::string& directory, bool isChosen);
  static constexpr size_t kMaxRuns = 8;

 Q_SIGNALS:
  void runsChanged();

 private:
  struct Request {
    std::string directory;
    int64_t totalSteps;
  };
  struct Entry {
    // The index of its colour
    size_t color = 0;
    // Null until it is read
    std::shared_ptr<const MetricHistory> history;
    // 0 if it is unknown
    double stepsPerEpoch = 0;
  };
  void followView();
  void fillMenu();
  void readNext();
  void updateText();

  const Document& m_document;
  const RunView& m_view;
  QMenu* m_menu;
  // By directory
  std::map<std::string, Entry> m_chosen;
  // The number of compared runs for which there is no room
  int m_leftOut = 0;
  LatestWorker<Request> m_reader;
};

}  // namespace strata::ui
