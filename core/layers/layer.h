// SPDX-License-Identifier: Apache-2.0
// Defines what a layer is: a schema and a lowering to ops, in one file. core/layers/registry.cpp
// lists all layers. Shape inference runs the lowering on a scratch graph, so a layer needs no
// separate shape function.
// Not here: connections between layers (core/model).
// Thread: any thread may use the definitions, which are constant. A lowering edits only the given
// graph.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/objects.h"
#include "core/layers/schema.h"
#include "gpu/graph/graph.h"
#include "gpu/ops/shards.h"

namespace strata {

class LayerContext;
/// A function that lowers the layers in a Block with the inputs of the context, and returns the
/// output of the Block.
using LowerContents = std::function<ValueId(LayerContext&)>;
/// The largest `repeat` of a Block.
constexpr int64_t kMaxRepeats = 10000;

enum class StepMode : uint8_t { Train, Evaluate, Predict };

/// Describes how the value of a variable is computed from the training data before the first step.
struct Adaptation {
  // Boundaries separate bins with equally many values
  enum class Statistic : uint8_t { Mean, Variance, Boundaries };
  Statistic statistic = Statistic::Mean;
  // Axes along which each index has a separate statistic; axis 0 is the batch
  std::vector<int64_t> axes = {};
  // Name of the Input layer whose data is used
  std::string input = {};
};

/// A variable that a layer requests, such as a weight or a moving statistic, and its initializer.
struct VariableRequest {
  // Name "<layer>/<path>", with the same paths as in Keras
  std::string name;
  Shape shape;
  Initializer initializer;
  std::string layer;
  bool isTrainable = true;
  Regularizer regularizer = {};
  Constraint constraint = {};
  double learningRateFactor = 1;
  int64_t fanIn = 0, fanOut = 0;
  std::optional<Adaptation> adaptation = {};
  // Value that replaces the variable in this step. Gradients are computed for this value, and the
  // update starts from it.
  ValueId replacement = {};
  // For the state of an optimizer that replicas divide: the part of each replica, in elements.
  // Otherwise empty.
  std::vector<ShardRange> shards = {};
};

/// The inputs of a layer, with checked indices. A layer may have too few inputs, for example if the
/// first layer of a Block needs more inputs than the Block has.
class LayerInputs {
 public:
  LayerInputs(std::string layer, std::vector<ValueId> values)
      : m_layer(std::move(layer)), m_values(std::move(values)) {}
  /// Throws a LayerProblem that names the layer if it has too few inputs.
  ValueId operator[](size_t i) const;
  size_t size() const { return m_values.size(); }
  bool empty() const { return m_values.empty(); }
  const std::vector<ValueId>& all() const { return m_values; }

 private:
  std::string m_layer;
  std::vector<ValueId> m_values;
};

/// Gives a lowering the fields and inputs of its layer, and collects the results of the lowering.
/// The problems that its methods throw name the layer and the field.
class LayerContext {
 public:
  LayerContext(Graph& graph_, StepMode mode_, std::string name_, const Json& fields_,
               std::vector<ValueId> inputs_);

  Graph& graph;
  const StepMode mode;
  const std::string name;
  // All fields, checked and with defaults filled in
  const Json& fields;
  // The inputs, of shape [N, ...]
  const LayerInputs inputs;
  // Names of the layers that the inputs come from, for messages
  std::vector<std::string> inputNames;
  // Batch size N for layers without inputs
  int64_t batchSize = 1;
  // Lowers the contents of a Block
  LowerContents lowerContents;
  // Whether a recurrent layer that runs backwards returns its sequence in the order of the input
  bool keepsOrder = false;
  // Number of steps per sample inside a TimeDistributed, which treats each step as a row of the
  // batch
  int64_t timeSteps = 1;
  // Number of rows in a carried state, which is the size of a full batch. This batch may be the
  // smaller last one. 0 means the number of rows in this batch.
  int64_t stateRows = 0;
  // How many replicas share the batch in training
  int replicas = 1;

  int64_t integer(std::string_view field) const;
  double number(std::string_view field) const;
  bool boolean(std::string_view field) const;
  std::string string(std::string_view field) const;
  std::vector<int64_t> integers(std::string_view field) const;
  /// Returns the two integers of a field: {3, 3} for both 3 and [3, 3].
  std::vector<int64_t> pair(std::string_view field) const;
  const Shape& inputShape(int i = 0) const { return graph.shape(inputs[static_cast<size_t>(i)]); }

