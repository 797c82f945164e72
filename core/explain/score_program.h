// SPDX-License-Identifier: Apache-2.0
// A score graph that is ready to run on the device of a network, with a copy of its weights.
// Not here: building the graph (score_graph.h).
// Thread: only the thread of the network may use an object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain/score_graph.h"
#include "core/train/network.h"
#include "gpu/exec/program.h"

namespace strata {

class ScoreProgram {
 public:
  /// Compiles the graph in float32 and copies the weights. Fails: as Program::build(); OutOfMemory.
  ScoreProgram(ScoreGraph graph, Network& network);

  /// Returns the type of the output kScoresOutput.
  const TensorType& scoresType() const { return m_scoresType; }
  /// Returns ScoreGraph::chosen.
  const std::string& chosen() const { return m_chosen; }
  /// Sets all inputs to the arrays of a batch, in the order of the Input layers.
  void writeInputs(const std::vector<Tensor>& arrays);
  /// Collects the samples of a batch one by one: clearRows(), addRow() for each sample, and
  /// writeRows(). If there are fewer samples than rows, the others keep values of no meaning.
  void clearRows() { m_rows = 0; }
  void addRow(const std::vector<Tensor>& arrays);
  void writeRows() { writeInputs(m_batch); }
  /// Sets another input. Does nothing if the graph does not use it.
  void write(std::string_view name, const Tensor& value);
  void run() { m_program->run(); }
  Tensor read(std::string_view name) const { return m_program->readOutput(name); }

 private:
  TensorType m_scoresType;
  std::string m_chosen;
  std::vector<std::string> m_inputs;
  std::unique_ptr<State> m_state;
  std::unique_ptr<Program> m_program;
  std::vector<Tensor> m_batch;
  int64_t m_rows = 0;
};

}  // namespace strata
