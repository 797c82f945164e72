// SPDX-License-Identifier: Apache-2.0
// Defines what an optimizer is: a schema, the state of a parameter, and the update of a parameter
// as ops. Formulas follow Keras 3. Common optimizers use one fused op (optimizers_fused.cpp), and
// the others are composed of basic ops (optimizers_composed.cpp). optimizers.cpp contains clipping,
// weight decay and the moving average of weights.
// Not here: learning rate schedules (schedules.h).
// Thread: any thread may use the definitions, which are constant. An update edits only the given
// graph.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/layer.h"
#include "core/recipe/options.h"

namespace strata {

/// The variable (f32[]) that counts the steps without an update, because a gradient overflowed
/// (core/compile/loss_scale.h). They do not count as steps of the optimizer.
constexpr const char* kSkippedSteps = "loss_scale:skipped_steps";

/// A trainable variable and its gradient.
struct ParameterGradient {
  std::string name, layer;
  ValueId variable, gradient;
  double learningRateFactor = 1;
  // Constraint that the updated weights must satisfy
  Constraint constraint = {};
};

/// A state variable of one parameter.
struct OptimizerState {
  // Suffix of the variable's name, such as "m" in "<parameter>:m"
  std::string suffix;
  Shape shape = {};
  double initialValue = 0;
};

/// The inputs of the update of one parameter. The graph's scope already has the phase Update and
/// the layer.
struct UpdateContext {
  Graph& graph;
  const Json& fields;
  const std::string& name;
  // The weights. Weight decay has been applied to them, unless the optimizer sets isInPlace or
  // decaysItself.
  ValueId weights;
  ValueId gradient;
  std::vector<ValueId> state = {};
  // Learning rate, f32 scalar
  ValueId rate = {};
  // The field `weight_decay`, or 0 if this parameter is excluded
  double decay = 0;

  /// Returns whether the gradient of a row is a sum of parts, one for each lookup. This is the case
  /// for the table of an Embedding that is used once. Keras on TensorFlow sums the squares or
  /// magnitudes of the parts instead of using those of the total gradient.
  bool isOfParts() const;
  /// Returns the squares of the gradient, or the sums of the squares of its parts.
  ValueId squares() const;
  /// Returns the magnitudes of the gradient, or the sums of the magnitudes of its parts.
  ValueId magnitudes() const;

  double number(const char* field) const;
  const Shape& shape() const { return graph.shape(gradient); }
  /// Returns the number of the update, an i64 scalar that starts at 1.
  ValueId step() const;
  /// Returns step() as f32.
  ValueId floatStep() const;
  /// Returns 1 - base^step. Uses expm1, which is accurate for a base near 1.
  ValueId oneMinusPower(double base) const;
};

struct OptimizerDef {
  Schema schema = {};
  /// Returns the states of one parameter, in the order in which update() returns them after the new
  /// weights.
  std::vector<OptimizerState> (*state)(const Json& fields, const std::string& name,
                                       const Shape& shape) = nullptr;
  /// Returns the new weights and states. If isInPlace is set, these are outputs of an op that
  /// writes in place; otherwise appendUpdates() assigns them.
  std::vector<ValueId> (*update)(UpdateContext&) = nullptr;
  // Whether update() returns the outputs of an op that writes in place and also applies weight
  // decay
  bool isInPlace = false;
  // Whether update() applies weight decay
  bool decaysItself = false;
  // Whether each element of the weights is updated on its own. If not, a replica updates whole
  // variables.
  bool isElementwise = true;
};

/// The replica that updates its part of the weights (gpu/ops/shards.h), and the number of the
/// collective that brings the parts together.
struct ShardedUpdate {
  int rank = 0, replicas = 1;
  int64_t number = 0;
};

std::span<const OptimizerDef* const> allOptimizers();
/// Returns the schemas of allOptimizers().
std::span<const Schema* const> optimizerSchemas();
/// Returns the definition of an optimizer type, or null if the type is not known.
const OptimizerDef* findOptimizer(std::string_view type);

/// Appends clipping and updates in the phase Update, and sets the next values of the variables.
/// Each node belongs to the layer of its variable. Creates the inputs "learning_rate" f32[] and
/// "step" i64[] if they are needed. Appends the optimizer's variables with their initial values to
/// `state`. With `sharded`, the graph has only the part of the state that belongs to the replica.
void appendUpdates(Graph& graph, const TypedFields& optimizer,
                   const std::vector<ParameterGradient>& parameters,
                   std::vector<VariableRequest>& state, const ShardedUpdate* sharded = nullptr);

/// Returns the name of the moving average of a variable, which the optimizer keeps if `use_ema` is
/// set. A finished run is tested and saved with the averages.
std::string averageName(const std::string& variable);

}  // namespace strata
