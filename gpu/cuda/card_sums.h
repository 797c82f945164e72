// SPDX-License-Identifier: Apache-2.0
// Sums over replicas on several cards of one process (op all_reduce): the operands are copied to
// pinned memory of the host, the replicas add them there, and the sums are copied back. Copies
// between cards need hardware that not every machine has.
// Thread: that of the replica.
#pragma once

#include <memory>
#include <vector>

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/exec/replica_group.h"
#include "gpu/host/host_kernel.h"

namespace strata::cuda {

class CardSums {
 public:
  /// `node`: an all_reduce of the graph.
  CardSums(CudaStream& stream, const ReplicaPlace& place, const Graph& graph, const Node& node);
  CardSums(const CardSums&) = delete;
  CardSums& operator=(const CardSums&) = delete;

  /// Waits for the stream, adds the operands of all replicas, and adds the copies of the sums to
  /// the stream. If a replica has stopped, the rest of the step changes nothing.
  void run(const Operands& operands);

 private:
  CudaStream& m_stream;
  const ReplicaPlace m_place;
  std::vector<size_t> m_bytes;
  // The operands, and a copy of the stream's flag
  PinnedHandle m_pinned;
  std::vector<std::byte*> m_places;
  float* m_running = nullptr;
  std::unique_ptr<HostKernel> m_kernel;
};

}  // namespace strata::cuda
