// SPDX-License-Identifier: Apache-2.0
#include "core/explain/score_program.h"

#include <cstring>

#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "gpu/passes/pass.h"
#include "gpu/reference/evaluate.h"

namespace strata {

ScoreProgram::ScoreProgram(ScoreGraph graph, Network& network)
    : m_scoresType(graph.graph.type(graph.scores)), m_chosen(graph.chosen) {
  for (const LayerValue& input : graph.inputs) {
    m_inputs.push_back(input.name);
    m_batch.emplace_back(graph.graph.type(input.value));
  }
  Device& device = network.steps().device();
  PipelineOptions options;
  options.device = device.traits();
  options.disabled = network.steps().execution().disabledPasses;
  options.otherPasses = passNames();
  options.evaluate = evaluateOp;
  runPasses(graph.graph, options, device.passes());
  m_state = std::make_unique<State>(device);
  m_program = Program::build(std::move(graph.graph), device, *m_state);
  m_program->bind();
  const std::map<std::string, Tensor> weights = network.state().weights();
  for (const std::string& name : m_state->names())
    if (const auto found = weights.find(name); found != weights.end())
      m_state->write(name, found->second);
}

void ScoreProgram::write(std::string_view name, const Tensor& value) {
  if (findInput(m_program->graph(), name).isValid()) m_program->writeInput(name, value);
}

void ScoreProgram::writeInputs(const std::vector<Tensor>& arrays) {
  for (size_t i = 0; i < m_inputs.size(); ++i)
    write(m_inputs[i], arrays[i]);
}

void ScoreProgram::addRow(const std::vector<Tensor>& arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const size_t bytes = arrays[i].bytes();
    require(static_cast<size_t>(m_rows + 1) * bytes <= m_batch[i].bytes(), "the batch has a row");
    std::memcpy(m_batch[i].data() + static_cast<size_t>(m_rows) * bytes, arrays[i].data(), bytes);
  }
  ++m_rows;
}

}  // namespace strata
