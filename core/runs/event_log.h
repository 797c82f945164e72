// SPDX-License-Identifier: Apache-2.0
// Writes the events of a run as lines of JSON, for `--events` and for events.jsonl in a run
// directory. Not here: the exact values of all steps in binary form (history.h).
// Thread: only the training thread may use an object.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/runs/events.h"

namespace strata {

class EventLog : public RunObserver {
 public:
  /// Writes to `out`, which must outlive the log. If `writesSteps` is false, the log omits step
  /// events, because the binary history contains them.
  explicit EventLog(std::ostream& out, bool writesSteps = true)
      : m_out(out), m_writesSteps(writesSteps) {}

  void onStart(const RunStart& start) override;
  void onStep(const StepMetrics& step) override;
  void onEpoch(const EpochMetrics& epoch) override;
  void onValidation(const ValidationMetrics& validation) override;
  void onCheckpoint(const CheckpointSaved& saved) override;
  /// Writes an event only if steps were measured node by node.
  void onProfile(const std::shared_ptr<const ProfileSnapshot>& profile) override;
  void onTrace(const StepsTraced& traced) override;
  /// Without steps, the log is a file that stays. It then omits samples that equal the one before,
  /// and those that follow it by less than 1/2400 of the training time so far.
  void onDeviceState(const DeviceSample& sample) override;
  void onSetting(const SettingChanged& setting) override;
  void onLayerSampling(const LayerSampling& sampling) override;
  void onKeptBatch(const KeptBatch& batch) override;
  void onWarning(const std::string& warning) override { onWarningOf("", warning); }
  void onWarningOf(const std::string& code, const std::string& text) override;
  void onOutcome(const RunOutcome& outcome) override;
  /// Whether `line`, the line of a setting event, ends with the correct hash of the rest of the
  /// line.
  static bool isWhole(const std::string& line);

 private:
  void appendNumber(double value);
  void appendValue(const char* key, std::optional<double> value);
  void appendBytes(const char* key, std::optional<size_t> bytes);
  void appendMetrics(const char* key, const std::vector<double>& metrics);
  void appendLossScale(const std::optional<LossScaleState>& state);
  void appendValidation(double loss, const std::vector<double>& metrics);
  void endWithSeconds(double seconds);
  bool isKept(const DeviceSample& sample);
  void write();

  std::ostream& m_out;
  const bool m_writesSteps;
  // The line that is being written. Reused, so that a step allocates no memory
  std::string m_line;
  // Metric names as JSON strings
  std::vector<std::string> m_quotedNames;
  // The device of the run, and the same as a JSON string
  std::string m_device;
  // One for each replica
  std::vector<std::string> m_quotedDevices;
  // The last samples in the file, one for each device
  std::vector<DeviceSample> m_lastSamples;
};

}  // namespace strata
