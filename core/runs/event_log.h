// SPDX-License-Identifier: Apache-2.0
// The run's events as JSON lines (contract: `--events`, and events.jsonl of a run directory).
// Thread: called on the training thread only.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/runs/events.h"

namespace strata {

class EventLog : public RunObserver {
 public:
  /// `out` outlives the log. Without steps only the rare events are written (the binary history has
  /// every step).
  explicit EventLog(std::ostream& out, bool writesSteps = true)
      : m_out(out), m_writesSteps(writesSteps) {}

  void onStart(const RunStart& start) override;
  void onStep(const StepMetrics& step) override;
  void onEpoch(const EpochMetrics& epoch) override;
  void onValidation(const ValidationMetrics& validation) override;
  void onCheckpoint(const CheckpointSaved& saved) override;
  void onSetting(const SettingChanged& setting) override;
  void onWarning(const std::string& warning) override;
  void onOutcome(const RunOutcome& outcome) override;
  /// Is this the line of a setting as it was written? By the hash at its end.
  static bool isWhole(const std::string& line);

 private:
  void appendNumber(double value);
  void appendMetrics(const char* key, const std::vector<double>& metrics);
  void appendValidation(double loss, const std::vector<double>& metrics);
  void endWithSeconds(double seconds);
  void write();

  std::ostream& m_out;
  const bool m_writesSteps;
  // reused: no allocation per step
  std::string m_line;
  // Metric names as JSON strings
  std::vector<std::string> m_quotedNames;
  std::string m_quotedDevice;
};

}  // namespace strata
