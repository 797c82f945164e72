// SPDX-License-Identifier: Apache-2.0
// Sums over replicas. Each replica adds a share of the elements of all replicas, in the order of
// their ranks, and then copies the shares of the others.
#include <cstring>

#include "gpu/exec/replica_group.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// The stages of the kernel.
enum Stage { kPublish, kArrive, kAdd, kAllAdded, kCopy, kAllCopied, kNumStages };

/// The elements of one operand.
struct Reduced {
  DType type = DType::F32;
  int64_t count = 0;
  size_t elementBytes() const { return dtypeBytes(type); }
};

constexpr int64_t kBlock = 16;

template <class T>
void addShares(const ReplicaPlace& place, int64_t number, size_t operand, const WorkRange& range) {
  const auto at = [&](int rank) {
    return reinterpret_cast<T*>(place.group->published(rank, number)[operand]);
  };
  T* const own = at(place.rank);
  // Other replicas do not read these elements of this one before all are added
  constexpr int64_t kChunk = 256;
  T sums[kChunk];
  for (int64_t begin = range.begin; begin < range.end; begin += kChunk) {
    const int64_t count = std::min(kChunk, range.end - begin);
    std::copy_n(at(0) + begin, count, sums);
    for (int rank = 1; rank < place.group->size(); ++rank) {
      const T* const other = at(rank) + begin;
      for (int64_t i = 0; i < count; ++i)
        sums[i] = sums[i] + other[i];
    }
    std::copy_n(sums, count, own + begin);
  }
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
      case kAdd: return add(place, worker);
      case kCopy: return copyOthers(place, worker);
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
      const size_t bytes = m_operands[i].elementBytes(),
                   begin = static_cast<size_t>(range.begin) * bytes;
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
    for (size_t i = 0; i < m_operands.size(); ++i) {
      const WorkRange range = partOf(place, place.rank, i, worker);
      if (m_operands[i].type == DType::F64)
        addShares<double>(place, m_number, i, range);
      else
        addShares<float>(place, m_number, i, range);
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
        const size_t bytes = m_operands[i].elementBytes(),
                     begin = static_cast<size_t>(range.begin) * bytes;
        std::memcpy(to[i] + begin, from[i] + begin,
                    static_cast<size_t>(range.end - range.begin) * bytes);
      }
    }
  }

  std::vector<Reduced> m_operands;
  const int64_t m_number;
  const int m_workers;
};

}  // namespace

std::unique_ptr<HostKernel> makeAllReduce(const KernelSetup& setup) {
  return std::make_unique<AllReduceKernel>(setup);
}

}  // namespace strata::reference
