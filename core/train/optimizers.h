// SPDX-License-Identifier: Apache-2.0
// Optimizers: a schema, the state a parameter needs, and its update as ops, with Keras 3's formulas. Clipping is composed of ops before it.
// Thread: definitions are constant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/layer.h"
#include "core/train/options.h"

namespace strata {

/// A trainable variable and its gradient.
struct ParameterGradient {
  std::string name, layer;
  ValueId variable, gradient;
  double learningRateFactor = 1;
};

struct OptimizerState {
  std::string suffix;  // "m": the variable "<name>:m"
  double initialValue = 0;
};

struct OptimizerDef {
  Schema schema = {};
  std::string op;
  /// State of one parameter with these fields, in the order of the op's results after the new weights.
  std::vector<OptimizerState> (*state)(const Json& fields) = nullptr;
  /// The op's operands after (w, gradient), from the state, the rate and the step; `step` is asked for only where it is used.
  std::vector<ValueId> (*operands)(const std::vector<ValueId>& state, ValueId rate, ValueId (*step)(Graph&), Graph& graph) = nullptr;
  Attributes (*attributes)(const Json& fields) = nullptr;
};

std::span<const OptimizerDef* const> allOptimizers();
const OptimizerDef* findOptimizer(std::string_view type);

/// Appends clipping and updates in phase Update, each node with its variable's layer, and sets the variables' next values. Inputs made where needed:
/// "learning_rate" f32[], "step" i64[]. `state` collects the optimizer's variables with their first values.
void appendUpdates(Graph& graph, const TypedFields& optimizer, const std::vector<ParameterGradient>& parameters,
                   std::vector<VariableRequest>& state);

}  // namespace strata
