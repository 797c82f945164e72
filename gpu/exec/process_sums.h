// SPDX-License-Identifier: Apache-2.0
// Sums over the replicas of several processes, in the order of their ranks, while the replicas
// compute. Each process gets a share of the elements of all replicas, adds them, and sends its sums
// to the others.
// Not here: the ops that begin and await sums (gpu/ops/all_reduce.cpp).
// Thread: a thread of the object communicates. begin() and leave() while no replica runs; the rest
// from the thread of a replica. While sums are not awaited, nobody else may use the link.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu/exec/collective_log.h"
#include "gpu/exec/process_link.h"
#include "gpu/ops/sum_layout.h"

namespace strata {

/// How a process comes to a collective.
enum class ProcessState : int32_t { Sums, Stopped, Failed };

class ProcessSums {
 public:
  /// `replicas`: the number in each process. The link must outlive the object.
  ProcessSums(ProcessLink& link, int replicas);
  ~ProcessSums();
  ProcessSums(const ProcessSums&) = delete;
  ProcessSums& operator=(const ProcessSums&) = delete;

  ProcessLink& link() const { return m_link; }
  int numReplicas() const { return m_replicas * m_link.size(); }
  /// Begins a step. In some steps, the same ones in each process, sums begin only when one is
  /// awaited, so that the time of computing without communication is known.
  void begin();
  /// Waits until all processes begin the step, for devices that exchange values themselves and
  /// cannot leave a step. The step then has no sums of this object.
  /// Fails: Stopped or DeviceFailure if another process has left.
  void enter();
  /// Gives the operands of a replica to the sum `number` of `count`, and its buffer. The sum begins
  /// when all replicas of the process have done so. It replaces the operands of the first replica.
  /// Requires: the layout lives until the sum is awaited; all replicas keep the order of the sums.
  void start(int64_t number, int64_t count, const SumLayout& layout, int replica,
             std::span<std::byte* const> values, std::byte* buffer);
  /// Waits for a sum that all replicas of this process have begun, and returns the operands of the
  /// first one.
  /// Fails: Stopped or DeviceFailure if another process has left; Internal if it is at another
  /// collective; DeviceFailure with the link.
  std::span<std::byte* const> await(int64_t number);
  /// Ends a step that not all replicas of this process finish. Tells the other processes why, if
  /// they wait for this one. Waits for the sums that have begun.
  void leave(ProcessState state, const std::string& why);

  /// Times of the last step.
  struct Times {
    // Of the thread that communicates, and of the first replica that waited for it
    std::chrono::nanoseconds communicating{0}, waiting{0};
    // The part of `communicating` before all processes had come to a sum
    std::chrono::nanoseconds meeting{0};
    // Processor time of the thread that communicates
    std::chrono::nanoseconds processor{0};
    int64_t bytes = 0, sums = 0;
    // Whether the step has computed without communication
    bool isApart = false;
  };
  Times times() const;
  /// Returns the sums so far. Call it while no replica runs.
  const CollectiveLog& log() const { return m_log; }

 private:
  struct Sum {
    int64_t number = 0;
    const SumLayout* layout = nullptr;
    // By replica
    std::vector<std::vector<std::byte*>> values;
    std::vector<std::byte*> buffers;
    int started = 0;
  };
  void work(const std::stop_token& stop);
  void compute(const Sum& sum);
  void meet(int64_t number, ProcessState state, const std::string& why);
  void exchange(const Sum& sum);
  void add(const Sum& sum) const;
  void gather(const Sum& sum);

  ProcessLink& m_link;
  const int m_replicas;
  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  // m_mutex protects these members. Sums stay until the next step, so that their memory is reused.
  // They keep their places while others are added, because the thread reads one of them.
  std::deque<Sum> m_sums;
  // Whether a replica waits for a sum, and whether sums begin only then
  bool m_isAwaited = false, m_isHeld = false;
  int64_t m_steps = 0;
  // How many sums the step has, how many all replicas have begun, and how many are done
  int64_t m_count = 0, m_begun = 0, m_done = 0;
  std::exception_ptr m_failure;
  Times m_times;
  CollectiveLog m_log{1};
  // Only the thread uses these members
  std::vector<SentBytes> m_sent;
  std::vector<ReceivedBytes> m_received;
  std::jthread m_thread;
};

}  // namespace strata
