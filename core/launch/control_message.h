// SPDX-License-Identifier: Apache-2.0
// Messages between `strata launch` and the processes that it starts. A message is a length of 4
// bytes, the highest one first, and that many bytes of JSON.
// Not here: connections (control_server.h, worker_control.h).
// Thread: the functions are pure. Only one thread at a time may use a reader.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// Both ends send a message this often, and take a longer silence for a lost process.
constexpr std::chrono::seconds kBetweenBeats{1}, kMaxSilence{10};
/// How long the first process may save the network after another one was lost.
constexpr std::chrono::seconds kMaxSaving{12};

/// No message is longer. Longer texts are cut.
constexpr size_t kMaxMessageBytes = 64 << 10;

struct ControlMessage {
  enum class Kind : uint8_t {
    // From a process: its first message, with the secret
    Hello,
    // From a process: it runs; with its step and what it does
    Beat,
    // From a process: where the run is; the first process alone sends it
    Run,
    // From a process: it has ended the run, with its exit code and error
    Ended,
    // To a process: the secret was right
    Welcome,
    // To a process: the user stops the run
    Stop,
    // To the first process: another one was lost. Save and end.
    Lost,
    // To a process: all have ended, or must end now
    End,
  };
  Kind kind = Kind::Beat;
  std::string secret = {}, host = {}, text = {};
  int64_t rank = -1, process = 0, step = 0, code = 0;
  bool operator==(const ControlMessage&) const = default;
};

/// Returns the bytes of a message.
std::string printMessage(const ControlMessage& message);

/// Splits received bytes into messages. It holds at most one message.
class MessageReader {
 public:
  void add(std::string_view bytes) { m_bytes += bytes; }
  /// Returns the next message, if it is complete.
  /// Fails: InvalidFile if the bytes are no message. The connection is of no use then.
  std::optional<ControlMessage> next();

 private:
  std::string m_bytes;
};

/// Returns a new secret of 256 random bits as text.
std::string makeSecret();
/// Compares secrets in a time that does not depend on them.
bool isSameSecret(std::string_view a, std::string_view b);

}  // namespace strata