  /// Creates the variable `<layer>/<path>` and returns its value. `initializerFieldOrType` is the
  /// name of the field with its initializer, or the type of an initializer, such as "zeros". A fan
  /// of 0 is computed from the shape. `regularizerField` also selects the constraint:
  /// "kernel_regularizer" applies the fields `kernel_regularizer` and `kernel_constraint`.
  /// Fails: shape_mismatch if the initializer or regularizer needs another rank; out_of_range if
  /// the constraint has an axis that the variable does not have; too_large.
  ValueId variable(std::string_view path, Shape shape, std::string_view initializerFieldOrType,
                   bool isTrainable = true, int64_t fanIn = 0, int64_t fanOut = 0,
                   std::string_view regularizerField = {});
  /// Sets the next value of a state such as a moving statistic. Has an effect only in Train mode.
  /// The step assigns the value after it has read all variables.
  void setNext(std::string_view path, ValueId next);
  /// Returns the state `<layer>/<path>` that a stateful layer continues from. Training keeps the
  /// state from step to step. An evaluation starts from zeros and keeps the state until its last
  /// batch.
  ValueId carriedState(std::string_view path, const Shape& shape);
  /// Sets the state that the next batch continues from. Requires: carriedState() was called with
  /// the same path.
  void carryOn(std::string_view path, ValueId next);
  bool isCarrying() const { return boolean("stateful") && mode != StepMode::Predict; }
  /// Returns whether this layer learns in this step, which needs Train mode and `trainable`. If it
  /// does not learn, BatchNormalization uses its moving statistics.
  bool isLearning() const { return mode == StepMode::Train && boolean("trainable"); }
  /// Applies the activation in a field. Fails: out_of_range for an axis that x does not have;
  /// shape_mismatch for glu along an axis of odd size.
  ValueId activate(ValueId x, std::string_view field = "activation");
  /// Returns an i64 scalar that is fed at each step: "seed", "step" or "first_sample". The first
  /// call creates it.
  ValueId stepInput(std::string_view name_, DType type = DType::I64);

  /// Returns an input, converted to f32 unless it has a floating type.
  ValueId floatInput(int i = 0);
  /// Checks the rank of an input. Fails: shape_mismatch.
  void requireRank(int rank, int input = 0) const;
  /// Checks that weights of this shape have 2 to `largestRank` dimensions. The error names `type`,
  /// the initializer or regularizer that requires this. Fails: shape_mismatch at `field`.
  void requireMatrix(const std::string& field, const std::string& type, const Shape& shape,
                     int largestRank) const;
  /// Checks that the shape has at most kMaxElements elements. Fails: too_large.
  void requireSize(const Shape& shape) const;
  /// Returns a tensor of zeros, for a constant that the caller fills.
  /// Fails: too_large if the shape has more than kMaxTableElements elements.
  Tensor table(const Shape& shape) const;
  [[noreturn]] void fail(std::string code, std::string field, Text message, Arguments arguments,
                         std::vector<Fix> fixes = {}) const;
  /// Returns the fix "Set FIELD to VALUE" for fail(). Its pointer is relative to the layer;
  /// completeFixes() adds the layer's pointer.
  Fix setFieldFix(const std::string& field, const std::string& json) const;

  /// Returns the mask of an input, f32 [N,T], which is 1 for steps that count and otherwise 0. The
  /// value is invalid if all steps count. Masks come from Masking, or from an Embedding with
  /// mask_zero.
  ValueId mask(int i = 0) const {
    return static_cast<size_t>(i) < masks.size() ? masks[static_cast<size_t>(i)] : ValueId();
  }

  /// A function that a wrapper may set. variable() calls it after each request, and returns its
  /// result instead of the new variable, `variables.back()`.
  std::function<ValueId(LayerContext&, std::string_view path, ValueId variable)> replaceVariable;

