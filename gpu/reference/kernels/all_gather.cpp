// SPDX-License-Identifier: Apache-2.0
// Brings the parts of variables that different replicas have updated to all replicas. Each replica
// copies the parts of the others.
#include <cstring>

#include "gpu/exec/replica_group.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// The stages of the kernel.
enum Stage { kArrive, kCopy, kAllCopied, kNumStages };

class AllGatherKernel final : public HostKernel {
 public:
  explicit AllGatherKernel(const KernelSetup& setup)
      : m_number(setup.integer("number")),
        m_rank(static_cast<size_t>(setup.integer("rank"))),
        m_replicas(static_cast<size_t>(setup.integer("replicas"))),
        m_begins(setup.attributes.get<std::vector<int64_t>>("begins")),
        m_counts(setup.attributes.get<std::vector<int64_t>>("counts")),
        m_workers(setup.numWorkers) {
    for (const TensorType& type : setup.outputs)
      m_elementBytes.push_back(dtypeBytes(type.dtype));
    for (const TensorType& type : setup.outputs) {
      m_variableBytes.push_back(type.bytes());
      m_bytes += type.bytes();
    }
  }

  std::string implementation() const override { return "all_gather"; }
  int numStages() const override { return kNumStages; }

  void run(const KernelArguments& arguments, int stage, int worker) const override {
    const ReplicaPlace& place = arguments.replica;
    if (stage == kArrive) keepOthers(arguments, worker);
    if (stage == kArrive && worker == 0 && place.group) {
      place.group->beginCollective(place.rank);
      place.group->publish(place.rank, m_number, ownParts(arguments));
      place.group->meet(place.rank);
    }
    if (stage == kCopy) {
      if (!place.group) return copyParts(arguments, m_rank, ownParts(arguments), worker);
      for (size_t rank = 0; rank < m_replicas; ++rank)
        copyParts(arguments, rank, place.group->published(static_cast<int>(rank), m_number),
                  worker);
    }
    if (stage == kAllCopied && worker == 0 && place.group) {
      place.group->meet(place.rank);
      place.group->endCollective(place.rank, "all_gather", m_number, m_bytes);
    }
  }

 private:
  size_t numVariables() const { return m_elementBytes.size(); }
  static std::byte* mutableOf(const std::byte* address) { return const_cast<std::byte*>(address); }

  /// Returns the parts that this replica has updated, in the order of the variables.
  std::vector<std::byte*> ownParts(const KernelArguments& arguments) const {
    std::vector<std::byte*> parts;
    for (size_t i = numVariables(); i < arguments.inputs.size(); ++i)
      parts.push_back(mutableOf(arguments.inputs[i]));
    return parts;
  }

  /// Copies the variables, unless the results replace them.
  void keepOthers(const KernelArguments& arguments, int worker) const {
    for (size_t i = 0; i < numVariables(); ++i) {
      if (arguments.outputs[i] == arguments.inputs[i]) continue;
      const WorkRange range =
          shareOf(static_cast<int64_t>(m_variableBytes[i]), worker, m_workers, 64);
      std::memcpy(arguments.outputs[i] + range.begin, arguments.inputs[i] + range.begin,
                  static_cast<size_t>(range.end - range.begin));
    }
  }

  void copyParts(const KernelArguments& arguments, size_t rank, std::span<std::byte* const> parts,
                 int worker) const {
    size_t next = 0;
    for (size_t i = 0; i < numVariables(); ++i) {
      const size_t at = rank * numVariables() + i;
      if (m_counts[at] == 0) continue;
      const WorkRange range = shareOf(m_counts[at], worker, m_workers, 16);
      const size_t bytes = m_elementBytes[i], begin = static_cast<size_t>(range.begin) * bytes;
      std::byte* const to =
          arguments.outputs[i] + static_cast<size_t>(m_begins[at]) * bytes + begin;
      const std::byte* const from = parts[next++] + begin;
      if (to != from) std::memcpy(to, from, static_cast<size_t>(range.end - range.begin) * bytes);
    }
  }

  const int64_t m_number;
  const size_t m_rank, m_replicas;
  const std::vector<int64_t> m_begins, m_counts;
  const int m_workers;
  std::vector<size_t> m_elementBytes, m_variableBytes;
  size_t m_bytes = 0;
};

}  // namespace

std::unique_ptr<HostKernel> makeAllGather(const KernelSetup& setup) {
  return std::make_unique<AllGatherKernel>(setup);
}

}  // namespace strata::reference
