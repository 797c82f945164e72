// SPDX-License-Identifier: Apache-2.0
// A control connection: messages over TCP. Reading and writing never wait.
// Thread: only one thread at a time may use a connection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/launch/control_message.h"

namespace strata {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : m_number(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int number() const { return m_number; }
  explicit operator bool() const { return m_number >= 0; }

 private:
  int m_number;
};

class ControlSocket {
 public:
  explicit ControlSocket(Descriptor descriptor);

  int descriptor() const { return m_descriptor.number(); }
  bool isOpen() const { return static_cast<bool>(m_descriptor); }
  bool hasUnsent() const { return !m_unsent.empty(); }
  /// Reads what has come. Returns the complete messages. A connection that the peer has closed, or
  /// whose bytes are no messages, is then not open any more.
  std::vector<ControlMessage> read();
  /// Sends a message, or as much of it as fits. Later calls send the rest.
  void send(const ControlMessage& message);
  void sendRest();
  void close() { m_descriptor = Descriptor(); }

 private:
  Descriptor m_descriptor;
  MessageReader m_reader;
  std::string m_unsent;
};

/// Listens on a free port: on the loopback alone, or on all networks of this machine.
/// Fails: IoFailure.
Descriptor listenForControl(bool isLoopback);
/// Returns the addresses at which this machine is reached, with the port of a listening descriptor:
/// "10.0.0.5:4711,192.168.1.5:4711", or "127.0.0.1:4711" for the loopback.
std::string addressesOf(const Descriptor& listening, bool isLoopback);
/// Accepts a connection, if there is one.
Descriptor acceptControl(const Descriptor& listening);
/// Connects to the first address of a list that answers within `seconds`.
/// Fails: IoFailure.
Descriptor connectControl(const std::string& addresses, int seconds);

}  // namespace strata
