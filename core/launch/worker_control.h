// SPDX-License-Identifier: Apache-2.0
// The control connection of a process that `strata launch` has started: it sends a heartbeat each
// second, and receives stops and losses of processes.
// Not here: the other end (launcher.h).
// Thread: any thread may call every method.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/launch/control_socket.h"
#include "gpu/base/clock.h"

namespace strata {

/// Where launch listens, and its secret. They are in the environment of the processes.
struct LaunchPlace {
  std::string addresses, secret;
};
constexpr const char* kLaunchAddresses = "STRATA_LAUNCH";
constexpr const char* kLaunchSecret = "STRATA_LAUNCH_SECRET";
/// Returns the place, if launch has started this process.
std::optional<LaunchPlace> launchPlace();

class WorkerControl {
 public:
  struct Calls {
    // The user stops the run
    std::function<void()> onStop;
    // The run cannot go on, because another process or launch was lost. The argument names it.
    std::function<void(const std::string&)> onLost;
  };
  /// Connects, and begins to send heartbeats.
  /// Fails: IoFailure if launch cannot be reached.
  WorkerControl(const LaunchPlace& place, int rank, Calls calls);
  ~WorkerControl();
  WorkerControl(const WorkerControl&) = delete;
  WorkerControl& operator=(const WorkerControl&) = delete;

  void setStep(int64_t step) { m_step = step; }
  /// Sets the state in the heartbeats, such as "training".
  void setState(const std::string& state);
  /// Sends the directory of the run.
  void setRun(const std::string& directory);
  /// Sends the result of this process, and waits until launch permits it to exit. Returns whether
  /// all processes have succeeded.
  bool end(int code, const std::string& error);

 private:
  void run(const std::stop_token& stop);
  void hear(const ControlMessage& message);
  void lose(const std::string& why, bool isSilent);
  void endDaemon() const;

  const int m_rank;
  const Calls m_calls;
  std::atomic<int64_t> m_step{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  // m_mutex protects these members.
  ControlSocket m_socket;
  std::string m_state;
  bool m_isEnding = false, m_mayEnd = false, m_isLost = false, m_isSilent = false;
  // Only the thread uses these members
  Clock::time_point m_heard, m_lostAt;
  std::jthread m_thread;
};

}  // namespace strata
