// SPDX-License-Identifier: Apache-2.0
#include "core/verify/runnable_graph.h"

#include <string>

#include "gpu/base/error.h"
#include "gpu/passes/pass.h"
#include "gpu/reference/evaluate.h"

namespace strata {

constexpr double kMaxCaseBytes = 256.0 * (1 << 20);

void requireSmall(const Graph& graph) {
  double bytes = 0;
  for (const NodeId id : graph.order())
    for (const ValueId value : graph.node(id).outputs)
      bytes += static_cast<double>(graph.type(value).bytes());
  if (bytes > kMaxCaseBytes)
    throw Error(ErrorCode::InvalidFile, "",
                "the case is too large (expected values of at most 256 MiB, got " +
                    std::to_string(static_cast<uint64_t>(bytes / (1 << 20))) +
                    "). Make it smaller.");
}

RunnableGraph::RunnableGraph(Graph graph, Device& device, std::shared_ptr<State> state)
    : m_state(state ? std::move(state) : std::make_shared<State>(device)) {
  requireSmall(graph);
  PipelineOptions options;
  options.device = device.traits();
  options.verifyAfterEach = true;
  options.evaluate = evaluateOp;
  runPasses(graph, options, device.passes());
  m_state->ensureVariables(graph);
  m_program = Program::build(std::move(graph), device, *m_state);
  m_program->bind();
}

void RunnableGraph::write(std::string_view name, const Tensor& value) {
  const ValueId input = findInput(m_program->graph(), name);
  if (!input.isValid()) return;
  const TensorType& type = m_program->graph().type(input);
  m_program->writeInput(name, value.converted(type.dtype).reshaped(type.shape));
}

}  // namespace strata
