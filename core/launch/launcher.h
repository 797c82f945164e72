// SPDX-License-Identifier: Apache-2.0
// Starts the processes of a run, watches them, ends what is left if one is lost, and starts the run
// again from its newest checkpoint.
// With LaunchOptions::stateFile, it writes twice a second what a window shows:
//   {"run": DIRECTORY, "restarts": N, "problem": TEXT, "workers": [{"rank": 0, "host": NAME,
//    "process": PID, "state": TEXT, "step": N, "seconds_silent": X, "code": N, "error": TEXT}]}
// "state" is starting, lost or ended, or what the process says that it does. "code" is there once
// it has ended.
// Not here: the command (launch_command.h), and what the processes do (core/train).
// Thread: only one thread at a time may use an object. The threads of the program must block SIGINT
// and SIGTERM, which run() takes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/launch/control_server.h"
#include "core/launch/launch_command.h"

namespace strata {

class Launcher {
 public:
  /// `say` gets messages for the user.
  Launcher(LaunchOptions options, std::function<void(const std::string&)> say)
      : m_options(std::move(options)), m_say(std::move(say)) {}

  /// Runs until the end, and returns the exit code of the run: that of its first process, or 1 if a
  /// process was lost.
  /// Fails: IoFailure if the processes cannot be started.
  int run();

 private:
  struct Attempt;
  int runOnce(bool& isLost);
  std::string nameOf(const Attempt& attempt, int rank) const;
  std::string lossIn(const Attempt& attempt) const;
  void start(Attempt& attempt);
  void takeSignals(Attempt& attempt);
  void watch(Attempt& attempt);
  void killAll(Attempt& attempt);
  bool awaitLock() const;
  void writeState(const Attempt& attempt) const;

  const LaunchOptions m_options;
  const std::function<void(const std::string&)> m_say;
  // The directory of the run, as soon as it is known
  std::string m_run;
  int m_restarts = 0;
};

}  // namespace strata
