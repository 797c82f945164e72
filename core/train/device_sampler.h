// SPDX-License-Identifier: Apache-2.0
// Reads the state of a device every 250 ms while a run trains, on a thread of its own. The training
// thread takes the samples between two steps, so reading never delays a step.
// Not here: reading a state (gpu/devices/device_state.h), samples as values
// (core/runs/device_samples.h).
// Thread: only the training thread may use an object.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/runs/device_samples.h"

namespace strata {

class DeviceSampler {
 public:
  static constexpr std::chrono::milliseconds kInterval{250};

  /// Takes the first sample at once. `seconds` is the time of the samples before. If the system has
  /// no thread for the sampler, there are no samples.
  DeviceSampler(const std::string& device, bool isSimulated, DeviceReader read, double seconds,
                std::chrono::milliseconds interval = kInterval);
  /// As stop().
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  /// Sets whether no samples are taken, and the time does not count, because the run is paused.
  void setPaused(bool on);
  /// Takes a last sample, and ends the thread.
  void stop();
  /// Returns whether take() would return samples.
  bool hasSamples() const { return m_hasSamples.load(std::memory_order_acquire); }
  /// Returns the samples since the call before, oldest first. They are valid until the next call.
  const std::vector<DeviceSample>& take();
  /// Returns the summary of all samples that take() has returned.
  const DeviceSummary& summary() const { return m_summary; }

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stopping);
  void sample();
  double secondsNow() const;

  const std::chrono::milliseconds m_interval;
  const DeviceReader m_read;
  DeviceSample m_next;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  // m_mutex protects these members.
  std::vector<DeviceSample> m_samples;
  bool m_isPaused = false;
  double m_secondsBefore;
  Clock::time_point m_since;
  std::atomic<bool> m_hasSamples{false};
  std::vector<DeviceSample> m_taken;
  DeviceSummary m_summary;
  // The last member, so that the thread ends first
  std::jthread m_thread;
};

}  // namespace strata
