// SPDX-License-Identifier: Apache-2.0
// Runs single ops and whole graphs on the spot, each value a tensor of its own, with the reference
// kernels: what folding constants uses and what passes, planner, executor and other backends are
// tested against. Not for training: it plans nothing. Thread: pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/graph/op.h"

namespace strata {

/// Outputs of one op. An op that updates state returns the new values and leaves `inputs` as they
/// are.
/// Fails: as the op's shape rule; UnsupportedOp without a reference kernel; InvalidArgument for a
/// source.
std::vector<Tensor> evaluateOp(const OpDef& op, const Attributes& attributes,
                               const std::vector<Tensor>& inputs);

using NamedTensors = std::map<std::string, Tensor, std::less<>>;

struct Evaluation {
  NamedTensors outputs;
  // Every variable at the end of the step, changed or not
  NamedTensors variables;
  // By ValueId.index; those of removed nodes are empty
  std::vector<Tensor> values;
};

/// One step of `graph`. Fails: InvalidArgument (subject: the name) for an input or variable that is
/// missing; ShapeMismatch for one of another type.
Evaluation evaluateGraph(const Graph& graph, const NamedTensors& inputs,
                         const NamedTensors& variables);

}  // namespace strata
