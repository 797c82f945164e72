// SPDX-License-Identifier: Apache-2.0
// Equal nodes share one kernel: the repeats of a Block, or layers of the same sizes, are prepared
// once.
// Not here: what a kernel is (backend.h). Thread: one compiling thread at a time.
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
  /// The kernel of a node, made for the first one with its op, types and attributes, the way that
  /// the backend was told. Null where the backend has none. Fails: as Backend::createKernel.
  std::shared_ptr<const Kernel> kernelOf(const Graph& graph, NodeId node);
  int numMade() const { return m_numMade; }

 private:
  struct Made {
    // Of inputs, then outputs
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
