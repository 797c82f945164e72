// SPDX-License-Identifier: Apache-2.0
// A layer is a schema and a lowering to ops, in one file. Registration: one line in
// core/layers/registry.cpp. Shape inference is the lowering itself on a scratch graph, so each fact
// stands once. Thread: definitions are constant.
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
/// Lowers what is in a Block behind the context's inputs, and gives its output.
using LowerContents = std::function<ValueId(LayerContext&)>;
/// A Block may repeat this often.
constexpr int64_t kMaxRepeats = 10000;

enum class StepMode : uint8_t { Train, Evaluate, Predict };

/// A variable whose value is taken from the training data before the first step, of the values that
/// the network's Input gives.
struct Adaptation {
  enum class Statistic : uint8_t {
    Mean,
    Variance,
    Boundaries
  } statistic = Statistic::Mean;  // Boundaries: of bins that hold as many values each
  // With a mean and variance of their own; 0 is the batch
  std::vector<int64_t> axes = {};
  // The Input layer whose values they are
  std::string input = {};
};

/// A weight or moving statistic that a layer asked for, with how it starts.
struct VariableRequest {
  // "<layer>/<path>", Keras's paths
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
  // What stands for it in this step: the update starts from it and the loss is differentiated by it
  ValueId replacement = {};
};

/// What a layer takes, behind the one door that checks each index. A lowering may be asked for
/// fewer than it wants: of a Block whose first layer takes more than goes into the Block.
class LayerInputs {
 public:
  LayerInputs(std::string layer, std::vector<ValueId> values)
      : m_layer(std::move(layer)), m_values(std::move(values)) {}
  /// Fails: LayerProblem naming the layer, where it has not as many.
  ValueId operator[](size_t i) const;
  size_t size() const { return m_values.size(); }
  bool empty() const { return m_values.empty(); }
  const std::vector<ValueId>& all() const { return m_values; }

 private:
  std::string m_layer;
  std::vector<ValueId> m_values;
};

/// What a lowering sees and does. Thrown problems carry the layer and field.
class LayerContext {
 public:
  LayerContext(Graph& graph_, StepMode mode_, std::string name_, const Json& fields_,
               std::vector<ValueId> inputs_);

  Graph& graph;
  const StepMode mode;
  const std::string name;
  // All fields, defaults filled in, checked
  const Json& fields;
  // [N, ...]
  const LayerInputs inputs;
  // As inputs: of the layers that made them, for messages
  std::vector<std::string> inputNames;
  // N, for layers without inputs
  int64_t batchSize = 1;
  // Of a Block
  LowerContents lowerContents;
  // A recurrent layer that goes backwards gives its sequence in the order of its input
  bool keepsOrder = false;
  // Of a TimeDistributed around it: the rows are the steps of each sample one after the other
  int64_t timeSteps = 1;
  // Of a whole batch where this may be a smaller one behind it; 0: as this one
  int64_t stateRows = 0;

  int64_t integer(std::string_view field) const;
  double number(std::string_view field) const;
  bool boolean(std::string_view field) const;
  std::string string(std::string_view field) const;
  std::vector<int64_t> integers(std::string_view field) const;
  // 3 or [3, 3] -> {3, 3}
  std::vector<int64_t> pair(std::string_view field) const;
  const Shape& inputShape(int i = 0) const { return graph.shape(inputs[static_cast<size_t>(i)]); }

  /// A variable `<layer>/<path>` of the graph; `initializerField` names the field holding its
  /// initializer ("" and a literal initializer: zeros, ones). Beside a regularizer's field
  /// `kernel_regularizer` stands `kernel_constraint`. Fails: shape_mismatch where one of them wants
  /// another rank.
  ValueId variable(std::string_view path, Shape shape, std::string_view initializerFieldOrType,
                   bool isTrainable = true, int64_t fanIn = 0, int64_t fanOut = 0,
                   std::string_view regularizerField = {});
  /// State written by this step (moving statistics): in Train mode its next value. It is assigned
  /// at the step's end, after all reads.
  void setNext(std::string_view path, ValueId next);
  /// What a stateful layer goes on from: the rows of this batch of its state `<layer>/<path>`, and
  /// the state that the next batch goes on from. Training keeps it from step to step, an evaluation
  /// from its first batch, where it is zeros, to its last.
  ValueId carriedState(std::string_view path, const Shape& shape);
  void carryOn(std::string_view path, ValueId next);
  bool isCarrying() const { return boolean("stateful") && mode != StepMode::Predict; }
  /// Does this layer learn in this step? Off: `trainable` false or another mode; BatchNormalization
  /// then uses its moving statistics.
  bool isLearning() const { return mode == StepMode::Train && boolean("trainable"); }
  /// Applies the activation named by a field (string or object).
  ValueId activate(ValueId x, std::string_view field = "activation");
  /// Scalars fed at each step, made at first use: "seed", "step", "first_sample" (i64).
  ValueId stepInput(std::string_view name_);

