// SPDX-License-Identifier: Apache-2.0
// A graph that all passes have transformed and that is ready to run on a device. Not here: building
// the graphs of cases (cases.h).
// Thread: one thread uses a graph.
#pragma once

#include <memory>
#include <string_view>

#include "gpu/exec/device.h"
#include "gpu/exec/program.h"

namespace strata {

/// Limits the values of a graph to 256 MiB, because a short file can describe a graph of any size.
/// Fails: InvalidFile.
void requireSmall(const Graph& graph);

class RunnableGraph {
 public:
  /// Adds the variables of the graph to `state`, or to a new state if it is null. Fails:
  /// InvalidFile if the graph is too large; also with the errors of the passes and of the device.
  RunnableGraph(Graph graph, Device& device, std::shared_ptr<State> state = nullptr);
  /// Writes a value to an input, after converting it to the type and shape of the input. Does
  /// nothing if the graph does not use the input.
  void write(std::string_view name, const Tensor& value);
  void run() { m_program->run(); }
  Tensor read(std::string_view name) const { return m_program->readOutput(name); }
  State& state() { return *m_state; }

 private:
  std::shared_ptr<State> m_state;
  std::unique_ptr<Program> m_program;
};

}  // namespace strata
