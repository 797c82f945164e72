// SPDX-License-Identifier: Apache-2.0
// How cards exchange the shards of a sum over replicas (gpu/ops/sum_layout.h: PackedSums). The
// buffer of a card has its shards first, then the received ones in the order of the other replicas.
// All work is on the stream for communication, and the host waits for no card.
// Thread: that of the replica.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/cuda/cuda_stream.h"
#include "gpu/ops/sum_layout.h"

namespace strata::cuda {

class ShardExchange {
 public:
  virtual ~ShardExchange() = default;
  /// Brings the shard of this replica from all others, once these have packed theirs. Requires: the
  /// stream for communication waits until this replica has packed its shards.
  /// Fails: Stopped if a replica has left the step.
  virtual void scatter(DeviceAddress buffer) = 0;
  /// Brings the sums of all other replicas, once these are there.
  /// Fails: Stopped if a replica has left the step.
  virtual void gather(DeviceAddress buffer) = 0;
  /// Returns whether the sums are still to be made between scatter() and gather(). Otherwise
  /// scatter() has replaced the shards of this replica by the sums.
  virtual bool addsShards() const { return true; }
  /// Returns whether a graph may contain the work.
  virtual bool isCapturable() const { return false; }
  /// Makes the stream that computes wait until no card needs the buffer any longer.
  /// Fails: Stopped if a replica has left the step.
  virtual void finish() = 0;
  /// Makes the stream that computes wait for what was begun before a replica left a step. Requires:
  /// all replicas have ended the step.
  virtual void recover() = 0;
  /// An event that is recorded when the operands of all replicas are there, with its time; null if
  /// that is not known.
  virtual const EventHandle* arrival() const { return nullptr; }
};

/// Returns the exchange between the cards of one process: each copies from the others. With
/// CudaStream::copiesThroughHost(), the copies go through pinned memory.
/// `number` is that of the sum in the step.
std::unique_ptr<ShardExchange> makePeerExchange(CudaStream& stream, const PackedSums& layout,
                                                int64_t number);
/// Returns the exchange between the cards of several processes. Requires:
/// CudaStream::communicator().
std::unique_ptr<ShardExchange> makeProcessExchange(CudaStream& stream, const PackedSums& layout);

}  // namespace strata::cuda
