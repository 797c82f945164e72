// SPDX-License-Identifier: Apache-2.0
// What replicas on several cards do together in a step: sums, gathered updates, and values that
// cards send each other. Replicas meet when they add the work to their streams. From then on, cards
// wait for events of each other, and the host waits for no card.
// Thread: that of the replica.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/cuda_stream.h"

namespace strata::cuda {

class CardCollective {
 public:
  CardCollective() = default;
  virtual ~CardCollective() = default;
  CardCollective(const CardCollective&) = delete;
  CardCollective& operator=(const CardCollective&) = delete;

  /// Adds the work of a node to the streams. `work` describes the node. A collective with several
  /// nodes gets them in the order of the step.
  /// Fails: Stopped if a replica has left the step.
  virtual void encode(const Node& node, const Operands& operands, const StrataWork& work) = 0;
  /// Returns whether encode() may be called while the stream that computes captures a graph.
  virtual bool isCapturable() const { return false; }
  /// Makes the stream that computes wait for what other replicas may still do with the memory of
  /// this one, after a step that a replica has left. Requires: all replicas have ended the step.
  virtual void recover() = 0;

  /// The times in the last step.
  struct Times {
    // Of the exchange, once the operands of all replicas are there
    std::chrono::nanoseconds duration{0};
    // For which the stream that computes waited for operands of others, and for the exchange
    std::chrono::nanoseconds waiting{0}, exposed{0};
  };
  /// Requires: the step is done.
  virtual Times times() const = 0;
  /// Returns its name in figures.
  virtual const char* name() const = 0;
  /// Returns the bytes of the operands.
  virtual size_t bytes() const = 0;
};

// One maker for each kind. `node` is the first node of the collective.
std::unique_ptr<CardCollective> makeCardSum(CudaStream& stream, const Graph& graph,
                                            const Node& node);
std::unique_ptr<CardCollective> makeCardGather(CudaStream& stream, const Graph& graph,
                                               const Node& node);
std::unique_ptr<CardCollective> makeCardTransfer(CudaStream& stream, const Graph& graph,
                                                 const Node& node);

/// Returns the bytes of the parts that each replica updates before an all_gather.
std::vector<std::vector<size_t>> gatheredParts(const Attributes& attributes, size_t elementBytes);
/// Returns the bytes that an all_gather receives from other replicas.
size_t gatheredBytes(const Attributes& attributes, size_t elementBytes);

StrataRange rangeOf(DeviceAddress address, size_t bytes, bool isWritten);
/// Returns the time between two events that have happened.
std::chrono::nanoseconds elapsed(const Card& card, const EventHandle& begin,
                                 const EventHandle& end);

}  // namespace strata::cuda
