// SPDX-License-Identifier: GPL-3.0-or-later
// The progress of a run on a terminal: a bar that is redrawn, or plain lines when piped.
// Thread: the training thread calls the observer methods, which only store; the main thread prints
// in run().
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
  /// isBar: redraw one line; otherwise print a line per epoch and one every few seconds. isQuiet:
  /// print nothing between the lines of the epochs.
  ConsoleProgress(std::ostream& out, bool isBar, bool isQuiet)
      : m_out(out), m_isBar(isBar), m_isQuiet(isQuiet) {}

  void onStart(const RunStart& start) override;
  void onStep(const StepMetrics& step) override;
  void onEpoch(const EpochMetrics& epoch) override;
  void onValidation(const ValidationMetrics& validation) override;
  void onSetting(const SettingChanged& setting) override;
  void onWarning(const std::string& warning) override;
  void onOutcome(const RunOutcome& outcome) override;

  // Valid after run()
  const std::vector<std::string>& metricNames() const { return m_start.metricNames; }
  /// Draws until the outcome arrives and returns it.
  RunOutcome run();

 private:
  std::string metricsText(double loss, const std::vector<double>& metrics,
                          const char* prefix) const;
  std::string bar(int width) const;
  void flushLines(std::unique_lock<std::mutex>& lock);

  std::ostream& m_out;
  const bool m_isBar, m_isQuiet;
  // Protected by m_mutex.
  std::mutex m_mutex;
  std::condition_variable m_changed;
  struct Line {
    std::string text;
    // Printed to standard error
    bool isWarning = false;
  };
  // Finished lines to print
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
