// SPDX-License-Identifier: Apache-2.0
// What other threads ask of a training thread: pause, resume, single step, stop, live settings.
// Thread: requests come from any thread; the training thread asks isQuiet() before each step, and
// takes and waits where it is not.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/runs/events.h"

namespace strata {

/// A setting as a person wants it from an update on; names as in run_edits.h.
struct SettingRequest {
  std::string name;
  double value = 0;
  // The first update that it counts for; 0: the next one
  int64_t step = 0;
};

class RunControl {
 public:
  explicit RunControl(bool startsPaused, bool isProfiling)
      : m_isPaused(startsPaused), m_needsAttention(startsPaused), m_isProfiling(isProfiling) {}

  // Any thread.
  void pause();
  void resume();
  void step();
  void stop();
  void change(SettingRequest request);
  void setProfiling(bool on) { m_isProfiling.store(on, std::memory_order_relaxed); }
  RunState state() const { return m_state.load(std::memory_order_acquire); }

  // The training thread.
  std::stop_token stopToken() const { return m_stop.get_token(); }
  bool isStopRequested() const { return m_stop.stop_requested(); }
  bool isQuiet() const { return !m_needsAttention.load(std::memory_order_acquire); }
  bool isProfiling() const { return m_isProfiling.load(std::memory_order_relaxed); }
  void setState(RunState state) { m_state.store(state, std::memory_order_release); }
  /// Whether the next step must wait; takes one of the single steps that were asked for.
  bool mustWait();
  /// Waits until a step may go on or a stop was asked for.
  void wait();
  /// What was asked for since the last call, in its order.
  std::vector<SettingRequest> takeSettings();

 private:
  std::stop_source m_stop;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  // Protected by m_mutex
  bool m_isPaused;
  // Protected by m_mutex
  int m_singleSteps = 0;
  // Protected by m_mutex
  std::vector<SettingRequest> m_settings;
  std::atomic<bool> m_needsAttention;
  std::atomic<bool> m_isProfiling;
  std::atomic<RunState> m_state{RunState::Preparing};
};

}  // namespace strata
