// SPDX-License-Identifier: Apache-2.0
// Replicas that run the same step at the same time, on separate devices and threads. They meet in
// the ops all_reduce of the step, and read each other's values there, or send each other values.
// The replicas of other processes take part through ProcessSums.
// Not here: who starts the replicas and what they do with errors (core/train/replica.h).
// Thread: begin() while no replica runs; the rest from the thread that runs the replica `rank`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/base/awaited_number.h"
#include "gpu/exec/collective_log.h"
#include "gpu/exec/process_sums.h"

namespace strata {

/// The times of a replica whose device computes while it communicates, in a step.
struct SumTimes {
  // For which its computation waited for other replicas, and for the rest of the communication
  std::chrono::nanoseconds waiting{0}, exposed{0};
  // Of communication while it computed
  std::chrono::nanoseconds hidden{0};
};

class ReplicaGroup {
 public:
  /// `link`: the processes of the run, each with as many replicas; null if there is only one. It
  /// must outlive the object.
  explicit ReplicaGroup(int size, ProcessLink* link = nullptr);
  /// Returns the number of replicas in this process. Ranks below are those in this process.
  int size() const { return static_cast<int>(m_published.size()); }
  /// Returns the number of replicas in all processes.
  int numReplicas() const { return m_processes ? m_processes->numReplicas() : size(); }
  /// Returns the place of a replica of this process among all replicas.
  int numberOf(int rank) const {
    return m_processes ? m_processes->link().rank() * size() + rank : rank;
  }
  /// Returns null if there is one process.
  ProcessSums* processes() { return m_processes ? &*m_processes : nullptr; }

  /// Sets whether processes begin a step together, because their devices exchange values without
  /// ProcessSums and cannot leave a step.
  void setEntersTogether(bool on) { m_entersTogether = on; }
  bool entersTogether() const { return m_entersTogether; }

  /// Begins a step of all replicas.
  void begin();
  /// Shows other replicas where the values of a collective are, until the next begin() or publish()
  /// of this replica. `number` is that of the collective in the step.
  void publish(int rank, int64_t number, std::span<std::byte* const> values);
  /// Returns the values that a replica has published. Requires: meet() was called since.
  /// Fails: Internal if it is at another collective.
  std::span<std::byte* const> published(int rank, int64_t number) const;
  /// Waits until all replicas have called it.
  /// Fails: Stopped if a replica has left the step. The step of this replica must then end, too.
  void meet(int rank);
  /// Returns how long each replica has waited for others in the step, by rank.
  const std::vector<std::chrono::nanoseconds>& waits() const { return m_waits; }
  /// Sets how many values the replicas send each other in a step. They have the numbers from 0 on.
  /// Call it while no replica runs.
  void reserveTransfers(int64_t count);
  /// Shows a value to the replica that receives it. It stays unchanged until it is taken.
  void offer(int64_t number, const std::byte* value);
  /// Waits until the replica `from` offers a value.
  /// Fails: Stopped if it has left the step.
  void await(int rank, int from, int64_t number);
  /// Returns a value. Requires: await() was called.
  const std::byte* offered(int64_t number) const {
    return m_transfers[static_cast<size_t>(number)].value;
  }
  /// Says that a value is copied.
  void take(int64_t number);
  /// Waits until the replica `to` has taken a value.
  /// Fails: Stopped if it has left the step.
  void awaitTaken(int rank, int to, int64_t number);
  /// Measures a collective of a replica, from beginCollective() to endCollective().
  void beginCollective(int rank) {
    m_log.begin(static_cast<size_t>(rank), m_waits[static_cast<size_t>(rank)]);
  }
  void endCollective(int rank, const char* op, int64_t number, size_t bytes) {
    if (m_logs)
      m_log.end(static_cast<size_t>(rank), op, number, bytes, m_waits[static_cast<size_t>(rank)]);
  }
  /// Adds a collective that a device has measured. `duration` includes `waiting`.
  void noteCollective(int rank, const char* op, int64_t number, size_t bytes,
                      std::chrono::nanoseconds duration, std::chrono::nanoseconds waiting) {
    if (m_logs) m_log.add(static_cast<size_t>(rank), op, number, bytes, duration, waiting);
  }
  /// Sets the times of a replica in this step. They replace how long its thread has waited.
  void noteTimes(int rank, const SumTimes& times) {
    m_waits[static_cast<size_t>(rank)] = times.waiting;
    m_log.setTimes(static_cast<size_t>(rank), times.exposed, times.hidden);
  }
  const CollectiveLog& log() const { return m_log; }
  /// Sets whether the collectives of later steps are measured.
  void setLogging(bool on) { m_logs = on; }
  /// Makes a replica keep its own values in the collectives of the next step, for tests.
  void dropSums(int rank) { m_dropped = rank; }
  bool dropsSums(int rank) const { return m_dropped == rank; }
  /// Says that a replica has ended its step, in whatever way. Others do not wait for it.
  void leave(int rank);

 private:
  struct Published {
    int64_t number = -1;
    std::vector<std::byte*> values;
  };
  /// A value that a replica sends to another one.
  struct Transfer {
    std::atomic<const std::byte*> value{nullptr};
    std::atomic<bool> isTaken{false};
  };
  void tellAll();
  template <class IsDone>
  void waitFor(int rank, IsDone isDone, const std::atomic<bool>& hasLeft);
  std::vector<Published> m_published;
  const bool m_maySpin;
  bool m_entersTogether = false;
  std::atomic<int> m_arrived{0};
  // How often all replicas have met
  std::atomic<int64_t> m_meetings{0};
  std::atomic<bool> m_hasLeft{false};
  // By rank
  std::deque<std::atomic<bool>> m_haveLeft;
  std::deque<Transfer> m_transfers;
  // Grows whenever replicas have met or one has left
  AwaitedNumber m_news;
  std::mutex m_mutex;
  int m_dropped = -1;
  std::optional<ProcessSums> m_processes;
  // Each replica writes its own entry
  std::vector<std::chrono::nanoseconds> m_waits;
  CollectiveLog m_log;
  bool m_logs = true;
};

/// The place of a device in a group; no group for a device that runs alone.
struct ReplicaPlace {
  ReplicaGroup* group = nullptr;
  int rank = 0;
};

}  // namespace strata
