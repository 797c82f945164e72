// SPDX-License-Identifier: Apache-2.0
// The states of the devices of a run over time: samples, their summary, and both as JSON.
// Not here: reading a state (gpu/devices/device_state.h), taking samples
// (core/train/device_sampler.h).
// Thread: plain values; readDeviceSamples() only accesses the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/project/json.h"
#include "gpu/devices/device_state.h"

namespace strata {

struct DeviceSample {
  std::string device;
  // Time since the run began to train, without pauses
  double seconds = 0;
  // Whether the device is computed by software, so that the values are made up by rules
  bool isSimulated = false;
  DeviceState state;
};

/// The values of one quantity over a run. A sample without the quantity does not count.
struct MeanAndMaximum {
  int64_t count = 0;
  double mean = 0, maximum = 0;
  void add(double value);
};

/// The energy of a device: the integral of its power over the training time. Between two samples,
/// the power changes linearly.
struct MeasuredEnergy {
  double joules = 0;
  // The time that the integral covers; 0 if the power is not known
  double seconds = 0;
  bool isKnown() const { return seconds > 0; }
  /// Adds the power at a time; nullopt if the device did not report it.
  void add(double time, std::optional<double> watts);

 private:
  std::optional<std::pair<double, double>> m_last;
};

/// The samples of one device.
struct DeviceSummary {
  std::string device;
  bool isSimulated = false;
  int64_t samples = 0;
  std::optional<size_t> totalBytes, ownPeakBytes, otherPeakBytes;
  MeanAndMaximum utilization, celsius, watts, megahertz, memoryMegahertz;
  MeasuredEnergy energy;
  void add(const DeviceSample& sample);
};

/// Returns the values that are known, such as {"samples": 40, "own_peak_bytes": 1048576,
/// "utilization": {"mean": 0.5, "max": 0.9, "samples": 39}}.
Json summaryToJson(const DeviceSummary& summary);
/// Reads what summaryToJson() returns. Throws Json::exception.
DeviceSummary summaryFromJson(const Json& json);

/// Reads the samples in events.jsonl of a run, oldest first. Skips lines that are damaged, and
/// returns no samples if the file cannot be read.
std::vector<DeviceSample> readDeviceSamples(const std::string& runDirectory);
/// Returns whether a line of events.jsonl is a sample.
bool isDeviceSample(std::string_view line);

}  // namespace strata
