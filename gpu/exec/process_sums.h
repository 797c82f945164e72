// SPDX-License-Identifier: Apache-2.0
// Sums over the replicas of several processes, in the order of their ranks. Each process gets a
// share of the elements of all replicas, adds them, and sends its sums to the others. Few elements
// go to all processes at once, which add the same. Both ways give the same bits.
// Not here: the additions (gpu/reference/kernels/all_reduce.cpp).
// Thread: that of the first replica of the process; received(), sums() and results() from any
// thread that runs between the other calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/exec/process_link.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// How a process comes to a collective.
enum class ProcessState : int32_t { Sums, Stopped, Failed };

class ProcessSums {
 public:
  /// `replicas`: the number in each process. The link must outlive the object.
  ProcessSums(ProcessLink& link, int replicas) : m_link(link), m_replicas(replicas) {}

  ProcessLink& link() const { return m_link; }
  /// Begins a step.
  void begin() { m_hasMet = false; }
  /// Returns whether the processes have met in the step.
  bool hasMet() const { return m_hasMet; }
  /// Tells the other processes that this one does not come to the next collective, and why.
  /// Fails: DeviceFailure with the link.
  void leave(ProcessState state, const std::string& why);

  /// The elements of one operand.
  struct Operand {
    DType type = DType::F32;
    int64_t count = 0;
    bool operator==(const Operand&) const = default;
  };
  /// Sends elements to the processes that add them. `number` is that of the collective in the step,
  /// and `values` has the operands of each replica of this process.
  /// Fails: Stopped or DeviceFailure if another process has left; Internal if it is at another
  /// collective; DeviceFailure with the link.
  void exchange(int64_t number, std::span<const Operand> operands,
                std::span<const std::span<std::byte* const>> values);
  /// The elements that this process adds.
  struct Range {
    int64_t begin = 0, end = 0;
  };
  Range own(size_t operand) const { return rangeOf(m_ownShare, operand); }
  /// Returns the elements own() of a replica of the run.
  const std::byte* received(int replica, size_t operand) const;
  int numReplicas() const { return m_replicas * m_link.size(); }
  /// Returns where the sums of own() go.
  std::byte* sums(size_t operand);
  /// Sends the sums to the other processes. Fails: DeviceFailure with the link.
  void gather();
  /// The sums of one share of an operand.
  int numShares() const { return m_numShares; }
  Range rangeOf(int share, size_t operand) const;
  const std::byte* results(int share, size_t operand) const;

 private:
  void meet(int64_t number, ProcessState state, const std::string& why);
  void layOut(std::span<const Operand> operands);
  size_t& begin(int share, size_t operand) {
    return m_begins[static_cast<size_t>(share) * m_operands.size() + operand];
  }
  size_t begin(int share, size_t operand) const {
    return m_begins[static_cast<size_t>(share) * m_operands.size() + operand];
  }
  void pack(int share, std::span<std::byte* const> values, std::byte* to) const;

  ProcessLink& m_link;
  const int m_replicas;
  bool m_hasMet = false;
  std::vector<Operand> m_operands;
  int m_numShares = 1, m_ownShare = 0;
  // Where an operand begins in a share, in bytes, and the bytes of each share
  std::vector<size_t> m_begins, m_shareBytes;
  // What goes to each process, what came from each replica, and the sums of each share
  std::vector<std::byte> m_outgoing, m_incoming, m_results;
  std::vector<size_t> m_resultBegins;
  std::vector<SentBytes> m_sent;
  std::vector<ReceivedBytes> m_received;
};

}  // namespace strata
