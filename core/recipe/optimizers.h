// SPDX-License-Identifier: Apache-2.0
// Optimizers: a schema, the state a parameter needs, and its update as ops, with Keras 3's
// formulas: one op of its own where that is worth a kernel (optimizers_fused.cpp), else composed of
// elementwise ops (optimizers_composed.cpp). What all share stands in optimizers.cpp: clipping,
// weight decay, the moving average of weights. Thread: definitions are constant.
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
  // What the updated weights are brought to
  Constraint constraint = {};
};

struct OptimizerState {
  // "m": the variable "<name>:m"
  std::string suffix;
  Shape shape = {};
  double initialValue = 0;
};

/// One parameter that is updated. Phase Update and the layer are set.
struct UpdateContext {
  Graph& graph;
  const Json& fields;
  const std::string& name;
  // Weight decay is taken off where the optimizer does not do it by itself
  ValueId weights;
  ValueId gradient;
  std::vector<ValueId> state = {};
  // f32 scalar
  ValueId rate = {};
  // Of `weight_decay`, 0 where this parameter is excluded
  double decay = 0;

  /// Is it an Embedding's table, whose gradient is a sum over the places that took a row? Keras on
  /// TensorFlow keeps these parts to themselves: where it squares the gradient, or takes its
  /// magnitude, those of the parts are summed.
  bool isOfParts() const;
  // Of the gradient, or the sum of those of its parts
  ValueId squares() const;
  // Likewise
  ValueId magnitudes() const;

  double number(const char* field) const;
  const Shape& shape() const { return graph.shape(gradient); }
  // i64 scalar, from 1
  ValueId step() const;
  // The same as f32
  ValueId floatStep() const;
  /// 1 - base^step, exact also where base is near 1.
  ValueId oneMinusPower(double base) const;
};

struct OptimizerDef {
  Schema schema = {};
  /// State of one parameter, in the order of update()'s results after the new weights.
  std::vector<OptimizerState> (*state)(const Json& fields, const std::string& name,
                                       const Shape& shape) = nullptr;
  /// The new weights and states: outputs of an op that writes them in place (`isInPlace`), else
  /// values still to be assigned.
  std::vector<ValueId> (*update)(UpdateContext&) = nullptr;
  // And takes weight decay by itself
  bool isInPlace = false;
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
