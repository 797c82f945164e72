// SPDX-License-Identifier: Apache-2.0
// Kernels that run on the threads of the host.
// Thread: run() may be called for all shares at the same time.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/exec/kernel.h"
#include "gpu/exec/replica_group.h"

namespace strata {

/// The addresses of the operands of one node. A runner sets them. Between steps, only the addresses
/// of step inputs can change.
struct KernelArguments {
  std::vector<const std::byte*> inputs;
  // An output may have the address of an input if the OpDef allows it
  std::vector<std::byte*> outputs;
  // Kernel::workspaceBytes() bytes, aligned to 64 bytes
  std::byte* workspace = nullptr;
  // The other replicas that run the step, for collectives
  ReplicaPlace replica;
};

/// Runs one node. Each stage is divided into shares, one for each worker. A stage begins after all
/// shares of the stage before.
class HostKernel : public Kernel {
 public:
  virtual int numStages() const { return 1; }
  /// Returns whether only the share of worker 0 has work. Consecutive solo kernels need no barrier
  /// between them, and run() is not called for the other shares.
  virtual bool isSolo() const { return false; }
  /// Does the share of one worker: 0 <= worker < Device::numWorkers(). Another thread may do the
  /// share of a late worker, so memory of a worker belongs to its share, not to a thread. run()
  /// must not allocate memory or use the pool's barrier. The division of the work must depend only
  /// on shapes and the number of workers, so that results always have the same bits.
  /// Workers may run different kernels at the same time if these do not access the same bytes.
  /// If run() throws, the step ends, and the caller gets the exception with the layer's name.
  virtual void run(const KernelArguments& arguments, int stage, int worker) const = 0;
};

}  // namespace strata