  // Masks of the inputs; may have fewer elements than `inputs`
  std::vector<ValueId> masks;
  // Outputs after the first, set by the lowering. LayerDef::countOutputs() returns their number,
  // including the first.
  std::vector<ValueId> moreOutputs;
  // The mask of the output, if the lowering sets one; otherwise the layer's MaskRule decides
  ValueId outputMask;
  // Scalars added to the loss
  std::vector<ValueId> penalties;
  // The variables requested so far
  std::vector<VariableRequest> variables;
  // Name and next value of each state
  std::vector<std::pair<std::string, ValueId>> nextValues;
};

/// Maximum number of elements of one value or variable.
constexpr int64_t kMaxElements = int64_t{1} << 40;
/// Maximum number of elements of a constant table, which takes 1 GiB as f32. Larger tables would be
/// slow, because each inspection of a network computes them again.
constexpr int64_t kMaxTableElements = int64_t{1} << 28;

/// A problem of a layer, thrown by LayerContext::fail() and lowerLayer().
class LayerProblem : public Error {
 public:
  explicit LayerProblem(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return m_diagnostic; }

 private:
  Diagnostic m_diagnostic;
};

/// Prefixes the pointers of a diagnostic's fixes with the layer's JSON pointer, because lowerings
/// set pointers relative to the layer.
void completeFixes(Diagnostic& diagnostic, const std::string& layerPointer);

/// The rule for the mask of a layer's output. Lost: the output has no mask. Kept: it has the mask
/// of the first input. Any: it has the union of the masks of all inputs, or no mask if an input has
/// none.
enum class MaskRule : uint8_t { Lost, Kept, Any };

struct LayerDef {
  Schema schema = {};
  // If maxInputs is -1, the number of inputs has no upper limit.
  int minInputs = 1, maxInputs = 1;
  // Names of the inputs in messages; the last name repeats for further inputs
  std::vector<std::string> ports = {"x"};
  ValueId (*lower)(LayerContext&) = nullptr;
  MaskRule masks = MaskRule::Lost;
  // Returns the number of outputs. If it is null, the layer has one output.
  int (*countOutputs)(const Json& fields) = nullptr;
  bool takes(size_t count) const {
    return count >= static_cast<size_t>(minInputs) &&
           (maxInputs < 0 || count <= static_cast<size_t>(maxInputs));
  }
};
/// Returns the number of outputs of a layer.
int outputsOf(const LayerDef& definition, const Json& fields);

/// Removes the batch dimension: [N, 28, 28, 1] -> [28, 28, 1].
Shape shapeWithoutBatch(const Shape& shape);

/// The result of lowering one layer to a graph.
struct LoweredLayer {
  ValueId value;
  std::vector<VariableRequest> variables;
  // Names and next values of the states, which are assigned at the end of the step
  std::vector<std::pair<std::string, ValueId>> nextValues;
  // Scalars added to the loss, from activity regularizers
  std::vector<ValueId> penalties = {};
  // Mask of the output: 1 for steps that count; invalid if all steps count
  ValueId mask = {};
  // The outputs "name:1", "name:2", ...
  std::vector<ValueId> moreOutputs = {};

  /// Calls put(name, value) for each name by which `inputs` of other layers refer to an output:
  /// "name" and "name:0" for the first output, then "name:1", "name:2", ...
  template <class Put>
  void forEachOutput(const std::string& name, Put&& put) const {
    put(name, value);
    put(name + ":0", value);
    for (size_t i = 0; i < moreOutputs.size(); ++i)
      put(name + ":" + std::to_string(i + 1), moreOutputs[i]);
  }
};
/// The arguments of lowerLayer().
struct LayerCall {
  const LayerDef& definition;
  const std::string& name;
  const Json& fields;
  std::vector<ValueId> inputs;
  std::vector<std::string> inputNames;
  StepMode mode = StepMode::Predict;
  int64_t batchSize = 1;
  // Lowers the contents of a Block
  LowerContents lowerContents = {};
  // Masks of the inputs
  std::vector<ValueId> masks = {};
  std::function<ValueId(LayerContext&, std::string_view path, ValueId variable)> replaceVariable =
      {};
  // Whether a recurrent layer in a Bidirectional keeps the order of its input; see LayerContext
  bool keepsOrder = false;
  // Number of steps per sample inside a TimeDistributed; see LayerContext
  int64_t timeSteps = 1;
  // Number of rows in a full batch; see LayerContext
  int64_t stateRows = 0;
  // How many replicas share the batch in training
  int replicas = 1;
};
/// Lowers one layer. Its nodes carry the name of the layer. Throws LayerProblem, also for a wrong
/// number of inputs and if the shape rule of an op fails.
LoweredLayer lowerLayer(Graph& graph, LayerCall call);

std::span<const LayerDef* const> allLayers();
/// Returns the definition of a layer type, or null if the type is not known.
const LayerDef* findLayer(std::string_view type);

}  // namespace strata
