// SPDX-License-Identifier: Apache-2.0
// A layer is a schema and a lowering to ops, in one file. Registration: one line in
// core/layers/registry.cpp. Shape inference runs the lowering on a scratch graph, so no layer
// states its shapes twice. Not here: connections between layers (core/model). Thread: definitions
// are constant.
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

namespace strata {

class LayerContext;
/// Lowers the layers in a Block after the context's inputs and returns the output.
using LowerContents = std::function<ValueId(LayerContext&)>;
/// The largest `repeat` of a Block.
constexpr int64_t kMaxRepeats = 10000;

enum class StepMode : uint8_t { Train, Evaluate, Predict };

/// A variable whose value is computed from an Input's training data before the first step.
struct Adaptation {
  // Boundaries separate bins with equally many values
  enum class Statistic : uint8_t { Mean, Variance, Boundaries };
  Statistic statistic = Statistic::Mean;
  // Axes with separate statistics; 0 is the batch
  std::vector<int64_t> axes = {};
  // The Input layer that the values come from
  std::string input = {};
};

/// A weight or moving statistic that a layer asks for, and how it is initialized.
struct VariableRequest {
  // "<layer>/<path>", with the paths of Keras
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
  // Replaces the variable in this step: the update starts from it, and gradients are taken of it
  ValueId replacement = {};
};

/// The inputs of a layer, with checked indices. There may be fewer than the layer needs, for
/// example where the first layer of a Block needs more than the Block has.
class LayerInputs {
 public:
  LayerInputs(std::string layer, std::vector<ValueId> values)
      : m_layer(std::move(layer)), m_values(std::move(values)) {}
  /// Fails: LayerProblem naming the layer, where there are fewer inputs.
  ValueId operator[](size_t i) const;
  size_t size() const { return m_values.size(); }
  bool empty() const { return m_values.empty(); }
  const std::vector<ValueId>& all() const { return m_values; }

 private:
  std::string m_layer;
  std::vector<ValueId> m_values;
};

/// What a lowering reads and writes. Problems that it throws carry the layer and field.
class LayerContext {
 public:
  LayerContext(Graph& graph_, StepMode mode_, std::string name_, const Json& fields_,
               std::vector<ValueId> inputs_);

  Graph& graph;
  const StepMode mode;
  const std::string name;
  // All fields, checked, with defaults filled in
  const Json& fields;
  // [N, ...]
  const LayerInputs inputs;
  // The layers that the inputs come from, for messages
  std::vector<std::string> inputNames;
  // N, for layers without inputs
  int64_t batchSize = 1;
  // Lowers the contents of a Block
  LowerContents lowerContents;
  // Whether a backwards recurrent layer returns its sequence in the order of its input
  bool keepsOrder = false;
  // Steps per sample inside a TimeDistributed, where each row is one step of a sample
  int64_t timeSteps = 1;
  // Rows of the full batch where this batch may be a smaller last one; 0: the rows of this batch
  int64_t stateRows = 0;

  int64_t integer(std::string_view field) const;
  double number(std::string_view field) const;
  bool boolean(std::string_view field) const;
  std::string string(std::string_view field) const;
  std::vector<int64_t> integers(std::string_view field) const;
  // 3 or [3, 3] -> {3, 3}
  std::vector<int64_t> pair(std::string_view field) const;
  const Shape& inputShape(int i = 0) const { return graph.shape(inputs[static_cast<size_t>(i)]); }

  /// A variable `<layer>/<path>` of the graph; `initializerFieldOrType` is the field with its
  /// initializer, or an initializer (zeros, ones). A regularizer field such as `kernel_regularizer`
  /// also applies `kernel_constraint`. Fails: shape_mismatch where one of them needs another rank.
  ValueId variable(std::string_view path, Shape shape, std::string_view initializerFieldOrType,
                   bool isTrainable = true, int64_t fanIn = 0, int64_t fanOut = 0,
                   std::string_view regularizerField = {});
  /// Sets the next value of a state such as a moving statistic, in Train mode only. The step
  /// assigns it at its end, after all reads.
  void setNext(std::string_view path, ValueId next);
  /// The state `<layer>/<path>` that a stateful layer continues from, and the one that the next
  /// batch continues from. Training keeps it from step to step. An evaluation starts from zeros and
  /// keeps it until its last batch.
  ValueId carriedState(std::string_view path, const Shape& shape);
  void carryOn(std::string_view path, ValueId next);
  bool isCarrying() const { return boolean("stateful") && mode != StepMode::Predict; }
  /// Whether this layer learns in this step: `trainable` in Train mode. Otherwise
  /// BatchNormalization uses its moving statistics.
  bool isLearning() const { return mode == StepMode::Train && boolean("trainable"); }
  /// Applies the activation named by a field (string or object).
  ValueId activate(ValueId x, std::string_view field = "activation");
  /// A scalar that is fed at each step, created at first use: "seed", "step" or "first_sample"
  /// (i64).
  ValueId stepInput(std::string_view name_);

