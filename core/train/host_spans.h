// SPDX-License-Identifier: Apache-2.0
// What the threads of the host do while steps are recorded: the training thread and the threads
// that load batches. Not here: the trace (step_capture.h).
// Thread: any thread may call isOn() and add(); one thread starts and stops.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gpu/base/clock.h"

namespace strata {

class HostSpans {
 public:
  struct Span {
    // The thread, such as "loader 1", and what it did
    std::string lane, name;
    Clock::time_point begin, end;
  };
  /// Whether spans are kept. While they are not, threads need not measure them.
  bool isOn() const { return m_isOn.load(std::memory_order_relaxed); }
  void start() {
    const std::lock_guard lock(m_mutex);
    m_spans.clear();
    m_isOn.store(true, std::memory_order_relaxed);
  }
  /// Returns the spans since start().
  std::vector<Span> stop() {
    const std::lock_guard lock(m_mutex);
    m_isOn.store(false, std::memory_order_relaxed);
    return std::exchange(m_spans, {});
  }
  void add(Span span) {
    const std::lock_guard lock(m_mutex);
    if (isOn() && m_spans.size() < kMost) m_spans.push_back(std::move(span));
  }

 private:
  static constexpr size_t kMost = 1'000'000;
  std::atomic<bool> m_isOn{false};
  std::mutex m_mutex;
  std::vector<Span> m_spans;
};

}  // namespace strata
