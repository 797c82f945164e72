// SPDX-License-Identifier: Apache-2.0
// Project -> Model -> Graph (lowered, differentiated, optimized) -> Program. Each arrow is a free
// function that can be called, printed and tested separately.
// Thread: pure functions; compileStep uses the backend given.
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

enum class Stage : uint8_t { Lowered, Differentiated, Optimized, Planned };

/// Which micro-batch of an update a training step processes. All but the last add their gradients
/// and new moving statistics to variables "<variable>:sum", weighted by their share of the batch
/// (input "share", f32[]); the last adds its own and updates the weights.
enum class MicroStep : uint8_t { Whole, First, Middle, Last };

/// An Input layer, or a target, in the graph of a step.
struct StepEnd {
  // Name of the graph's input
  std::string name;
  // Including the batch dimension
  TensorType type;
};

/// A trained output of the network.
struct StepOutput {
  std::string layer;
  // Name of the graph's output
  std::string prediction;
  // Name of the graph's input with the weights of its samples; "": all weights are equal
  std::string weights;
  // Last dimension of the prediction
  int64_t width = 0;
};

/// Names in a step's graph. Inputs: the Input layers' names; "target"; "sample_weight" f32[N] where
/// the data has it; "learning_rate" f32[], "step", "seed", "first_sample" i64[] where used.
/// Outputs: "prediction" (Evaluate, Predict), "loss" (scalar mean over the batch), "metric/<name>"
/// (sums over the samples of the batch, see core/recipe/metrics.h). With several outputs
/// "target/<layer>", "sample_weight/<layer>" and "prediction/<layer>".
struct StepGraph {
  Graph graph;
  // Variables of the model, in order
  std::vector<VariableRequest> variables;
  // Train only: "<variable>:m", ...; initial values may differ from zero
  std::vector<VariableRequest> optimizerState;
  std::vector<LoweredMetric> metrics;
  // Names of their values
  std::vector<std::string> metricNames;
  // In the order of the network; Predict has no targets
  std::vector<StepEnd> inputs, targets;
  // One for each target
  std::vector<StepOutput> outputs;
  // Outputs without targets, which are only predicted
  std::vector<StepOutput> untrained;
  // Result of countedBy() in core/recipe/losses.h; empty for Predict
  std::string countedBy;
  // Filled by the stage Optimized
  std::vector<PassReport> reports;
};

struct StepOptions {
  StepMode mode = StepMode::Train;
  // Train: the micro-batch; Evaluate: any value except Whole means a part of a batch, for its loss
  MicroStep microStep = MicroStep::Whole;
  int64_t batchSize = 1;
  // Evaluate: samples of a full batch, if this one is smaller
  int64_t stateRows = 0;
  std::set<std::string, std::less<>> disabledPasses;
  // With Recompute::None the pass does nothing
  RecomputeOptions recompute;
  // Train: state of other steps that counts in the memory of this one
  const std::map<std::string, TensorType>* held = nullptr;
  // Callback of the pass choose_kernels
  std::function<void(const Graph&, PassReport&)> chooseKernels = {};
  // As in PipelineOptions
  NodeSeconds seconds = {};
  // Checked throughout. Fails: Stopped
  std::stop_token stop;
  Stage stopAfter = Stage::Optimized;
  // Called after each stage
  std::function<void(Stage, const Graph&)> onStage = {};
  // Called after each pass; exceptions end the compilation
  std::function<void(const Graph&, const PassReport&)> onPass = {};
};

/// Requires: a valid project (validate() without errors). Fails: InvalidProject, UnsupportedOp
/// naming the layer.
StepGraph buildStep(const Model& model, const TrainingOptions& training, const StepOptions& options,
                    const std::vector<Pass>& backendPasses = {});

/// The problem of a loss that cannot be computed in micro-batches because of `countedBy` (see
/// StepGraph::countedBy).
Diagnostic unevenPieces(const std::string& countedBy, int64_t pieces);

/// What layers produce in addition to their values.
struct LoweredExtras {
  // Scalars added to the loss
  std::vector<ValueId> penalties;
  // For each layer by position: mask of the steps that count; invalid if all do
  std::vector<ValueId> masks;
};
using NextValues = std::vector<std::pair<std::string, ValueId>>;
/// Lowers only the layers of a model into `graph` (used by buildStep and verify). Returns the value
/// of each layer by position. `nextValues`: new state to be assigned after all reads
/// (assignNextValues). Fails: LayerProblem.
std::vector<ValueId> lowerLayers(Graph& graph, const Model& model, StepMode mode, int64_t batchSize,
                                 std::vector<VariableRequest>& variables, NextValues& nextValues,
                                 LoweredExtras* extras = nullptr, int64_t stateRows = 0);
/// Assigns replaced variables their replacement at the end of the step, unless an optimizer updates
/// it. Call before gradients are built.
void assignReplacements(Graph& graph, const std::vector<VariableRequest>& variables);
void assignNextValues(Graph& graph, const NextValues& nextValues,
                      MicroStep microStep = MicroStep::Whole);

/// Initial values of a variable: one seed for all, with a separate random stream for each name.
Tensor initialValue(const VariableRequest& request, uint64_t seed);
/// Creates the missing variables of a step in `state` with their initial values; existing values
/// are kept.
void initializeState(State& state, const StepGraph& step, uint64_t seed);

}  // namespace strata
