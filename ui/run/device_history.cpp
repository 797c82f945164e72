// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/device_history.h"

#include <algorithm>

namespace strata::ui {

std::optional<double> valueOf(const DeviceState& state, DeviceQuantity quantity) {
  const auto number = [](const auto& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  switch (quantity) {
    case DeviceQuantity::OwnMemory: return number(state.ownBytes);
    case DeviceQuantity::OtherMemory: return number(state.otherBytes);
    case DeviceQuantity::Utilization: return state.utilization;
    case DeviceQuantity::Temperature: return number(state.celsius);
    case DeviceQuantity::Power: return state.watts;
    case DeviceQuantity::Clock: return number(state.megahertz);
    case DeviceQuantity::MemoryClock: return number(state.memoryMegahertz);
  }
  return std::nullopt;
}

void DeviceHistory::add(const DeviceSample& sample) {
  m_last = sample;
  for (size_t i = 0; i < m_series.size(); ++i) {
    MetricSeries& series = m_series[i];
    const auto value = valueOf(sample.state, static_cast<DeviceQuantity>(i));
    if (value && (series.isEmpty() || sample.seconds > series.lastStep()))
      series.append(sample.seconds, *value);
  }
}

void addSamples(std::vector<DeviceHistory>& histories, std::span<const DeviceSample> samples) {
  for (const DeviceSample& sample : samples) {
    auto own = std::ranges::find_if(
        histories, [&](const DeviceHistory& each) { return each.last().device == sample.device; });
    if (own == histories.end()) own = histories.emplace(histories.end());
    own->add(sample);
  }
}

}  // namespace strata::ui
