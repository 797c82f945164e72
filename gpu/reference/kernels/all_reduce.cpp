// SPDX-License-Identifier: Apache-2.0
// Sums over replicas. Each replica adds a share of the elements of all replicas, in the order of
// their ranks, and then copies the shares of the others. With several processes, the first replica
// of each process adds the share of the process.
#include <cstring>

#include "gpu/exec/replica_group.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// The stages of the kernel.
enum Stage { kPublish, kArrive, kExchange, kAdd, kAllAdded, kCopy, kAllCopied, kNumStages };

constexpr int64_t kBlock = 16;

/// Adds a range of the elements of `replicas` replicas. `at` returns the elements of one of them.
/// The sums may overwrite elements of a replica.
template <class T, class At>
void addRange(int replicas, const At& at, const WorkRange& range, std::byte* result) {
  constexpr int64_t kChunk = 256;
  T sums[kChunk];
  for (int64_t begin = range.begin; begin < range.end; begin += kChunk) {
    const int64_t count = std::min(kChunk, range.end - begin);
    std::copy_n(reinterpret_cast<const T*>(at(0)) + begin, count, sums);
    for (int replica = 1; replica < replicas; ++replica) {
      const T* const other = reinterpret_cast<const T*>(at(replica)) + begin;
      for (int64_t i = 0; i < count; ++i)
        sums[i] = sums[i] + other[i];
    }
    std::copy_n(sums, count, reinterpret_cast<T*>(result) + begin);
  }
}

template <class At>
void addRange(DType type, int replicas, const At& at, const WorkRange& range, std::byte* result) {
  if (type == DType::F64)
    addRange<double>(replicas, at, range, result);
  else
    addRange<float>(replicas, at, range, result);
}

class AllReduceKernel final : public HostKernel {
 public:
  explicit AllReduceKernel(const KernelSetup& setup)
      : m_number(setup.integer("number")), m_workers(setup.numWorkers) {
    for (const TensorType& type : setup.inputs)
      m_operands.push_back({type.dtype, type.shape.numElements()});
  }

  std::string implementation() const override { return "all_reduce"; }
  int numStages() const override { return kNumStages; }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const ReplicaPlace& place = arguments.replica;
    if (!place.group) {
      if (stage == kPublish) copyOperands(arguments, worker);
      return;
    }
    switch (stage) {
      case kPublish: return copyOperands(arguments, worker);
      case kArrive:
        if (worker != 0) return;
        place.group->publish(place.rank, m_number, arguments.outputs);
        return place.group->meet(place.rank);
      case kExchange: return worker == 0 ? exchange(place) : void();
      case kAdd: return place.group->processes() ? addOfAll(place, worker) : add(place, worker);
      case kCopy:
        return place.group->processes() ? copySums(place, worker) : copyOthers(place, worker);
      case kAllAdded:
        if (worker != 0) return;
        if (ProcessSums* processes = place.group->processes(); processes && place.rank == 0)
          processes->gather();
        return place.group->meet(place.rank);
      default:
        if (worker == 0) place.group->meet(place.rank);
    }
  }

 private:
  /// Results that are not in the memory of their operands get their values.
  void copyOperands(const KernelArguments& arguments, int worker) const {
    for (size_t i = 0; i < m_operands.size(); ++i) {
      if (arguments.outputs[i] == arguments.inputs[i]) continue;
      const WorkRange range = shareOf(m_operands[i].count, worker, m_workers, kBlock);
      const size_t bytes = elementBytes(i), begin = static_cast<size_t>(range.begin) * bytes;
      std::memcpy(arguments.outputs[i] + begin, arguments.inputs[i] + begin,
                  static_cast<size_t>(range.end - range.begin) * bytes);
    }
  }

  /// Returns the elements that a worker of a replica adds.
  WorkRange partOf(const ReplicaPlace& place, int rank, size_t operand, int worker) const {
    const WorkRange share = shareOf(m_operands[operand].count, rank, place.group->size(), kBlock);
    const WorkRange part = shareOf(share.end - share.begin, worker, m_workers, kBlock);
    return {share.begin + part.begin, share.begin + part.end};
  }

  void add(const ReplicaPlace& place, int worker) const {
    for (size_t i = 0; i < m_operands.size(); ++i)
      // Other replicas do not read these elements of this one before all are added
      addRange(
          m_operands[i].type, place.group->size(),
          [&](int rank) { return place.group->published(rank, m_number)[i]; },
          partOf(place, place.rank, i, worker), place.group->published(place.rank, m_number)[i]);
  }

  /// Exchanges values with other processes.
  void exchange(const ReplicaPlace& place) const {
    if (!place.group->processes() || place.rank != 0) return;
    std::vector<std::span<std::byte* const>> values;
    for (int rank = 0; rank < place.group->size(); ++rank)
      values.push_back(place.group->published(rank, m_number));
    place.group->processes()->exchange(m_number, m_operands, values);
  }

  /// Adds the share of this process.
  void addOfAll(const ReplicaPlace& place, int worker) const {
    if (place.rank != 0) return;
    ProcessSums& processes = *place.group->processes();
    for (size_t i = 0; i < m_operands.size(); ++i) {
      const ProcessSums::Range own = processes.own(i);
      addRange(
          m_operands[i].type, processes.numReplicas(),
          [&](int replica) { return processes.received(replica, i); },
          shareOf(own.end - own.begin, worker, m_workers, kBlock), processes.sums(i));
    }
  }

  /// Copies the sums of all processes.
  void copySums(const ReplicaPlace& place, int worker) const {
    if (place.group->dropsSums(place.rank)) return;
    const ProcessSums& processes = *place.group->processes();
    const auto to = place.group->published(place.rank, m_number);
    for (int share = 0; share < processes.numShares(); ++share)
      for (size_t i = 0; i < m_operands.size(); ++i) {
        const ProcessSums::Range all = processes.rangeOf(share, i);
        const WorkRange part = shareOf(all.end - all.begin, worker, m_workers, kBlock);
        const size_t bytes = elementBytes(i);
        std::memcpy(to[i] + static_cast<size_t>(all.begin + part.begin) * bytes,
                    processes.results(share, i) + static_cast<size_t>(part.begin) * bytes,
                    static_cast<size_t>(part.end - part.begin) * bytes);
      }
  }

  void copyOthers(const ReplicaPlace& place, int worker) const {
    if (place.group->dropsSums(place.rank)) return;
    for (int rank = 0; rank < place.group->size(); ++rank) {
      if (rank == place.rank) continue;
      const auto from = place.group->published(rank, m_number),
                 to = place.group->published(place.rank, m_number);
      for (size_t i = 0; i < m_operands.size(); ++i) {
        const WorkRange range = partOf(place, rank, i, worker);
        const size_t bytes = elementBytes(i), begin = static_cast<size_t>(range.begin) * bytes;
        std::memcpy(to[i] + begin, from[i] + begin,
                    static_cast<size_t>(range.end - range.begin) * bytes);
      }
    }
  }

  size_t elementBytes(size_t operand) const { return dtypeBytes(m_operands[operand].type); }

  std::vector<ProcessSums::Operand> m_operands;
  const int64_t m_number;
  const int m_workers;
};

}  // namespace

std::unique_ptr<HostKernel> makeAllReduce(const KernelSetup& setup) {
  return std::make_unique<AllReduceKernel>(setup);
}

}  // namespace strata::reference
