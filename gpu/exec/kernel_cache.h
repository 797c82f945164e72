// SPDX-License-Identifier: Apache-2.0
// Lets equal nodes share one kernel. For example, layers of the same type and size share kernels,
// and so do the copies of a repeated Block.
// Not here: the kernels themselves (backend.h). Thread: only one thread at a time.
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
  /// Returns the kernel of a node, in the variant set by Backend::setVariants(). Nodes with the
  /// same op, types, attributes and slices get the same kernel. Returns null if the backend has no
  /// kernel. Fails: as Backend::createKernel().
  std::shared_ptr<const Kernel> kernelOf(const Graph& graph, NodeId node);
  /// Returns how many kernels were created.
  int numMade() const { return m_numMade; }

 private:
  struct Made {
    // The types of the inputs, followed by those of the outputs
    std::vector<TensorType> types;
    Attributes attributes;
    int64_t slices = 1;
    std::shared_ptr<const Kernel> kernel;
  };
  Backend& m_backend;
  // The kernels created so far. The key consists of the op and the shapes of its operands and
  // results, so nodes whose types or attributes differ can have the same key.
  std::unordered_map<std::string, std::vector<Made>> m_made;
  int m_numMade = 0;
};

}  // namespace strata
