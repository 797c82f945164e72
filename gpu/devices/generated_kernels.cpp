// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/generated_kernels.h"

#include <map>

#include "gpu/cuda/generate/pointwise_text.h"
#include "gpu/cuda/plugin.h"
#include "gpu/graph/op.h"

namespace strata {

std::vector<KernelText> generatedKernels(const Graph& graph) {
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
  std::vector<KernelText> result;
  for (auto& [name, text] : texts)
    result.push_back({name, std::move(text)});
  return result;
}

std::string problemOfKernel(const KernelText& kernel, int architecture) {
  const StrataCudaPlugin* plugin = cuda::plugin();
  if (!plugin) return cuda::pluginProblem();
  void* image = nullptr;
  size_t bytes = 0;
  if (plugin->compileFor(architecture, kernel.text.c_str(), kernel.name.c_str(), &image, &bytes) !=
      0)
    return plugin->lastError();
  plugin->freeImage(image);
  return {};
}

}  // namespace strata
