// SPDX-License-Identifier: Apache-2.0
// The connection between the processes of a run. All processes call the same functions in the same
// order. Not here: libraries that transfer bytes (gpu/replicate), and who starts the processes
// (core/launch).
// Thread: one thread at a time may use a link; breakOff(), isBroken() and
// setPatient() from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace strata {

/// Bytes for another process.
struct SentBytes {
  int peer = 0;
  const std::byte* bytes = nullptr;
  size_t count = 0;
};
/// Memory for the bytes of another process, which sends exactly as many.
struct ReceivedBytes {
  int peer = 0;
  std::byte* bytes = nullptr;
  size_t count = 0;
};

/// The subject of errors of other processes and of the link.
constexpr const char* kProcesses = "processes";

class ProcessLink {
 public:
  ProcessLink(int rank, int size) : m_rank(rank), m_size(size) {}
  virtual ~ProcessLink() = default;
  ProcessLink(const ProcessLink&) = delete;
  ProcessLink& operator=(const ProcessLink&) = delete;

  int rank() const { return m_rank; }
  int size() const { return m_size; }
  bool isFirst() const { return m_rank == 0; }
  /// Returns the place of this process among those on this machine, and how many these are.
  virtual int rankOnMachine() const { return m_rank; }
  virtual int sizeOnMachine() const { return m_size; }

  /// Sends and receives at the same time, and returns when all is done. Two processes send to each
  /// other in the same order.
  /// Fails: DeviceFailure if the library fails, or after breakOff(). The link is of no use then.
  virtual void exchange(std::span<const SentBytes> sent,
                        std::span<const ReceivedBytes> received) = 0;
  // The functions below fail as exchange().
  /// Returns the text that the first process passes.
  std::string broadcast(const std::string& text);
  /// Copies the bytes of the first process to all others, which pass as many.
  void broadcast(std::span<std::byte> bytes);
  /// Returns the texts of all processes, by rank.
  std::vector<std::string> gather(const std::string& text);
  /// Copies bytes of all processes, which pass equally many, to `all`, by rank.
  void gather(std::span<const std::byte> own, std::span<std::byte> all);

  /// Lets exchange() wait with little work for the processor, because nobody waits for it.
  void setPatient(bool on) { m_isPatient = on; }
  /// Ends a waiting exchange() and all later ones with this message.
  void breakOff(const std::string& why);
  /// Sets what breakOff() calls, on its thread, and then no longer. Null for nothing.
  void setOnBreak(std::function<void()> onBreak);
  bool isBroken() const { return m_isBroken; }
  /// Fails: DeviceFailure with the reason of breakOff().
  void requireWhole() const;

 protected:
  bool isPatient() const { return m_isPatient; }

 private:
  const int m_rank, m_size;
  std::atomic<bool> m_isBroken{false}, m_isPatient{false};
  mutable std::mutex m_mutex;
  std::string m_why;
  std::function<void()> m_onBreak;
  // Reused, so that a step allocates no memory
  std::vector<SentBytes> m_sent;
  std::vector<ReceivedBytes> m_received;
};

}  // namespace strata
