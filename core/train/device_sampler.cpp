// SPDX-License-Identifier: Apache-2.0
#include "core/train/device_sampler.h"

#include <exception>

namespace strata {

DeviceSampler::DeviceSampler(const std::string& device, bool isSimulated, DeviceReader read,
                             double seconds, std::chrono::milliseconds interval)
    : m_interval(interval),
      m_read(std::move(read)),
      m_secondsBefore(seconds),
      m_since(Clock::now()) {
  m_next.device = m_summary.device = device;
  m_next.isSimulated = m_summary.isSimulated = isSimulated;
  // Steps allocate no memory, so the samples of some seconds have their places
  constexpr size_t kReserved = 64;
  m_samples.reserve(kReserved);
  m_taken.reserve(kReserved);
  try {
    m_thread = std::jthread([this](const std::stop_token& stopping) { run(stopping); });
  }
  catch (const std::exception&) {
    // Training does not depend on samples
  }
}

DeviceSampler::~DeviceSampler() { stop(); }

/// Requires: the caller holds m_mutex.
double DeviceSampler::secondsNow() const {
  return m_isPaused
             ? m_secondsBefore
             : m_secondsBefore + std::chrono::duration<double>(Clock::now() - m_since).count();
}

void DeviceSampler::sample() {
  // Outside the lock, because it may wait
  m_next.state = m_read();
  const std::lock_guard lock(m_mutex);
  m_next.seconds = secondsNow();
  m_samples.push_back(m_next);
  m_hasSamples.store(true, std::memory_order_release);
}

void DeviceSampler::run(const std::stop_token& stopping) {
  try {
    for (auto next = Clock::now();; next = std::max(next + m_interval, Clock::now())) {
      std::unique_lock lock(m_mutex);
      m_changed.wait_until(lock, stopping, next, [] { return false; });
      m_changed.wait(lock, stopping, [&] { return !m_isPaused; });
      const bool isLast = stopping.stop_requested();
      lock.unlock();
      sample();
      if (isLast) return;
    }
  }
  catch (const std::exception&) {
    // Without memory there are no more samples
  }
}

void DeviceSampler::setPaused(bool on) {
  const std::lock_guard lock(m_mutex);
  m_secondsBefore = secondsNow();
  m_since = Clock::now();
  m_isPaused = on;
  m_changed.notify_all();
}

void DeviceSampler::stop() {
  if (!m_thread.joinable()) return;
  m_thread.request_stop();
  m_thread.join();
}

const std::vector<DeviceSample>& DeviceSampler::take() {
  m_taken.clear();
  {
    const std::lock_guard lock(m_mutex);
    m_taken.swap(m_samples);
    m_hasSamples.store(false, std::memory_order_release);
  }
  for (const DeviceSample& each : m_taken)
    m_summary.add(each);
  return m_taken;
}

}  // namespace strata
