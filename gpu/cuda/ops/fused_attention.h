// SPDX-License-Identifier: Apache-2.0
// Attention by cuDNN, in as many calls as the limit of the workspace requires. Each call computes
// some samples, or some heads of one sample; they use the same workspace one after another. Samples
// and heads are independent, so splitting keeps the bits of an engine.
// Not here: when cuDNN is asked, and own kernels (attention.cpp).
// Thread: planned attention is immutable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/cuda/cuda_kernel.h"

namespace strata::cuda {

class FusedAttention {
 public:
  /// Plans a call for all samples and heads with the named algorithm; "" for the best guess.
  /// Returns null if cuDNN cannot compute it within the limit. `failure` then says why for the
  /// smallest part that was tried.
  static std::shared_ptr<const FusedAttention> plan(Card& card, const StrataLibraryCall& call,
                                                    const std::string& algorithm, size_t limit,
                                                    PlanFailure& failure);
  /// Adds the calls. The operands are in the order of StrataAttention, without sums of dq.
  void encode(Encoder& encoder, const std::vector<DeviceAddress>& operands,
              DeviceAddress workspace) const;
  size_t workspaceBytes() const { return m_workspaceBytes; }
  size_t numParts() const { return m_parts.size(); }
  /// Returns the plan of the largest part.
  const std::shared_ptr<const LibraryPlan>& largest() const { return m_parts.front().plan; }

 private:
  /// The samples and heads of a call.
  struct Extent {
    int64_t samples = 0, heads = 0;
    bool operator==(const Extent&) const = default;
  };
  struct Part {
    int64_t sample = 0, head = 0;
    std::shared_ptr<const LibraryPlan> plan;
  };
  static Extent smaller(const StrataAttention& whole, Extent tried, size_t neededBytes,
                        size_t limit);
  static Extent evened(const StrataAttention& whole, Extent extent);
  bool build(Card& card, const StrataLibraryCall& call, const std::string& algorithm, size_t limit,
             Extent extent, PlanFailure& failure);

  StrataAttention m_whole{};
  std::vector<Part> m_parts;
  size_t m_workspaceBytes = 0;
};

}  // namespace strata::cuda
