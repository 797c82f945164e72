// SPDX-License-Identifier: Apache-2.0
// Builds the graph of a step from a Model: lowering, gradients, updates and passes. The
// construction can stop after a stage, so that the graph at this point can be printed and tested.
// Not here: compiling the graph to a Program (gpu/exec).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/recipe/metrics.h"
#include "core/recipe/options.h"
#include "gpu/exec/program.h"
#include "gpu/passes/pass.h"

namespace strata {

/// The output of a training step that says whether the loss and all gradients are finite: 1 or 0
/// (f32[]). If it is 0, the step changes no variable. With a dynamic loss scale, it is 1 if only
/// gradients are not finite, and the step changes only the scale (loss_scale.h).
constexpr const char* kFinite = "finite";

/// The output of a training step with the norm of all gradients (f32[]), before any clipping. It is
/// NaN in steps that do not compute it.
constexpr const char* kGradientNorm = "gradient_norm";

/// The output of a training step with a dynamic loss scale: the scale after the step (f32[]).
constexpr const char* kNextLossScale = "next_loss_scale";

enum class Stage : uint8_t { Lowered, Differentiated, Optimized, Planned };

/// The position of a micro-batch in an update. All micro-batches except the last add their
/// gradients and new moving statistics to variables named "<variable>:sum". Each contribution is
/// weighted by the micro-batch's share of the batch (the input "share", f32[]). The last
/// micro-batch adds its own values and updates the weights.
enum class MicroStep : uint8_t { Whole, First, Middle, Last };

/// An Input layer or a target in the graph of a step.
struct StepPort {
  // Name of the graph's input
  std::string name;
  // Type and shape, including the batch dimension
  TensorType type;
};

/// An output of the network.
struct StepOutput {
  std::string layer;
  // Name of the graph's output
  std::string prediction;
  // Name of the graph's input for sample weights; "" if the data has no weights for this output
  std::string weights;
  // Last dimension of the prediction
  int64_t width = 0;
  // How the loss reads the prediction; that of a Predict step is not set
  OutputReading reading = {};
};

/// The graph of a step. Each Input layer has an input of the same name. Steps with a loss also have
/// the input "target" and, if the data has weights, "sample_weight" (f32[N]). The inputs
/// "learning_rate" (f32[]), "step", "seed" and "first_sample" (i64[]) exist only if the step uses
/// them.
/// The outputs are "prediction" (Evaluate and Predict), and "loss" and "metric/<name>" (Train and
/// Evaluate). The loss includes regularizers. A metric is output as sums over the batch (see
/// core/recipe/metrics.h). With several outputs, the names are "target/<layer>",
/// "sample_weight/<layer>" and "prediction/<layer>".
struct StepGraph {
  Graph graph;
  // Variables of the model, in the order in which the layers create them
  std::vector<VariableRequest> variables;
  // Optimizer state in training, such as "<variable>:m". Its initial values may differ from zero.
  std::vector<VariableRequest> optimizerState;
  // In training, the variables whose gradients kFinite checks. They are the first operands of the
  // node all_finite, in this order; the loss is the last one.
  std::vector<std::string> checkedVariables;
  std::vector<LoweredMetric> metrics;
  // The outputs of the layers of the model, by position, before the passes
  std::vector<ValueId> layerValues;
  // Names of the metrics' values
  std::vector<std::string> metricNames;
  // Inputs and targets in the order of the network. A Predict step has no targets.
  std::vector<StepPort> inputs, targets;
  // The trained outputs, one for each target
  std::vector<StepOutput> outputs;
  // Outputs without targets, which the step only predicts
  std::vector<StepOutput> untrained;
  // Result of countedBy() in core/recipe/losses.h; empty for Predict
  std::string countedBy;
  // Reports of the passes. They are empty if the step stops before Stage::Optimized.
  std::vector<PassReport> reports;
};

struct StepOptions {
  StepMode mode = StepMode::Train;
  // In training, the position of the micro-batch. In evaluation, any value except Whole means that
  // the loss is computed for a part of a batch.
  MicroStep microStep = MicroStep::Whole;
  // How many replicas train side by side. Each computes a share of the batch, and the last
  // micro-batch sums gradients, moving statistics and loss over all of them.
  int replicas = 1;
  // In how many processes they are, or how many cards add (DeviceTraits::packsSums)
  int processes = 1;
  // Whether each replica updates a part of the weights and keeps the optimizer state of this part
  // alone, and the replica whose step it is
  bool isSharded = false;
  int rank = 0;
  // Whether a training step that updates weights has the output kGradientNorm
  bool measuresGradients = false;
  int64_t batchSize = 1;
  // In evaluation, the number of rows in a full batch, which is the batch size of carried recurrent
  // state; 0 for the size of this batch
  int64_t stateRows = 0;
  // The precision of the pass mixed_precision
  Precision precision = Precision::Float32;
  LossScale lossScale = {};
  // What the device fuses (Device::traits())
  DeviceTraits device = {};
  std::set<std::string, std::less<>> disabledPasses;
  // Options of the pass "recompute", which does nothing with Recompute::None.
  RecomputeOptions recompute;
  // In training, the state variables of other steps. They are added to the graph, so that its
  // memory includes them.
  const std::map<std::string, TensorType>* held = nullptr;
  // Callback of the pass choose_kernels
  std::function<void(const Graph&, PassReport&)> chooseKernels = {};
  // Times of nodes for the passes (see PipelineOptions)
  NodeSeconds seconds = {};
  // Compilation checks this token repeatedly, and fails with Stopped after a stop request.
  std::stop_token stop;
  Stage stopAfter = Stage::Optimized;
  // Called after each stage
  std::function<void(Stage, const Graph&)> onStage = {};
  // Called after each pass. An exception ends the compilation.
  std::function<void(const Graph&, const PassReport&)> onPass = {};
};

/// Builds the graph of a step. Requires: a valid project (validate() finds no error). Fails:
/// InvalidProject, UnsupportedOp naming the layer.
StepGraph buildStep(const Model& model, const TrainingOptions& training, const StepOptions& options,
                    const std::vector<Pass>& devicePasses = {});

/// Returns the error for a loss that cannot be computed in micro-batches. `countedBy` is
/// StepGraph::countedBy.
Diagnostic unevenMicroBatches(const std::string& countedBy, int64_t pieces);

/// Further results of lowering layers, in addition to the values of the layers.
struct LoweredExtras {
  // Scalars added to the loss
  std::vector<ValueId> penalties;
  // Masks of the layers' outputs by position. A value is invalid if the output has no mask.
  std::vector<ValueId> masks;
};
using NextValues = std::vector<std::pair<std::string, ValueId>>;
/// Lowers only the layers of a model into `graph` (used by buildStep and verify). Returns the value
/// of each layer by position. `nextValues` receives new state, which assignNextValues() assigns
/// after all reads. Fails: LayerProblem.
std::vector<ValueId> lowerLayers(Graph& graph, const Model& model, StepMode mode, int64_t batchSize,
                                 std::vector<VariableRequest>& variables, NextValues& nextValues,
                                 LoweredExtras* extras = nullptr, int64_t stateRows = 0,
                                 int replicas = 1);
/// Assigns each variable its replacement at the end of the step, unless the optimizer updates it.
/// Call this before gradients are built.
void assignReplacements(Graph& graph, const std::vector<VariableRequest>& variables);
void assignNextValues(Graph& graph, const NextValues& nextValues);

/// Returns the initial value of a variable. Variables share the seed, unless their initializer has
/// its own. Each name has a separate random stream.
Tensor initialValue(const VariableRequest& request, uint64_t seed);
/// Adds the missing variables of a step to `state` with their initial values. Existing values are
/// kept.
void initializeState(State& state, const StepGraph& step, uint64_t seed);

}  // namespace strata
