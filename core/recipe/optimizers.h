// SPDX-License-Identifier: Apache-2.0
// Optimizers: a schema, the state of a parameter, and its update as ops, with the formulas of Keras
// 3. Common optimizers are one fused op (optimizers_fused.cpp), the others are composed of
// elementwise ops (optimizers_composed.cpp). optimizers.cpp has the shared parts: clipping, weight
// decay, the moving average of weights.
// Thread: definitions are constant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/layer.h"
#include "core/recipe/options.h"

namespace strata {

/// A trainable variable and its gradient.
struct ParameterGradient {
  std::string name, layer;
  ValueId variable, gradient;
  double learningRateFactor = 1;
  // Constraint that the updated weights must satisfy
  Constraint constraint = {};
};

struct OptimizerState {
  // "m" for the variable "<name>:m"
  std::string suffix;
  Shape shape = {};
  double initialValue = 0;
};

/// The update of one parameter. The phase Update and the layer are already set in the graph.
struct UpdateContext {
  Graph& graph;
  const Json& fields;
  const std::string& name;
  // Weight decay is already applied unless the optimizer decays by itself
  ValueId weights;
  ValueId gradient;
  std::vector<ValueId> state = {};
  // f32 scalar
  ValueId rate = {};
  // Value of `weight_decay`; 0 if this parameter is excluded
  double decay = 0;

  /// Whether the parameter is the table of an Embedding, whose gradient is a sum over the places
  /// that used a row. Keras on TensorFlow keeps these parts separate: it sums the squares or
  /// magnitudes of the parts, not those of the total gradient.
  bool isOfParts() const;
  // Squares of the gradient, or the sum of the squares of its parts
  ValueId squares() const;
  // Magnitudes of the gradient, or the sum of the magnitudes of its parts
  ValueId magnitudes() const;

  double number(const char* field) const;
  const Shape& shape() const { return graph.shape(gradient); }
  // Number of the update, i64 scalar, from 1
  ValueId step() const;
  // step() as f32
  ValueId floatStep() const;
  /// 1 - base^step, also exact if base is near 1.
  ValueId oneMinusPower(double base) const;
};

struct OptimizerDef {
  Schema schema = {};
  /// State of one parameter, in the order of update()'s results after the new weights.
  std::vector<OptimizerState> (*state)(const Json& fields, const std::string& name,
                                       const Shape& shape) = nullptr;
  /// The new weights and states: outputs of an op that writes them in place (`isInPlace`),
  /// otherwise values to be assigned.
  std::vector<ValueId> (*update)(UpdateContext&) = nullptr;
  // update() returns the outputs of an op that writes in place and applies weight decay
  bool isInPlace = false;
  // update() applies weight decay
  bool decaysItself = false;
};

std::span<const OptimizerDef* const> allOptimizers();
// Of allOptimizers()
std::span<const Schema* const> optimizerSchemas();
const OptimizerDef* findOptimizer(std::string_view type);

/// Appends clipping and updates in phase Update, each node with its variable's layer, and sets the
/// variables' next values. Inputs made where needed: "learning_rate" f32[], "step" i64[]. `state`
/// collects the optimizer's variables with their first values.
void appendUpdates(Graph& graph, const TypedFields& optimizer,
                   const std::vector<ParameterGradient>& parameters,
                   std::vector<VariableRequest>& state);

/// Of the moving average of a variable, where the optimizer keeps one (`use_ema`): it is what a
/// finished run is tested and saved with.
std::string averageName(const std::string& variable);

}  // namespace strata
