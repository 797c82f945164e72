// SPDX-License-Identifier: Apache-2.0
// Sums over replicas. In one process, each replica adds a share of the elements of all replicas, in
// the order of their ranks, and then copies the shares of the others.
#include <cstring>

#include "gpu/exec/replica_group.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// The stages of the kernel.
enum Stage { kPublish, kArrive, kAdd, kAllAdded, kCopy, kAllCopied, kNumStages };

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

/// Copies the share of a worker, unless both places are the same.
void copyShare(size_t bytes, const std::byte* from, std::byte* to, int worker, int numWorkers) {
  if (from == to) return;
  const WorkRange range = shareOf(static_cast<int64_t>(bytes), worker, numWorkers, 64);
  std::memcpy(to + range.begin, from + range.begin, static_cast<size_t>(range.end - range.begin));
}

class AllReduceKernel final : public HostKernel {
 public:
  explicit AllReduceKernel(const KernelSetup& setup, const char* name = "all_reduce")
      : m_name(name), m_number(setup.integer("number")), m_workers(setup.numWorkers) {
    m_operands.assign(setup.inputs.begin(), setup.inputs.end());
    for (const TensorType& type : m_operands)
      m_sumBytes += type.bytes();
  }

  std::string implementation() const override { return m_name; }
  int numStages() const override { return kNumStages; }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const ReplicaPlace& place = arguments.replica;
    if (!place.group) {
      if (stage == kPublish) copyOperands(arguments, worker);
      return;
    }
    if (stage == kPublish && worker == 0) place.group->beginCollective(place.rank);
    switch (stage) {
      case kPublish: return copyOperands(arguments, worker);
      case kArrive:
        if (worker != 0) return;
        place.group->publish(place.rank, m_number, arguments.outputs);
        return place.group->meet(place.rank);
      case kAdd: return add(place, worker);
      case kCopy: return copyOthers(place, worker);
      default:
        if (worker == 0) place.group->meet(place.rank);
        if (worker == 0 && stage == kAllCopied)
          place.group->endCollective(place.rank, m_name, m_number, m_sumBytes);
    }
  }

 private:
  void copyOperands(const KernelArguments& arguments, int worker) const {
    for (size_t i = 0; i < m_operands.size(); ++i)
      copyShare(m_operands[i].bytes(), arguments.inputs[i], arguments.outputs[i], worker,
                m_workers);
  }

  /// Returns the elements that a worker of a replica adds.
  WorkRange partOf(const ReplicaPlace& place, int rank, size_t operand, int worker) const {
    const WorkRange share =
        shareOf(m_operands[operand].shape.numElements(), rank, place.group->size(), kBlock);
    const WorkRange part = shareOf(share.end - share.begin, worker, m_workers, kBlock);
    return {share.begin + part.begin, share.begin + part.end};
  }

  void add(const ReplicaPlace& place, int worker) const {
    for (size_t i = 0; i < m_operands.size(); ++i)
      // Other replicas do not read these elements of this one before all are added
      addRange(
          m_operands[i].dtype, place.group->size(),
          [&](int rank) { return place.group->published(rank, m_number)[i]; },
          partOf(place, place.rank, i, worker), place.group->published(place.rank, m_number)[i]);
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

  size_t elementBytes(size_t operand) const { return dtypeBytes(m_operands[operand].dtype); }

  const char* m_name;
  std::vector<TensorType> m_operands;
  size_t m_sumBytes = 0;
  const int64_t m_number;
  const int m_workers;
};

/// The types that are summed: all operands except the buffer of all_reduce_done.
std::span<const TensorType> summedTypes(const KernelSetup& setup) {
  return std::span(setup.inputs)
      .first(setup.outputs.size() > setup.inputs.size() ? setup.inputs.size()
                                                        : setup.outputs.size());
}

/// Begins a sum over processes.
class StartKernel final : public HostKernel {
 public:
  explicit StartKernel(const KernelSetup& setup)
      : m_layout(summedTypes(setup), static_cast<int>(setup.integer("processes"))),
        m_number(setup.integer("number")),
        m_count(setup.integer("count")),
        m_workers(setup.numWorkers) {}

