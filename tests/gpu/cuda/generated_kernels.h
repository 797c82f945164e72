// SPDX-License-Identifier: Apache-2.0
// The kernels that an NVIDIA GPU compiles for the fused chains of a graph. They can be compiled for
// any compute capability without a GPU.
#pragma once

#include <map>
#include <string>

#include "gpu/cuda/generate/pointwise_text.h"
#include "gpu/cuda/plugin.h"
#include "gpu/graph/graph.h"
#include "gpu/graph/op.h"

namespace strata::test {

/// Returns the kernels of all fused_pointwise nodes of a graph: CUDA C++ by name.
inline std::map<std::string, std::string> generatedKernels(const Graph& graph) {
  std::map<std::string, std::string> texts;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->work != WorkKind::FusedSteps) continue;
    std::vector<TensorType> inputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(graph.type(input));
    cuda::GeneratedKernel kernel = cuda::generatePointwise(
        node.attributes.get<std::string>("program"), inputs, graph.type(node.outputs[0]));
    texts.emplace(std::move(kernel.name), std::move(kernel.text));
  }
  return texts;
}

/// Compiles a kernel for a compute capability, such as 90. Returns why that is not possible, or "".
/// Requires: the plug-in.
inline std::string problemOfKernel(const std::string& name, const std::string& text,
                                   int architecture) {
  const StrataCudaPlugin& plugin = *cuda::plugin();
  void* image = nullptr;
  size_t bytes = 0;
  if (plugin.compileFor(architecture, text.c_str(), name.c_str(), &image, &bytes) != 0)
    return plugin.lastError();
  plugin.freeImage(image);
  return {};
}

}  // namespace strata::test
