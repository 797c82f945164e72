// SPDX-License-Identifier: GPL-3.0-or-later
// The states of one device over the time of a run, in bounded memory. Not here: reading and storing
// states (core/runs/device_samples.h). It does not use Qt. Thread: values without locks.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/runs/device_samples.h"
#include "ui/run/metric_history.h"

namespace strata::ui {

enum class DeviceQuantity : uint8_t {
  OwnMemory,
  OtherMemory,
  Utilization,
  Temperature,
  Power,
  Clock,
  MemoryClock
};
inline constexpr size_t kNumDeviceQuantities = 7;
std::optional<double> valueOf(const DeviceState& state, DeviceQuantity quantity);

class DeviceHistory {
 public:
  /// Adds a sample of this device. A sample that is not later than the one before only changes
  /// last().
  void add(const DeviceSample& sample);
  const DeviceSample& last() const { return m_last; }
  /// Returns the values by training time in seconds. Values that are not known are left out.
  const MetricSeries& series(DeviceQuantity quantity) const {
    return m_series[static_cast<size_t>(quantity)];
  }

 private:
  DeviceSample m_last;
  std::array<MetricSeries, kNumDeviceQuantities> m_series;
};

/// Adds samples to the histories of their devices. New devices come last.
void addSamples(std::vector<DeviceHistory>& histories, std::span<const DeviceSample> samples);

}  // namespace strata::ui
