// SPDX-License-Identifier: Apache-2.0
// The end of the control connections in `strata launch`: accepts the processes that know the
// secret, and remembers what each of them said.
// Not here: what happens if a process is lost (launcher.h).
// Thread: only one thread at a time may use an object.
#pragma once

#include <string>
#include <vector>

#include "core/launch/control_socket.h"
#include "gpu/base/clock.h"

namespace strata {

/// What launch knows of a process.
struct WorkerState {
  bool isConnected = false;
  // Whether it has connected at some time
  bool hasJoined = false;
  std::string host, state;
  int64_t process = 0, step = 0;
  // The last message, or the end of the connection
  Clock::time_point heard;
  // Whether it has said how it ended, its exit code and its error
  bool hasEnded = false;
  int64_t code = 0;
  std::string error;
};

class ControlServer {
 public:
  /// Listens for `size` processes, on the loopback alone or on all networks. Fails: IoFailure.
  ControlServer(int size, bool isLoopback);

  const std::string& secret() const { return m_secret; }
  std::string addresses() const { return addressesOf(m_listening, m_isLoopback); }
  const std::vector<WorkerState>& workers() const { return m_workers; }
  /// Returns the directory of the run, or "" if it is not known yet.
  const std::string& run() const { return m_run; }
  /// Waits up to `milliseconds` for messages, and handles them.
  void handle(int milliseconds);
  void send(int rank, const ControlMessage& message);
  void sendToAll(const ControlMessage& message);

 private:
  struct Connection {
    ControlSocket socket;
    Clock::time_point began;
    // The rank after a right secret, else -1
    int rank = -1;
  };
  void accept();
  void hear(Connection& connection, const ControlMessage& message);
  void beat();

  const bool m_isLoopback;
  const std::string m_secret;
  const Descriptor m_listening;
  std::vector<WorkerState> m_workers;
  std::vector<Connection> m_connections;
  std::string m_run;
  Clock::time_point m_lastBeat;
};

}  // namespace strata