  /// An input as f32: integers are converted.
  ValueId floatInput(int i = 0);
  /// Requires an input rank; fails with expected and found.
  void requireRank(int rank, int input = 0) const;
  /// Requires two dimensions, or up to `largestRank`, of weights; fails with the field that wants
  /// it.
  void requireMatrix(const std::string& field, const std::string& type, const Shape& shape,
                     int largestRank) const;
  /// Fails: too_large above kMaxElements.
  void requireSize(const Shape& shape) const;
  /// A constant to be filled, zeros until then. Fails: too_large above kMaxTableElements.
  Tensor table(const Shape& shape) const;
  [[noreturn]] void fail(std::string code, std::string field, Text message, Arguments arguments,
                         std::vector<Fix> fixes = {}) const;
  /// "Set FIELD to VALUE" for fail(). The edit's pointer is completed by who knows the layer's
  /// place.
  Fix setFieldFix(const std::string& field, const std::string& json) const;

  /// Which steps of an input count: f32 [N,T], 1 or 0 (Masking, Embedding with mask_zero); invalid
  /// where all do.
  ValueId mask(int i = 0) const {
    return static_cast<size_t>(i) < masks.size() ? masks[static_cast<size_t>(i)] : ValueId();
  }

  /// Of a layer around this one: what stands for a variable just asked for, `variables.back()`.
  std::function<ValueId(LayerContext&, std::string_view path, ValueId variable)> replaceVariable;

  // Of the inputs; may be shorter
  std::vector<ValueId> masks;
  // Behind the first, set by a lowering: as many as LayerDef::countOutputs says
  std::vector<ValueId> moreOutputs;
  // Set by a lowering; else the layer's MaskRule decides
  ValueId outputMask;
  // Scalars added to the loss
  std::vector<ValueId> penalties;
  // Collected
  std::vector<VariableRequest> variables;
  // Variable name, value
  std::vector<std::pair<std::string, ValueId>> nextValues;
};

/// Largest number of elements of one value or variable that a model may ask for.
constexpr int64_t kMaxElements = int64_t{1} << 40;
// A gibibyte, made whenever a network is looked at
constexpr int64_t kMaxTableElements = int64_t{1} << 28;

/// Thrown by lowerings through fail().
class LayerProblem : public Error {
 public:
  explicit LayerProblem(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return m_diagnostic; }

 private:
  Diagnostic m_diagnostic;
};

/// Lowerings name a field of their own layer in their fixes; the place of the layer in the
/// document, its JSON pointer, is added here.
void completeFixes(Diagnostic& diagnostic, const std::string& layerPointer);

/// What becomes of the masks of a layer's inputs: lost, kept (that of the first input), or a step
/// counts where it does in any input.
enum class MaskRule : uint8_t { Lost, Kept, Any };

struct LayerDef {
  Schema schema = {};
  // -1: any number
  int minInputs = 1, maxInputs = 1;
  // Names of the inputs for people; the last repeats
  std::vector<std::string> ports = {"x"};
  ValueId (*lower)(LayerContext&) = nullptr;
  MaskRule masks = MaskRule::Lost;
  // null: one
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
  // State this step leaves behind: to be assigned at its end
  std::vector<std::pair<std::string, ValueId>> nextValues;
  // Scalars added to the loss: activity regularizers
  std::vector<ValueId> penalties = {};
  // Steps that count, invalid where all do
  ValueId mask = {};
  // "name:1", "name:2", ...
  std::vector<ValueId> moreOutputs = {};

  /// Every output by what `inputs` call it: "name", "name:0", "name:1", ...
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
  // Of a Block
  LowerContents lowerContents = {};
  // Of the inputs
  std::vector<ValueId> masks = {};
  std::function<ValueId(LayerContext&, std::string_view path, ValueId variable)> replaceVariable =
      {};
  // Of a recurrent layer in a Bidirectional
  bool keepsOrder = false;
  // Of a layer in a TimeDistributed
  int64_t timeSteps = 1;
  // As LayerContext's
  int64_t stateRows = 0;
};
/// Lowers one layer; its nodes carry its name. Fails: LayerProblem, also for what an op's shape
/// rule refuses and for a number of inputs that the layer does not take.
LoweredLayer lowerLayer(Graph& graph, LayerCall call);

std::span<const LayerDef* const> allLayers();
const LayerDef* findLayer(std::string_view type);

}  // namespace strata
