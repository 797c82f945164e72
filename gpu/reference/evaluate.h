// SPDX-License-Identifier: Apache-2.0
// Evaluates single ops and whole graphs with the reference kernels, with a separate tensor for each
// value. Constant folding uses these functions. Tests compare passes, planner, executor and other
// backends with them. They are not meant for training, because they do not plan memory.
// Thread: all functions are pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/graph/op.h"

namespace strata {

/// Returns the outputs of one op. An update op returns the new values and does not change `inputs`.
/// Fails: with the errors of the op's shape rule; UnsupportedOp if there is no reference kernel;
/// InvalidArgument for a source op.
std::vector<Tensor> evaluateOp(const OpDef& op, const Attributes& attributes,
                               const std::vector<Tensor>& inputs);

using NamedTensors = std::map<std::string, Tensor, std::less<>>;

struct Evaluation {
  NamedTensors outputs;
  // All variables at the end of the step
  NamedTensors variables;
  // Indexed by ValueId.index. The tensors of removed nodes are empty
  std::vector<Tensor> values;
};

/// Evaluates one step of `graph`. Fails, with the name as subject: InvalidArgument if an input or
/// variable is missing; ShapeMismatch if it has another type.
Evaluation evaluateGraph(const Graph& graph, const NamedTensors& inputs,
                         const NamedTensors& variables);

}  // namespace strata
