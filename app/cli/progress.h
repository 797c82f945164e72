// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the progress of a run on a terminal: a bar that is redrawn, or plain lines if the output is
// piped. Thread: the training thread calls the observer methods, which only store values. The main
// thread calls run(), which prints them.
#pragma once

#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "core/runs/events.h"

namespace strata::cli {

class ConsoleProgress : public RunObserver {
 public:
  /// Creates an observer that prints to `out`. run() prints one line per epoch and event. It also
  /// redraws a progress bar if `isBar` is true, or otherwise prints the progress every 10 seconds.
  /// `isQuiet` turns off the bar and the progress lines.
  ConsoleProgress(std::ostream& out, bool isBar, bool isQuiet)
      : m_out(out), m_isBar(isBar), m_isQuiet(isQuiet) {}

  void onStart(const RunStart& start) override;
  void onStep(const StepMetrics& step) override;
  void onEpoch(const EpochMetrics& epoch) override;
  void onValidation(const ValidationMetrics& validation) override;
  void onSetting(const SettingChanged& setting) override;
  void onLayerSampling(const LayerSampling& sampling) override;
  void onWarning(const std::string& warning) override;
  void onOutcome(const RunOutcome& outcome) override;

  /// Returns what the run said at its start. Call it only after run() has returned.
  const RunStart& start() const { return m_start; }
  /// Prints the progress until the outcome arrives, and returns the outcome.
  RunOutcome run();

 private:
  std::string metricsText(double loss, const std::vector<double>& metrics,
                          const char* prefix) const;
  std::string bar(int width) const;
  void flushLines(std::unique_lock<std::mutex>& lock);

  std::ostream& m_out;
  const bool m_isBar, m_isQuiet;
  // `m_mutex` protects the members below.
  std::mutex m_mutex;
  std::condition_variable m_changed;
  struct Line {
    std::string text;
    // If true, the line goes to standard error.
    bool isWarning = false;
  };
  // The lines that run() has not printed yet.
  std::vector<Line> m_lines;
  RunStart m_start;
  StepMetrics m_step;
  double m_epochLoss = 0;
  std::vector<double> m_epochMetrics;
  int64_t m_epochSamples = 0, m_epochOfSums = 0;
  bool m_hasStep = false, m_hasOutcome = false, m_isBarShown = false;
  RunOutcome m_outcome;
};

}  // namespace strata::cli