  std::string implementation() const override { return "all_reduce_start"; }
  int numStages() const override { return 2; }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    if (stage == 0) {
      for (size_t i = 0; i < m_layout.numOperands(); ++i)
        copyShare(m_layout.bytesOf(i), arguments.inputs[i], arguments.outputs[i], worker,
                  m_workers);
      return;
    }
    const ReplicaPlace& place = arguments.replica;
    if (worker != 0 || !place.group || !place.group->processes()) return;
    place.group->processes()->start(m_number, m_count, m_layout, place.rank,
                                    std::span(arguments.outputs).first(m_layout.numOperands()),
                                    arguments.outputs.back());
  }

 private:
  const SumLayout m_layout;
  const int64_t m_number, m_count;
  const int m_workers;
};

/// Waits for a sum over processes.
class DoneKernel final : public HostKernel {
 public:
  explicit DoneKernel(const KernelSetup& setup)
      : m_number(setup.integer("number")), m_workers(setup.numWorkers) {
    for (const TensorType& type : summedTypes(setup))
      m_bytes.push_back(type.bytes());
  }

  std::string implementation() const override { return "all_reduce_done"; }
  int numStages() const override { return 4; }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const ReplicaPlace& place = arguments.replica;
    const bool isAlone = !place.group || !place.group->processes();
    // The first replica must not change the sums before all others have copied them
    const auto meet = [&] {
      if (!isAlone && worker == 0 && place.group->size() > 1) place.group->meet(place.rank);
    };
    if (stage == 0 && !isAlone && worker == 0) {
      const std::span<std::byte* const> sums = place.group->processes()->await(m_number);
      place.group->publish(place.rank, m_number, sums);
    }
    if (stage == 1) {
      for (size_t i = 0; i < m_bytes.size(); ++i)
        copyShare(m_bytes[i],
                  isAlone ? arguments.inputs[i] : place.group->published(place.rank, m_number)[i],
                  arguments.outputs[i], worker, m_workers);
    }
    if (stage == 2) meet();
    // A fault for tests
    if (stage == 3 && !isAlone && worker == 0 && place.group->dropsSums(place.rank))
      for (size_t i = 0; i < m_bytes.size(); ++i)
        std::memset(arguments.outputs[i], 0, m_bytes[i]);
  }

 private:
  std::vector<size_t> m_bytes;
  const int64_t m_number;
  const int m_workers;
};

/// Sums one value over the replicas of several processes.
class SyncSumKernel final : public HostKernel {
 public:
  explicit SyncSumKernel(const KernelSetup& setup)
      : m_layout(std::span(setup.inputs).first(1), static_cast<int>(setup.integer("processes"))),
        m_number(setup.integer("number")),
        m_count(setup.integer("count")) {}

  std::string implementation() const override { return "sync_sum"; }
  bool isSolo() const override { return true; }
  size_t workspaceBytes() const override { return m_layout.bufferBytes(); }

  void run(const KernelArguments& arguments, int, int worker) const override {
    if (worker != 0) return;
    std::byte* const own = arguments.outputs[0];
    if (own != arguments.inputs[0]) std::memcpy(own, arguments.inputs[0], m_layout.bytesOf(0));
    const ReplicaPlace& place = arguments.replica;
    if (!place.group || !place.group->processes()) return;
    place.group->processes()->start(m_number, m_count, m_layout, place.rank, {&own, 1},
                                    arguments.workspace);
    const std::byte* const sum = place.group->processes()->await(m_number)[0];
    if (sum != own) std::memcpy(own, sum, m_layout.bytesOf(0));
    // The first replica must not change the sum before all others have copied it
    if (place.group->size() > 1) place.group->meet(place.rank);
  }

 private:
  const SumLayout m_layout;
  const int64_t m_number, m_count;
};

}  // namespace

std::unique_ptr<HostKernel> makeSyncSum(const KernelSetup& setup) {
  if (setup.integer("processes") > 1) return std::make_unique<SyncSumKernel>(setup);
  KernelSetup summed = setup;
  summed.inputs.resize(1);
  return std::make_unique<AllReduceKernel>(summed, "sync_sum");
}

std::unique_ptr<HostKernel> makeAllReduceStart(const KernelSetup& setup) {
  return std::make_unique<StartKernel>(setup);
}

std::unique_ptr<HostKernel> makeAllReduceDone(const KernelSetup& setup) {
  return std::make_unique<DoneKernel>(setup);
}

std::unique_ptr<HostKernel> makeAllReduce(const KernelSetup& setup) {
  return std::make_unique<AllReduceKernel>(setup);
}

}  // namespace strata::reference
