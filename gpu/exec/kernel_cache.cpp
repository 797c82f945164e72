// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/kernel_cache.h"

#include <algorithm>

#include "gpu/exec/kernel_choices.h"
#include "gpu/graph/op.h"

namespace strata {

std::shared_ptr<const Kernel> KernelCache::kernelOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::vector<TensorType> types;
  std::string key = node.op->name;
  const auto add = [&](const std::vector<ValueId>& values) {
    key += '>';
    for (const ValueId value : values) {
      types.push_back(graph.type(value));
      for (const int64_t size : types.back().shape.dims())
        key.append(reinterpret_cast<const char*>(&size), sizeof size);
      key += ',';
    }
  };
  add(node.inputs);
  add(node.outputs);
  std::vector<Made>& candidates = m_made[key];
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Made& made) {
    return made.types == types && made.attributes == node.attributes && made.slices == node.slices;
  });
  if (found != candidates.end()) return found->kernel;
  std::shared_ptr<const Kernel> kernel;
  if (!m_backend.variants().empty())
    if (const auto variant = m_backend.variants().find(kernelKey(graph, id));
        variant != m_backend.variants().end())
      kernel = m_backend.createKernelVariant(graph, id, variant->second);
  if (!kernel) kernel = m_backend.createKernel(graph, id);
  ++m_numMade;
  candidates.push_back({std::move(types), node.attributes, node.slices, kernel});
  return kernel;
}

}  // namespace strata
