// SPDX-License-Identifier: Apache-2.0
// Lets equal nodes share one kernel, so that the repeats of a Block, or layers of the same sizes,
// are prepared once.
// Not here: the kernels themselves (backend.h). Thread: one compiling thread at a time.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/exec/backend.h"

namespace strata {

class KernelCache {
 public:
  explicit KernelCache(Backend& backend) : m_backend(backend) {}
  /// The kernel for a node, created for the first node with its op, types and attributes, as the
  /// variant set in the backend. Null if the backend has none. Fails: as Backend::createKernel.
  std::shared_ptr<const Kernel> kernelOf(const Graph& graph, NodeId node);
  int numMade() const { return m_numMade; }

 private:
  struct Made {
    // Types of the inputs, then of the outputs
    std::vector<TensorType> types;
    Attributes attributes;
    std::shared_ptr<const Kernel> kernel;
  };
  Backend& m_backend;
  // By op and sizes
  std::unordered_map<std::string, std::vector<Made>> m_made;
  int m_numMade = 0;
};

}  // namespace strata
