// SPDX-License-Identifier: Apache-2.0
// Requests of other threads to a training thread: pause, resume, single step, stop, and changes of
// settings. Not here: carrying them out (training_run.h).
// Thread: any thread may make a request. The training thread calls isQuiet() before each step, and
// handles the requests if it returns false.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/runs/events.h"

namespace strata {

/// A request to change a setting from an update on. run_edits.h defines the names of settings.
struct SettingRequest {
  std::string name;
  double value = 0;
  // The first update with the new value; 0 means the next one
  int64_t step = 0;
};

/// What the user wants after the files of a run could not be written.
struct DiskAnswer {
  enum class Choice : uint8_t { Retry, OtherFolder, WithoutFiles };
  Choice choice = Choice::Retry;
  // For OtherFolder: the folder that gets the run's folder
  std::string folder;
};

class RunControl {
 public:
  explicit RunControl(bool startsPaused, bool isProfiling)
      : m_isPaused(startsPaused), m_needsAttention(startsPaused), m_isProfiling(isProfiling) {}

  // Any thread may call these functions.
  void pause();
  void resume();
  void step();
  void stop();
  void change(SettingRequest request);
  /// Requests a stop that waits for no answer.
  void abandon();
  /// Answers the question about a failure of writing. resume() answers it with Retry.
  void answer(DiskAnswer answer);
  void setProfiling(bool on) { m_isProfiling.store(on, std::memory_order_relaxed); }
  /// Switches the sampling of layers on or off before the next step.
  void setLayerSampling(bool on) {
    m_layerRequest.store(on ? kSwitchOn : kSwitchOff, std::memory_order_relaxed);
  }
  /// Requests a recording of the next steps (step_capture.h).
  void capture(int64_t steps) { m_captureSteps.store(steps, std::memory_order_relaxed); }
  RunState state() const { return m_state.load(std::memory_order_acquire); }

  // Only the training thread may call these functions.
  std::stop_token stopToken() const { return m_stop.get_token(); }
  bool isStopRequested() const { return m_stop.stop_requested(); }
  bool isQuiet() const { return !m_needsAttention.load(std::memory_order_acquire); }
  bool isProfiling() const { return m_isProfiling.load(std::memory_order_relaxed); }
  bool hasCapture() const { return m_captureSteps.load(std::memory_order_relaxed) > 0; }
  /// Returns how many steps a request wants recorded, and uses it up; 0 without one.
  int64_t takeCapture() {
    return m_captureSteps.load(std::memory_order_relaxed) == 0 ? 0 : m_captureSteps.exchange(0);
  }
  bool hasLayerRequest() const {
    return m_layerRequest.load(std::memory_order_relaxed) != kNoSwitch;
  }
  /// Returns the latest request about the sampling of layers, and uses it up; nullopt without one.
  std::optional<bool> takeLayerRequest() {
    const int request = m_layerRequest.exchange(kNoSwitch, std::memory_order_relaxed);
    return request == kNoSwitch ? std::nullopt : std::optional(request == kSwitchOn);
  }
  void setState(RunState state) { m_state.store(state, std::memory_order_release); }
  /// Returns whether the next step must wait. If it need not wait, uses up a requested single step.
  bool mustWait();
  /// Waits until a step may run, a setting changes or a stop is requested.
  void wait();
  /// Begins a question about a failure of writing. From now on, answer() counts.
  void ask();
  /// Waits for the answer. The first request to stop answers WithoutFiles. Returns nullopt for a
  /// further one, or if the run is abandoned.
  std::optional<DiskAnswer> waitForAnswer();
  /// Returns the changes of settings since the last call, in their order.
  std::vector<SettingRequest> takeSettings();

 private:
  std::stop_source m_stop;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  // m_mutex protects these members.
  bool m_isPaused;
  int m_singleSteps = 0;
  std::vector<SettingRequest> m_settings;
  bool m_isAsking = false, m_isAbandoned = false;
  std::optional<DiskAnswer> m_answer;
  std::atomic<bool> m_needsAttention;
  std::atomic<bool> m_isProfiling;
  std::atomic<int64_t> m_captureSteps{0};
  static constexpr int kNoSwitch = -1, kSwitchOff = 0, kSwitchOn = 1;
  std::atomic<int> m_layerRequest{kNoSwitch};
  std::atomic<RunState> m_state{RunState::Preparing};
};

}  // namespace strata