  /// An input converted to f32.
  ValueId floatInput(int i = 0);
  /// Fails: shape_mismatch unless the input has this rank.
  void requireRank(int rank, int input = 0) const;
  /// Fails: shape_mismatch on `field` unless the weights have 2 to `largestRank` dimensions.
  void requireMatrix(const std::string& field, const std::string& type, const Shape& shape,
                     int largestRank) const;
  /// Fails: too_large above kMaxElements.
  void requireSize(const Shape& shape) const;
  /// A tensor of zeros to fill, for a constant. Fails: too_large above kMaxTableElements.
  Tensor table(const Shape& shape) const;
  [[noreturn]] void fail(std::string code, std::string field, Text message, Arguments arguments,
                         std::vector<Fix> fixes = {}) const;
  /// "Set FIELD to VALUE" for fail(). The caller that knows the layer's place completes the pointer
  /// (completeFixes).
  Fix setFieldFix(const std::string& field, const std::string& json) const;

  /// The mask of an input (Masking, Embedding with mask_zero): f32 [N,T] with 1 where a step
  /// counts. Invalid where all do.
  ValueId mask(int i = 0) const {
    return static_cast<size_t>(i) < masks.size() ? masks[static_cast<size_t>(i)] : ValueId();
  }

  /// Set by a surrounding layer: returns what replaces a variable just requested,
  /// `variables.back()`.
  std::function<ValueId(LayerContext&, std::string_view path, ValueId variable)> replaceVariable;

  // Masks of the inputs; may be shorter than inputs
  std::vector<ValueId> masks;
  // Outputs after the first, set by a lowering: LayerDef::countOutputs says how many
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
// A gibibyte; tables are computed each time a network is inspected
constexpr int64_t kMaxTableElements = int64_t{1} << 28;

/// Thrown by lowerings through fail().
class LayerProblem : public Error {
 public:
  explicit LayerProblem(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return m_diagnostic; }

 private:
  Diagnostic m_diagnostic;
};

/// Completes the pointers of fixes, which lowerings give relative to their layer, with the layer's
/// JSON pointer.
void completeFixes(Diagnostic& diagnostic, const std::string& layerPointer);

/// The output's mask: none, that of the first input, or the union of the masks of all inputs.
enum class MaskRule : uint8_t { Lost, Kept, Any };

struct LayerDef {
  Schema schema = {};
  // A maximum of -1 means any number
  int minInputs = 1, maxInputs = 1;
  // Names of the inputs in messages; the last one repeats
  std::vector<std::string> ports = {"x"};
  ValueId (*lower)(LayerContext&) = nullptr;
  MaskRule masks = MaskRule::Lost;
  // null: one output
  int (*countOutputs)(const Json& fields) = nullptr;
  bool takes(size_t count) const {
    return count >= static_cast<size_t>(minInputs) &&
           (maxInputs < 0 || count <= static_cast<size_t>(maxInputs));
  }
};
int outputsOf(const LayerDef& definition, const Json& fields);

/// [N, 28, 28, 1] -> [28, 28, 1].
Shape shapeWithoutBatch(const Shape& shape);

/// What one layer became in a graph.
struct LoweredLayer {
  ValueId value;
  std::vector<VariableRequest> variables;
  // Names and next values of the state, assigned at the end of the step
  std::vector<std::pair<std::string, ValueId>> nextValues;
  // Scalars added to the loss: activity regularizers
  std::vector<ValueId> penalties = {};
  // Steps that count; invalid where all do
  ValueId mask = {};
  // "name:1", "name:2", ...
  std::vector<ValueId> moreOutputs = {};

  /// Calls `put` with each output and its names in `inputs`: "name", "name:0", "name:1", ...
  template <class Put>
  void forEachOutput(const std::string& name, Put&& put) const {
    put(name, value);
    put(name + ":0", value);
    for (size_t i = 0; i < moreOutputs.size(); ++i)
      put(name + ":" + std::to_string(i + 1), moreOutputs[i]);
  }
};
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
  // Of the inputs
  std::vector<ValueId> masks = {};
  std::function<ValueId(LayerContext&, std::string_view path, ValueId variable)> replaceVariable =
      {};
  // For a recurrent layer in a Bidirectional
  bool keepsOrder = false;
  // For a layer in a TimeDistributed
  int64_t timeSteps = 1;
  // See LayerContext
  int64_t stateRows = 0;
};
/// Lowers one layer; its nodes carry its name. Fails: LayerProblem, also for a wrong number of
/// inputs and where the shape rule of an op fails.
LoweredLayer lowerLayer(Graph& graph, LayerCall call);

std::span<const LayerDef* const> allLayers();
const LayerDef* findLayer(std::string_view type);

}  // namespace strata
